//! Endgame tables in Syzygy files of atomic chess (`.atbw` and `.atbz`).
//!
//! They hold exact results under lichess rules for few men. A king that can be
//! exploded at once comes before any table.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use shakmaty::{Color, variant::Atomic};
use shakmaty_syzygy::{AmbiguousWdl, Tablebase};
use thiserror::Error;

use crate::rules::{Position, movegen::king_blast};

/// A folder of tables, opened for reading. Clones share the files.
#[derive(Clone)]
pub struct Tables {
    folder: PathBuf,
    tables: Arc<Tablebase<Atomic>>,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tables").field(&self.folder).finish()
    }
}

/// A folder has no tables to offer.
#[derive(Debug, Error)]
pub enum TablesError {
    /// It cannot be read.
    #[error("the folder {folder:?} of endgame tables cannot be read: {source}")]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It has no tables of atomic chess.
    #[error("the folder {0:?} has no endgame tables of atomic chess (.atbw and .atbz files)")]
    Empty(PathBuf),
}

impl Tables {
    /// Opens the tables of a folder.
    ///
    /// # Errors
    ///
    /// [`TablesError`] if there are none.
    pub fn open(folder: &Path) -> Result<Tables, TablesError> {
        let mut tables = Tablebase::new();
        let count = tables
            .add_directory(folder)
            .map_err(|source| TablesError::Unreadable {
                folder: folder.to_owned(),
                source,
            })?;
        if count == 0 {
            return Err(TablesError::Empty(folder.to_owned()));
        }
        Ok(Tables {
            folder: folder.to_owned(),
            tables: Arc::new(tables),
        })
    }

    /// Where the tables lie.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The result of `position` with best play from both sides, the fifty-move
    /// rule included: `Some(None)` is a draw. `None` if the tables do not tell:
    /// too many men, castling rights, other rules than lichess's, a missing or
    /// damaged file, or a clock so far gone that rounding leaves it open.
    #[must_use]
    pub fn winner(&self, position: &Position) -> Option<Option<Color>> {
        let us = position.turn();
        let atomic = position.to_atomic()?;
        if position.board().occupied().count() > self.tables.max_pieces() {
            return None;
        }
        if king_blast(position, us).is_some() {
            return Some(Some(us));
        }
        match self.tables.probe_wdl(&atomic).ok()? {
            AmbiguousWdl::Win => Some(Some(us)),
            AmbiguousWdl::Loss => Some(Some(!us)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(None),
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn tables() -> Tables {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/data/tables");
        Tables::open(&folder).expect("tables for tests")
    }

    fn winner(fen: &str, ruleset: Ruleset) -> Option<Option<Color>> {
        tables().winner(&Position::from_fen(fen, ruleset).expect("test FEN"))
    }

    #[test]
    fn tables_tell_won_and_drawn_endings() {
        let apart = "8/8/8/8/6k1/8/6KQ/8 w - - 0 1";
        assert_eq!(winner(apart, Ruleset::Lichess), Some(Some(Color::White)));
        let touching = "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1";
        assert_eq!(winner(touching, Ruleset::Lichess), Some(None));
    }

    #[test]
    fn tables_are_silent_about_what_they_do_not_know() {
        let icc = "8/8/8/8/6k1/8/6KQ/8 w - - 0 1";
        assert_eq!(winner(icc, Ruleset::Icc), None);
        let other_men = "8/8/8/8/6k1/8/6KR/8 w - - 0 1";
        assert_eq!(winner(other_men, Ruleset::Lichess), None);
        let many = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(winner(many, Ruleset::Lichess), None);
    }

    #[test]
    fn a_folder_without_tables_is_named() {
        let missing = Tables::open(Path::new("no-such-folder")).expect_err("missing");
        assert!(missing.to_string().contains("no-such-folder"));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let empty = Tables::open(&folder).expect_err("no tables");
        assert!(matches!(empty, TablesError::Empty(_)));
    }
}
