//! Which puzzles are posed: the daily one, or a race.

use std::time::Duration;

use shakmaty::Move;

use super::Puzzle;
use crate::rules::{MoveError, Position};

/// Puzzles to solve in a race.
pub const RACE_PUZZLES: usize = 10;
/// The time of a race.
pub const RACE_TIME: Duration = Duration::from_secs(5 * 60);

/// The index of the puzzle of a day among `count`, the same for everyone.
/// Puzzles come in an order that looks random, and none comes again before all
/// have.
///
/// # Panics
///
/// If `count` is zero.
#[must_use]
pub fn daily(days: u64, count: usize) -> usize {
    let round = days / count as u64;
    let mut order = Vec::from_iter(0..count);
    fastrand::Rng::with_seed(round).shuffle(&mut order);
    order[(days % count as u64) as usize]
}

/// The indices of the puzzles of a race, the easier first.
#[must_use]
pub fn race(puzzles: &[Puzzle], seed: u64) -> Vec<usize> {
    let mut order = Vec::from_iter(0..puzzles.len());
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    order.truncate(RACE_PUZZLES);
    order.sort_by_key(|&index| puzzles[index].difficulty);
    order
}

/// What a try has led to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// The puzzle is solved by this move.
    Solved(Move),
    /// The right move, the defender's reply; more is to be found.
    Right(Move, Move),
    /// A legal move that is not the solution.
    Wrong(Move),
}

/// One puzzle being solved.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    puzzle: &'a Puzzle,
    position: Position,
    step: usize,
}

impl<'a> Attempt<'a> {
    /// Begins.
    #[must_use]
    pub fn new(puzzle: &'a Puzzle) -> Attempt<'a> {
        Attempt {
            position: puzzle.position.clone(),
            puzzle,
            step: 0,
        }
    }

    /// The position, with the solver to move.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The move looked for.
    #[must_use]
    pub fn solution(&self) -> Move {
        self.puzzle.line[self.step]
    }

    /// Tries a move in SAN or UCI notation.
    ///
    /// # Errors
    ///
    /// [`MoveError`] if the text is no legal move.
    pub fn try_move(&mut self, text: &str) -> Result<Answer, MoveError> {
        let position = &self.position;
        let m = position
            .parse_san(text)
            .or_else(|error| position.parse_uci(text).map_err(|_| error))?;
        if !self.puzzle.accepts(position, self.step, m) {
            return Ok(Answer::Wrong(m));
        }
        let is_line = self.puzzle.line[self.step] == m;
        let line = &self.puzzle.line[self.step + 1..];
        match line {
            [reply, _, ..] if is_line => {
                self.position.play(m);
                self.position.play(*reply);
                self.step += 2;
                Ok(Answer::Right(m, *reply))
            }
            _ => Ok(Answer::Solved(m)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzles::epd;

    const PUZZLES: &str = "\
        rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - pv Nd7 d4 Nxf8; c1 \"900\";\n\
        8/8/8/K7/1k6/p7/Q7/8 w - - pv Qxa3; c1 \"700\";\n";

    fn puzzles() -> Vec<Puzzle> {
        epd::read(PUZZLES)
            .into_iter()
            .map(|puzzle| puzzle.expect("a puzzle"))
            .collect()
    }

    #[test]
    fn a_line_is_solved_move_by_move() {
        let puzzles = puzzles();
        let mut attempt = Attempt::new(&puzzles[0]);
        assert!(attempt.try_move("Nd9").is_err());
        assert!(matches!(attempt.try_move("Nf7"), Ok(Answer::Wrong(_))));
        assert!(matches!(attempt.try_move("e5d7"), Ok(Answer::Right(..))));
        assert!(matches!(attempt.try_move("Nxf8"), Ok(Answer::Solved(_))));
    }

    #[test]
    fn every_puzzle_has_its_day_and_days_differ() {
        let days = Vec::from_iter((0..7).map(|day| daily(20_000 - 20_000 % 7 + day, 7)));
        let mut sorted = days.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(daily(20_001, 50), daily(20_001, 50));
    }

    #[test]
    fn a_race_goes_from_easy_to_hard() {
        assert_eq!(race(&puzzles(), 3), [1, 0]);
    }
}
