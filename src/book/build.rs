//! Books made from games: what was played, weighted by how it ended.

use std::{collections::HashMap, io::Cursor};

use super::polyglot::{Entry, PolyglotMove, key, passed_square};
use crate::{
    games::{
        Game, Skipped,
        read::{self, Reading},
        scan::Scanner,
    },
    rules::{Position, Ruleset},
};
use shakmaty::Color;

/// Which moves of the games get into the book.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Only the first plies of each game.
    pub plies: usize,
    /// Only moves played in at least this many games.
    pub least_games: u32,
    /// Only moves that scored at least this share, from 0 to 1.
    pub least_score: f64,
}

impl Rules {
    /// Every move of every game.
    #[must_use]
    pub fn everything() -> Rules {
        Rules {
            plies: usize::MAX,
            least_games: 1,
            least_score: 0.0,
        }
    }
}

/// What is known of a move: games, and half points scored in those that ended.
#[derive(Copy, Clone, Debug, Default)]
struct Record {
    games: u32,
    ended: u32,
    half_points: u32,
}

/// Gathers games into a book.
#[derive(Debug)]
pub struct Builder {
    rules: Rules,
    records: HashMap<(u64, PolyglotMove), Record>,
    games: usize,
}

impl Builder {
    /// A builder without games.
    #[must_use]
    pub fn new(rules: Rules) -> Builder {
        Builder {
            rules,
            records: HashMap::new(),
            games: 0,
        }
    }

    /// How many games were added.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games
    }

    /// Adds the moves of a game.
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        let winner = match game.result.as_str() {
            "1-0" => Some(Some(Color::White)),
            "0-1" => Some(Some(Color::Black)),
            "1/2-1/2" => Some(None),
            _ => None,
        };
        let mut position: Position = game.start.clone();
        let mut passed = None;
        for ply in game.plies.iter().take(self.rules.plies) {
            let m = PolyglotMove::new(ply.m);
            let record = self.records.entry((key(&position, passed), m)).or_default();
            record.games += 1;
            if let Some(winner) = winner {
                record.ended += 1;
                record.half_points += match winner {
                    None => 1,
                    Some(winner) if winner == position.turn() => 2,
                    Some(_) => 0,
                };
            }
            passed = passed_square(ply.m);
            position.play(ply.m);
        }
    }

    /// The entries of the book. Weights are half points scored, and one half
    /// point for a game whose end is not known.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let kept = self.records.iter().filter(|(_, record)| {
            record.games >= self.rules.least_games
                && (record.ended == 0
                    || f64::from(record.half_points) / f64::from(2 * record.ended)
                        >= self.rules.least_score)
        });
        let weight = |record: &Record| record.half_points + record.games - record.ended;
        let heaviest = self.records.values().map(weight).max().unwrap_or(0).max(1);
        // Weights have sixteen bits; all are scaled alike.
        let limit = u32::from(u16::MAX);
        kept.map(|(&(key, m), record)| {
            let weight = weight(record);
            let scaled = if heaviest > limit {
                (u64::from(weight) * u64::from(limit)).div_ceil(u64::from(heaviest)) as u32
            } else {
                weight
            };
            Entry {
                key,
                m,
                weight: scaled as u16,
                learn: 0,
            }
        })
        .collect()
    }
}

/// The games of a PGN text, taken as atomic chess.
pub(super) fn games_in(file: &str, text: &str) -> impl Iterator<Item = Result<Game, Box<Skipped>>> {
    let reading = Reading {
        assume: Some(Ruleset::Lichess),
        positions: Ruleset::Lichess,
        ..Reading::default()
    };
    let mut scanner = Scanner::new(Cursor::new(text.as_bytes().to_vec()));
    std::iter::from_fn(move || {
        let chunk = scanner.next_game().ok().flatten()?;
        Some(read::game(file, &chunk, reading).map_err(Box::new))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_half_points_and_rules_leave_moves_out() {
        let text = "[Variant \"Atomic\"]\n\n1. Nf3 f6 1-0\n\n[Variant \"Atomic\"]\n\n1. Nf3 f6 1/2-1/2\n\n\
                    [Variant \"Atomic\"]\n\n1. e4 e6 0-1\n\n";
        let entries = |rules| {
            let mut builder = Builder::new(rules);
            for game in games_in("test", text) {
                builder.add(&game.expect("a game"));
            }
            let mut weights = Vec::from_iter(builder.entries().iter().map(|entry| entry.weight));
            weights.sort_unstable();
            weights
        };
        assert_eq!(entries(Rules::everything()), [0, 1, 2, 3]);
        let rules = Rules {
            least_games: 2,
            ..Rules::everything()
        };
        assert_eq!(entries(rules), [1, 3]);
        let rules = Rules {
            plies: 1,
            least_score: 0.5,
            ..Rules::everything()
        };
        assert_eq!(entries(rules), [3]);
    }
}
