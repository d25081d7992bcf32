//! Who plays whom, in which order and from which opening.
//!
//! A schedule is asked for games one by one, since in a knockout the later
//! encounters depend on the earlier ones. It gives the same games to the same
//! results, which is what makes a resumed match continue where it stopped.

use std::{fmt, str::FromStr};

use thiserror::Error;

use super::{
    knockout::Knockout,
    record::{GameId, Outcome},
};

/// How the engines meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Format {
    /// Everybody against everybody; with two engines, head-to-head.
    #[default]
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
    /// The loser of each encounter is out.
    Knockout,
}

/// A word that names no format.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a format: write round-robin, gauntlet or knockout")]
pub struct FormatError(pub String);

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "round-robin" | "roundrobin" | "head-to-head" => Ok(Format::RoundRobin),
            "gauntlet" => Ok(Format::Gauntlet),
            "knockout" => Ok(Format::Knockout),
            _ => Err(FormatError(text.to_owned())),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
            Format::Knockout => "knockout",
        })
    }
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Which game it is.
    pub id: GameId,
    /// Index of the engine with the white pieces.
    pub white: usize,
    /// Index of the engine with the black pieces.
    pub black: usize,
}

impl Fixture {
    /// Game `game` of an encounter of `first` and `second`, who swap colours
    /// after every game.
    #[must_use]
    pub fn new(pairing: u32, game: u32, first: usize, second: usize) -> Fixture {
        let (white, black) = if game.is_multiple_of(2) {
            (first, second)
        } else {
            (second, first)
        };
        Fixture {
            id: GameId { pairing, game },
            white,
            black,
        }
    }

    /// Number of the opening: both games of a pair have the same, and so have
    /// all encounters of a round.
    #[must_use]
    pub fn opening(&self) -> usize {
        self.id.game as usize / 2
    }
}

/// What a schedule answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Play this game.
    Play(Fixture),
    /// Nothing can start before a running game ends.
    Wait,
    /// All games were given out.
    Done,
}

/// Gives out games.
pub trait Schedule: fmt::Debug {
    /// The next game.
    fn next(&mut self) -> Next;

    /// Takes in a result of a game that was given out.
    fn finished(&mut self, fixture: Fixture, outcome: Outcome);

    /// How many games there will be, as far as is known.
    fn total(&self) -> usize;
}

impl Format {
    /// The schedule for this many engines with this many games an encounter.
    #[must_use]
    pub fn schedule(self, engines: usize, games: u32) -> Box<dyn Schedule> {
        let pairings = match self {
            Format::Knockout => return Box::new(Knockout::new(engines, games)),
            Format::Gauntlet => Vec::from_iter((1..engines).map(|other| (0, other))),
            Format::RoundRobin => Vec::from_iter(
                (0..engines)
                    .flat_map(|first| (first + 1..engines).map(move |second| (first, second))),
            ),
        };
        Box::new(Rounds {
            pairings,
            games,
            round: 0,
            pairing: 0,
            second: false,
        })
    }
}

/// Round robin and gauntlet: in each round every encounter plays one pair.
#[derive(Debug)]
struct Rounds {
    pairings: Vec<(usize, usize)>,
    games: u32,
    round: u32,
    pairing: usize,
    second: bool,
}

impl Schedule for Rounds {
    fn next(&mut self) -> Next {
        loop {
            let game = 2 * self.round + u32::from(self.second);
            if 2 * self.round >= self.games || self.pairings.is_empty() {
                return Next::Done;
            }
            let pairing = self.pairing;
            if self.second {
                self.pairing = (self.pairing + 1) % self.pairings.len();
                self.round += u32::from(self.pairing == 0);
            }
            self.second = !self.second;
            if game < self.games {
                let (first, second) = self.pairings[pairing];
                return Next::Play(Fixture::new(pairing as u32, game, first, second));
            }
        }
    }

    fn finished(&mut self, _fixture: Fixture, _outcome: Outcome) {}

    fn total(&self) -> usize {
        self.pairings.len() * self.games as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(format: Format, engines: usize, games: u32) -> Vec<(u32, u32, usize, usize)> {
        let mut schedule = format.schedule(engines, games);
        let mut fixtures = Vec::new();
        while let Next::Play(fixture) = schedule.next() {
            fixtures.push((
                fixture.id.pairing,
                fixture.id.game,
                fixture.white,
                fixture.black,
            ));
        }
        assert_eq!(fixtures.len(), schedule.total());
        fixtures
    }

    #[test]
    fn head_to_head_swaps_colours() {
        assert_eq!(
            all(Format::RoundRobin, 2, 3),
            [(0, 0, 0, 1), (0, 1, 1, 0), (0, 2, 0, 1)]
        );
    }

    #[test]
    fn every_round_has_all_encounters() {
        assert_eq!(
            all(Format::RoundRobin, 3, 2),
            [
                (0, 0, 0, 1),
                (0, 1, 1, 0),
                (1, 0, 0, 2),
                (1, 1, 2, 0),
                (2, 0, 1, 2),
                (2, 1, 2, 1)
            ]
        );
        assert_eq!(
            all(Format::Gauntlet, 3, 3),
            [
                (0, 0, 0, 1),
                (0, 1, 1, 0),
                (1, 0, 0, 2),
                (1, 1, 2, 0),
                (0, 2, 0, 1),
                (1, 2, 0, 2)
            ]
        );
    }

    #[test]
    fn pairs_share_an_opening() {
        let openings = [0, 1, 2, 3].map(|game| Fixture::new(0, game, 0, 1).opening());
        assert_eq!(openings, [0, 0, 1, 1]);
    }
}
