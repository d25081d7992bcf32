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
    io::{self, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use shakmaty::{Move, Square};
use thiserror::Error;

use crate::{
    files,
    games::{read::Reading, source::Source},
    rules::{Position, Ruleset},
};
use build::{Builder, Rules};
use polyglot::{Entry, PolyglotMove};

/// Longer files are no books that an engine could load while it is waited for.
const LONGEST: u64 = 1 << 30;

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
    /// In the order of Polyglot files.
    entries: Vec<Entry>,
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
            Book::from_entries(builder.entries())
        })
    }

    /// A book of these entries.
    #[must_use]
    pub fn from_entries(mut entries: Vec<Entry>) -> Book {
        polyglot::sort(&mut entries);
        Book { entries }
    }

    /// Reads a Polyglot file, or makes a book of all moves of the games in a
    /// PGN file.
    ///
    /// # Errors
    ///
    /// [`BookError`] if it is no file, longer than 1 GiB or cannot be read, or
    /// if it holds no book and no games.
    pub fn load(path: &Path) -> Result<Book, BookError> {
        let failed = |source| BookError::Io {
            path: path.to_owned(),
            source,
        };
        let file = files::open(path, LONGEST).map_err(failed)?;
        let is_binary = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
        if is_binary {
            let mut bytes = Vec::new();
            file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
            let entries = polyglot::read(&bytes).ok_or_else(|| BookError::Length {
                path: path.to_owned(),
                bytes: bytes.len(),
            })?;
            if entries.is_empty() {
                return Err(BookError::NoGames(path.to_owned()));
            }
            return Ok(Book::from_entries(entries));
        }
        let mut builder = Builder::new(Rules::everything());
        let reading = Reading {
            assume: Some(Ruleset::Lichess),
            positions: Ruleset::Lichess,
            ..Reading::default()
        };
        for game in Source::of_files(vec![path.to_owned()], reading).flatten() {
            builder.add(&game);
        }
        if builder.games() == 0 {
            return Err(BookError::NoGames(path.to_owned()));
        }
        Ok(Book::from_entries(builder.entries()))
    }

    /// How many positions the book knows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.chunk_by(|a, b| a.key == b.key).count()
    }

    /// Whether the book knows nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The legal moves that the book has here, the heaviest first. `passed` is
    /// the square that the last move, a pawn's double step, passed over.
    #[must_use]
    pub fn moves(&self, position: &Position, passed: Option<Square>) -> Vec<(Move, u16)> {
        let key = polyglot::key(position, passed);
        let legal = position.legal_moves();
        let begin = self.entries.partition_point(|entry| entry.key < key);
        self.entries[begin..]
            .iter()
            .take_while(|entry| entry.key == key)
            .filter_map(|entry| {
                let m = legal
                    .iter()
                    .find(|&&m| PolyglotMove::new(m) == entry.m || entry.m.is_step_of(m))?;
                Some((*m, entry.weight))
            })
            .collect()
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
    use std::{collections::HashMap, fs};

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
        let book = Book::from_entries(vec![entry("e4", 1), entry("h4", 0), entry("Nf3", 3)]);
        let moves = book.moves(&start, None);
        assert_eq!(moves.iter().map(|&(_, w)| w).collect::<Vec<_>>(), [3, 1, 0]);
        let mut rng = fastrand::Rng::with_seed(1);
        let mut counts = HashMap::new();
        for _ in 0..1000 {
            let m = book.choose(&start, None, &mut rng).expect("a move");
            *counts.entry(start.san(m)).or_insert(0) += 1;
        }
        assert!((700..800).contains(&counts["Nf3"]), "{counts:?}");
        assert!(!counts.contains_key("h4"));
    }

    #[test]
    fn what_is_no_file_or_too_long_is_no_book() {
        let folder = std::env::temp_dir().join(format!("fission-book-{}", std::process::id()));
        let inside = folder.join("folder.pgn");
        fs::create_dir_all(&inside).expect("folders");
        fs::write(
            inside.join("game.pgn"),
            "[Variant \"Atomic\"]\n\n1. Nf3 f6 *\n",
        )
        .expect("a game");
        let long = folder.join("long.bin");
        let file = fs::File::create(&long).expect("a file");
        file.set_len(LONGEST + 16).expect("a length");
        assert!(Book::load(&inside.join("game.pgn")).is_ok());
        for path in [&inside, &folder, &long] {
            let error = Book::load(path).expect_err("no book");
            assert!(matches!(error, BookError::Io { .. }), "{error}");
        }
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn a_book_knows_each_position_once() {
        let entry = |key| Entry {
            key,
            m: PolyglotMove(1),
            weight: 1,
            learn: 0,
        };
        let book = Book::from_entries([7, 3, 7, 9, 3].map(entry).to_vec());
        assert_eq!(book.len(), 3);
    }
}
