//! Opening books: which move to play without thinking.
//!
//! A book maps positions to moves with weights. It is read from a Polyglot file
//! (`.bin`), whose keys are computed here as other programs compute them for
//! atomic chess, or made from games. The small embedded book holds moves that
//! long searches found sound; in atomic chess half of the replies to a first
//! move lose by force, so variety must be chosen with care.

pub mod build;
pub mod polyglot;
mod randoms;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use shakmaty::{Move, Square};
use thiserror::Error;

use crate::{
    games::{read::Reading, source::Source},
    rules::{Position, Ruleset},
};
use build::{Builder, Rules};
use polyglot::{Entry, PolyglotMove};

/// Games of the embedded book.
const EMBEDDED: &str = include_str!("sound.pgn");

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The length is not that of whole entries.
    #[error("{path}: {bytes} bytes are no Polyglot book: entries have 16 bytes each")]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// No game of the file could be read.
    #[error("{0}: no game of atomic chess")]
    NoGames(PathBuf),
}

/// A book in memory.
#[derive(Clone, Debug, Default)]
pub struct Book {
    moves: HashMap<u64, Vec<(PolyglotMove, u16)>>,
}

impl Book {
    /// The embedded book.
    #[must_use]
    pub fn embedded() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| {
            let mut builder = Builder::new(Rules::everything());
            for game in build::games_in("the embedded book", EMBEDDED).flatten() {
                builder.add(&game);
            }
            Book::from_entries(&builder.entries())
        })
    }

    /// A book of these entries.
    #[must_use]
    pub fn from_entries(entries: &[Entry]) -> Book {
        let mut book = Book::default();
        for entry in entries {
            book.moves
                .entry(entry.key)
                .or_default()
                .push((entry.m, entry.weight));
        }
        book
    }

    /// Reads a Polyglot file, or makes a book of all moves of the games in a
    /// PGN file.
    ///
    /// # Errors
    ///
    /// [`BookError`] if the file cannot be read or holds no book and no games.
    pub fn load(path: &Path) -> Result<Book, BookError> {
        let is_binary = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
        if is_binary {
            let bytes = fs::read(path).map_err(|source| BookError::Io {
                path: path.to_owned(),
                source,
            })?;
            let entries = polyglot::read(&bytes).ok_or_else(|| BookError::Length {
                path: path.to_owned(),
                bytes: bytes.len(),
            })?;
            if entries.is_empty() {
                return Err(BookError::NoGames(path.to_owned()));
            }
            return Ok(Book::from_entries(&entries));
        }
        if let Err(source) = fs::metadata(path) {
            return Err(BookError::Io {
                path: path.to_owned(),
                source,
            });
        }
        let mut builder = Builder::new(Rules::everything());
        let reading = Reading {
            assume: Some(Ruleset::Lichess),
            positions: Ruleset::Lichess,
            ..Reading::default()
        };
        for game in Source::new(&[path.to_owned()], reading).flatten() {
            builder.add(&game);
        }
        if builder.games() == 0 {
            return Err(BookError::NoGames(path.to_owned()));
        }
        Ok(Book::from_entries(&builder.entries()))
    }

    /// How many positions the book knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether the book knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The legal moves that the book has here, the heaviest first. `passed` is
    /// the square that the last move, a pawn's double step, passed over.
    #[must_use]
    pub fn moves(&self, position: &Position, passed: Option<Square>) -> Vec<(Move, u16)> {
        let key = polyglot::key(position, passed);
        let legal = position.legal_moves();
        let mut moves: Vec<(Move, u16)> = self
            .moves
            .get(&key)
            .into_iter()
            .flatten()
            .filter_map(|&(wanted, weight)| {
                let m = legal
                    .iter()
                    .find(|&&m| PolyglotMove::new(m) == wanted || wanted.is_step_of(m))?;
                Some((*m, weight))
            })
            .collect();
        moves.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        moves
    }

    /// A move by chance, likelier the heavier it is.
    #[must_use]
    pub fn choose(
        &self,
        position: &Position,
        passed: Option<Square>,
        rng: &mut fastrand::Rng,
    ) -> Option<Move> {
        let moves = self.moves(position, passed);
        let total: u32 = moves.iter().map(|&(_, weight)| u32::from(weight)).sum();
        if total == 0 {
            return None;
        }
        let mut left = rng.u32(..total);
        moves.into_iter().find_map(|(m, weight)| {
            let weight = u32::from(weight);
            if left < weight {
                Some(m)
            } else {
                left -= weight;
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_book_offers_several_first_moves_and_replies_to_each() {
        let book = Book::embedded();
        let start = Position::startpos(Ruleset::Lichess);
        let first = book.moves(&start, None);
        assert!(first.len() >= 3, "{first:?}");
        for (m, _) in first {
            let passed = polyglot::passed_square(m);
            let replies = book.moves(&start.after(m), passed);
            assert!(!replies.is_empty(), "{}", start.san(m));
        }
    }

    #[test]
    fn choices_follow_the_weights() {
        let start = Position::startpos(Ruleset::Lichess);
        let entry = |san: &str, weight| Entry {
            key: polyglot::key(&start, None),
            m: PolyglotMove::new(start.parse_san(san).expect("legal")),
            weight,
            learn: 0,
        };
        let book = Book::from_entries(&[entry("Nf3", 3), entry("e4", 1), entry("h4", 0)]);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut counts = HashMap::new();
        for _ in 0..1000 {
            let m = book.choose(&start, None, &mut rng).expect("a move");
            *counts.entry(start.san(m)).or_insert(0) += 1;
        }
        assert!((700..800).contains(&counts["Nf3"]), "{counts:?}");
        assert!(!counts.contains_key("h4"));
    }
}
