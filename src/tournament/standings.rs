//! From games to figures: one row an engine, one row an encounter.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{
    record::{FaultKind, GameRecord},
    statistics::{Estimate, Pentanomial, Tally},
};

/// All figures of a match.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Standings {
    /// One row an engine, in the order of the match.
    pub engines: Vec<EngineRow>,
    /// One row for every two engines that met.
    pub encounters: Vec<EncounterRow>,
}

/// One engine against all others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineRow {
    /// Its name.
    pub name: String,
    /// Its results.
    pub tally: Tally,
    /// Its results with the white pieces.
    pub white: Tally,
    /// Its results by pairs.
    pub pentanomial: Pentanomial,
    /// Points a game, from 0 to 1.
    pub score: f64,
    /// Share of draws, from 0 to 1.
    pub draw_rate: f64,
    /// Its strength relative to its opponents.
    pub estimate: Estimate,
    /// Seconds it thought.
    pub seconds: f64,
    /// Faults of each kind that occurred.
    pub faults: BTreeMap<FaultKind, u64>,
}

/// Two engines against each other, seen from the first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EncounterRow {
    /// The engine that comes first in the match.
    pub first: String,
    /// The other.
    pub second: String,
    /// Results of the first.
    pub tally: Tally,
    /// Results of the first by pairs.
    pub pentanomial: Pentanomial,
    /// Points a game of the first, from 0 to 1.
    pub score: f64,
    /// Share of draws, from 0 to 1.
    pub draw_rate: f64,
    /// Strength of the first relative to the second.
    pub estimate: Estimate,
}

#[derive(Default)]
struct Encounter {
    tally: Tally,
    pentanomial: Pentanomial,
}

impl Standings {
    /// Counts games between the engines `names`; games of others are left out.
    #[must_use]
    pub fn new(names: &[String], games: &[GameRecord]) -> Standings {
        let index: HashMap<&str, usize> = names
            .iter()
            .enumerate()
            .map(|(index, name)| (name.as_str(), index))
            .collect();
        let mut encounters: BTreeMap<(usize, usize), Encounter> = BTreeMap::new();
        let mut half_pairs: HashMap<(&str, u32, u32), usize> = HashMap::new();
        let mut rows = Vec::from_iter(names.iter().map(|_| EngineCount::default()));
        for game in games {
            let (Some(&white), Some(&black)) = (
                index.get(game.white.as_str()),
                index.get(game.black.as_str()),
            ) else {
                continue;
            };
            rows[white].add(game, Color::White);
            rows[black].add(game, Color::Black);
            for fault in &game.faults {
                if let Some(&engine) = index.get(fault.engine.as_str()) {
                    *rows[engine].faults.entry(fault.kind).or_default() += 1;
                }
            }
            let (first, second) = (white.min(black), white.max(black));
            let points = game.result.half_points(Color::from_white(white == first));
            let encounter = encounters.entry((first, second)).or_default();
            encounter.tally.add(points);
            let pair = (game.run.as_str(), game.id.pairing, game.id.game / 2);
            match half_pairs.remove(&pair) {
                None => {
                    half_pairs.insert(pair, points);
                }
                Some(other) => {
                    encounter.pentanomial.add(points + other);
                    rows[first].pentanomial.add(points + other);
                    rows[second].pentanomial.add(4 - points - other);
                }
            }
        }
        let engines = rows
            .into_iter()
            .zip(names)
            .map(|(row, name)| row.finish(name))
            .collect();
        let encounters = encounters
            .into_iter()
            .map(
                |((first, second), Encounter { tally, pentanomial })| EncounterRow {
                    first: names[first].clone(),
                    second: names[second].clone(),
                    tally,
                    pentanomial,
                    score: tally.score(),
                    draw_rate: tally.draw_rate(),
                    estimate: Estimate::new(&tally, &pentanomial),
                },
            )
            .collect();
        Standings {
            engines,
            encounters,
        }
    }

    /// Whether any engine did anything wrong.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.engines.iter().any(|engine| !engine.faults.is_empty())
    }
}

#[derive(Default)]
struct EngineCount {
    tally: Tally,
    white: Tally,
    pentanomial: Pentanomial,
    seconds: f64,
    faults: BTreeMap<FaultKind, u64>,
}

impl EngineCount {
    fn add(&mut self, game: &GameRecord, color: Color) {
        let points = game.result.half_points(color);
        self.tally.add(points);
        match color {
            Color::White => {
                self.white.add(points);
                self.seconds += game.white_seconds;
            }
            Color::Black => self.seconds += game.black_seconds,
        }
    }

    fn finish(self, name: &str) -> EngineRow {
        EngineRow {
            name: name.to_owned(),
            score: self.tally.score(),
            draw_rate: self.tally.draw_rate(),
            estimate: Estimate::new(&self.tally, &self.pentanomial),
            tally: self.tally,
            white: self.white,
            pentanomial: self.pentanomial,
            seconds: self.seconds,
            faults: self.faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::record::{EndKind, Fault, GameId, Outcome};

    fn game(run: &str, number: u32, white: &str, black: &str, result: Outcome) -> GameRecord {
        GameRecord {
            run: run.to_owned(),
            id: GameId {
                pairing: 0,
                game: number,
            },
            white: white.to_owned(),
            black: black.to_owned(),
            opening: String::new(),
            result,
            end: EndKind::Rules,
            reason: String::new(),
            plies: 10,
            white_seconds: 2.0,
            black_seconds: 1.0,
            preparing_seconds: 0.25,
            faults: Vec::new(),
        }
    }

    #[test]
    fn games_are_counted_by_pair_and_by_run() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut games = vec![
            game("x", 0, "a", "b", Outcome::WhiteWins),
            game("x", 3, "b", "a", Outcome::BlackWins),
            game("x", 1, "b", "a", Outcome::Draw),
            game("x", 2, "a", "b", Outcome::WhiteWins),
            // The same numbers in another run are other games.
            game("y", 0, "a", "b", Outcome::BlackWins),
            game("y", 1, "b", "a", Outcome::WhiteWins),
            // Half a pair.
            game("y", 2, "a", "b", Outcome::WhiteWins),
        ];
        games[4].faults.push(Fault {
            engine: "a".to_owned(),
            kind: FaultKind::TimeLoss,
            detail: String::new(),
        });
        let standings = Standings::new(&names, &games);
        let encounter = &standings.encounters[0];
        assert_eq!(
            encounter.tally,
            Tally {
                wins: 4,
                losses: 2,
                draws: 1
            }
        );
        assert_eq!(encounter.pentanomial, Pentanomial([1, 0, 0, 1, 1]));
        assert_eq!(
            standings.engines[1].pentanomial,
            Pentanomial([1, 1, 0, 0, 1])
        );
        assert_eq!(
            standings.engines[0].white,
            Tally {
                wins: 3,
                losses: 1,
                draws: 0
            }
        );
        assert_eq!(standings.engines[0].seconds, 11.0);
        assert_eq!(standings.engines[0].faults[&FaultKind::TimeLoss], 1);
        assert!(standings.has_faults());
    }
}
