//! Knockout: engines seeded in the order given, the best seeds apart from each
//! other, byes for the best when their number is no power of two.
//!
//! An even encounter is prolonged by pairs of games from further openings; if
//! that does not decide it either, the better seed goes on.

use std::mem;

use super::{
    record::{GameId, Outcome},
    schedule::{Fixture, Next, Schedule},
};

/// Pairs that may prolong an even encounter.
const EXTRA_PAIRS: u32 = 5;

/// A knockout under way.
#[derive(Debug)]
pub struct Knockout {
    /// Games of an encounter before it is prolonged.
    games: u32,
    /// Encounters of the present stage in bracket order.
    stage: Vec<Encounter>,
    /// Encounters of all earlier stages.
    earlier: u32,
    total: usize,
}

#[derive(Debug)]
struct Encounter {
    pairing: u32,
    first: usize,
    /// `None` is a bye.
    second: Option<usize>,
    planned: u32,
    given_out: u32,
    finished: u32,
    /// Half points of `first`.
    half_points: usize,
}

impl Encounter {
    fn winner(&self) -> Option<usize> {
        let Some(second) = self.second else {
            return Some(self.first);
        };
        let leader = if self.half_points < self.finished as usize {
            second
        } else {
            self.first
        };
        (self.finished == self.planned).then_some(leader)
    }

    fn is_even(&self) -> bool {
        self.half_points == self.finished as usize
    }
}

impl Knockout {
    /// A bracket for the engines `0..engines`; an odd number of games is
    /// rounded up, so that colours are even.
    #[must_use]
    pub fn new(engines: usize, games: u32) -> Knockout {
        let games = games.max(1).next_multiple_of(2);
        let bracket = seeds(engines.next_power_of_two());
        let entrants = Vec::from_iter(
            bracket
                .into_iter()
                .map(|seed| (seed < engines).then_some(seed)),
        );
        let mut knockout = Knockout {
            games,
            stage: Vec::new(),
            earlier: 0,
            total: engines.saturating_sub(1) * games as usize,
        };
        knockout.start_stage(&entrants);
        knockout
    }

    fn start_stage(&mut self, entrants: &[Option<usize>]) {
        let first_pairing = self.earlier;
        let pairs = entrants.chunks_exact(2).zip(first_pairing..);
        self.stage = pairs
            .filter_map(|(pair, pairing)| {
                // The lower index is the better seed and survives an even encounter.
                let (first, second) = match *pair {
                    [Some(a), Some(b)] => (a.min(b), Some(a.max(b))),
                    [Some(a), None] | [None, Some(a)] => (a, None),
                    _ => return None,
                };
                Some(Encounter {
                    pairing,
                    first,
                    second,
                    planned: self.games,
                    given_out: 0,
                    finished: 0,
                    half_points: 0,
                })
            })
            .collect();
    }
}

impl Schedule for Knockout {
    fn next(&mut self) -> Next {
        for encounter in &mut self.stage {
            let Some(second) = encounter.second else {
                continue;
            };
            if encounter.given_out < encounter.planned {
                let game = encounter.given_out;
                encounter.given_out += 1;
                return Next::Play(Fixture::new(
                    encounter.pairing,
                    game,
                    encounter.first,
                    second,
                ));
            }
        }
        if self.stage.len() < 2 && self.stage.iter().all(|last| last.winner().is_some()) {
            return Next::Done;
        }
        let winners = Vec::from_iter(self.stage.iter().map(Encounter::winner));
        if winners.iter().any(Option::is_none) {
            return Next::Wait;
        }
        self.earlier += mem::take(&mut self.stage).len() as u32;
        self.start_stage(&winners);
        self.next()
    }

    fn finished(&mut self, fixture: Fixture, outcome: Outcome) {
        let GameId { pairing, .. } = fixture.id;
        let Some(encounter) = self
            .stage
            .iter_mut()
            .find(|encounter| encounter.pairing == pairing)
        else {
            return;
        };
        let color = shakmaty::Color::from_white(fixture.white == encounter.first);
        encounter.half_points += outcome.half_points(color);
        encounter.finished += 1;
        let may_go_on = encounter.planned < self.games + 2 * EXTRA_PAIRS;
        if encounter.finished == encounter.planned && encounter.is_even() && may_go_on {
            encounter.planned += 2;
            self.total += 2;
        }
    }

    fn total(&self) -> usize {
        self.total
    }
}

/// The seeds `0..size` in bracket order: neighbours meet, and the best two can
/// meet only in the last stage.
fn seeds(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let rounds = 2 * order.len();
        order = order
            .into_iter()
            .flat_map(|seed| [seed, rounds - 1 - seed])
            .collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays all games, each won by the engine that `wins` picks, or drawn, and
    /// returns the encounters in order.
    fn play(engines: usize, wins: impl Fn(usize, usize) -> Option<usize>) -> Vec<(usize, usize)> {
        let mut knockout = Knockout::new(engines, 2);
        let mut met = Vec::new();
        loop {
            match knockout.next() {
                Next::Play(fixture) => {
                    let (white, black) = (fixture.white, fixture.black);
                    let outcome = match wins(white, black) {
                        Some(winner) if winner == white => Outcome::WhiteWins,
                        Some(_) => Outcome::BlackWins,
                        None => Outcome::Draw,
                    };
                    met.push((white.min(black), white.max(black)));
                    knockout.finished(fixture, outcome);
                }
                Next::Wait => panic!("nothing is running"),
                Next::Done => {
                    assert_eq!(met.len(), knockout.total());
                    met.dedup();
                    return met;
                }
            }
        }
    }

    #[test]
    fn the_best_seeds_meet_last() {
        assert_eq!(seeds(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        let better = |a: usize, b: usize| Some(a.min(b));
        assert_eq!(play(4, better), [(0, 3), (1, 2), (0, 1)]);
    }

    #[test]
    fn byes_go_to_the_best_seeds() {
        let worse = |a: usize, b: usize| Some(a.max(b));
        assert_eq!(play(3, worse), [(1, 2), (0, 2)]);
        assert_eq!(play(2, worse), [(0, 1)]);
        assert_eq!(play(5, worse), [(3, 4), (0, 4), (1, 2), (2, 4)]);
    }

    #[test]
    fn an_even_encounter_is_prolonged_and_then_goes_to_the_better_seed() {
        let mut knockout = Knockout::new(2, 2);
        let mut games = 0;
        while let Next::Play(fixture) = knockout.next() {
            knockout.finished(fixture, Outcome::Draw);
            games += 1;
        }
        assert_eq!(games, 2 + 2 * EXTRA_PAIRS);
        assert_eq!(knockout.stage[0].winner(), Some(0));
    }
}
