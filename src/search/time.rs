//! How long to think.
//!
//! Each move has an optimum, stretched or shrunk after every iteration by how
//! settled the best move is, and a maximum that is never passed.

use std::time::{Duration, Instant};

use shakmaty::Color;

use super::{limits::Limits, score::Score};

/// Moves that the rest of a game without time control is planned for.
const HORIZON: f64 = 24.0;
/// The share of the optimum and of the time left that one move may take.
const MAX_OPTIMA: f64 = 4.5;
const MAX_SHARE: f64 = 0.7;

/// Time that is never planned with: a busy machine may wake the engine late.
const RESERVE: Duration = Duration::from_millis(25);

/// The time budget of one move.
#[derive(Clone, Debug)]
pub struct TimeManager {
    start: Instant,
    optimum: Option<Duration>,
    maximum: Option<Duration>,
    stable_iterations: u32,
    settled: bool,
}

impl TimeManager {
    /// Plans a move of `color` that begins now. `overhead` is lost between the
    /// engine and the referee on every move.
    #[must_use]
    pub fn new(limits: &Limits, color: Color, overhead: Duration) -> TimeManager {
        let mut manager = TimeManager {
            start: Instant::now(),
            optimum: None,
            maximum: None,
            stable_iterations: 0,
            settled: false,
        };
        if let Some(movetime) = limits.movetime {
            let budget = movetime.saturating_sub(overhead.min(movetime / 2));
            manager.maximum = Some(budget.max(Duration::from_millis(1)));
        } else if let Some(clock) = limits.clock(color) {
            let left = clock
                .left
                .saturating_sub((overhead + RESERVE).min(clock.left / 2))
                .as_secs_f64();
            let increment = clock.increment.as_secs_f64();
            let moves = limits
                .moves_to_go
                .map_or(HORIZON, |moves| (f64::from(moves) + 1.0).min(HORIZON + 6.0));
            let sure = if limits.moves_to_go == Some(1) {
                0.9
            } else {
                MAX_SHARE
            };
            let optimum = (left / moves + 0.75 * increment).min(sure * left);
            let maximum = (optimum * MAX_OPTIMA).min(sure * left);
            manager.optimum = Some(Duration::from_secs_f64(optimum));
            manager.maximum = Some(Duration::from_secs_f64(maximum.max(0.0005)));
        }
        manager
    }

    /// Time since the search began.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the search must end now.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.settled
            || self
                .maximum
                .is_some_and(|maximum| self.elapsed() >= maximum)
    }

    /// Enough was thought on the opponent's time: the search is over as soon
    /// as it counts.
    pub fn settle(&mut self) {
        self.settled = true;
    }

    /// Whether another iteration is not worth beginning, by what the last one
    /// showed.
    pub fn is_enough(&mut self, signs: Signs) -> bool {
        self.stable_iterations = if signs.same_move {
            self.stable_iterations + 1
        } else {
            0
        };
        let share = share_of_optimum(self.stable_iterations, signs);
        self.optimum
            .is_some_and(|optimum| self.elapsed() >= optimum.mul_f64(share))
    }

    /// Whether the clock bounds this search, so that a forced move needs no
    /// thought.
    #[must_use]
    pub fn is_clocked(&self) -> bool {
        self.optimum.is_some()
    }
}

/// What an iteration shows about how settled the search is.
#[derive(Copy, Clone, Debug)]
pub struct Signs {
    /// It kept the best move of the one before.
    pub same_move: bool,
    /// By how much its score fell below that of the one before.
    pub drop: Score,
    /// The share of all nodes that went to the best move.
    pub effort: f64,
}

/// How much of the optimum to use when the best move has stood for so many
/// iterations.
fn share_of_optimum(stable_iterations: u32, signs: Signs) -> f64 {
    let unsettled = 1.35 - 0.08 * f64::from(stable_iterations.min(8));
    let falling = 1.0 + f64::from(signs.drop.clamp(-20, 80)) / 120.0;
    let narrow = 1.55 - 0.85 * signs.effort;
    unsettled * falling * narrow
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::Clock;

    fn plan(left: u64, increment: u64, moves_to_go: Option<u32>) -> TimeManager {
        let clock = Clock {
            left: Duration::from_millis(left),
            increment: Duration::from_millis(increment),
        };
        let limits = Limits {
            clocks: [Some(clock); 2],
            moves_to_go,
            ..Limits::default()
        };
        TimeManager::new(&limits, Color::White, Duration::from_millis(10))
    }

    #[test]
    fn no_move_takes_more_than_its_share_of_the_clock() {
        for left in [0, 1, 5, 20, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 10, 1000, 100_000] {
                for moves in [None, Some(1), Some(2), Some(40)] {
                    let maximum = plan(left, increment, moves).maximum.expect("clocked");
                    let bound = Duration::from_millis(left).mul_f64(0.91);
                    assert!(
                        maximum <= bound.max(Duration::from_micros(500)),
                        "{maximum:?} of {left} ms + {increment} ms, {moves:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_settled_move_saves_time_and_a_falling_score_buys_some() {
        let share = |stable, drop, effort| {
            let signs = Signs {
                same_move: stable > 0,
                drop,
                effort,
            };
            share_of_optimum(stable, signs)
        };
        assert!(share(8, 0, 0.5) < share(0, 0, 0.5));
        assert!(share(0, 60, 0.5) > share(0, 0, 0.5));
        assert!(share(3, 0, 0.95) < share(3, 0, 0.3));
        assert!((0.3..0.7).contains(&share(8, 0, 0.9)));
        assert!(share(0, 80, 0.2) < MAX_OPTIMA);
    }
}
