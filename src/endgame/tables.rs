//! Looking up positions in Syzygy files of atomic chess (`.atbw`, `.atbz`).
//!
//! They hold exact results under lichess rules for few men. A king that can be
//! exploded at once comes before any table. The program carries the tables of
//! three and four men; folders add larger ones.

use std::{
    collections::{BTreeMap, HashSet},
    fmt, fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use shakmaty::Color;
use shakmaty_syzygy::{
    AmbiguousWdl, Dtz, MaybeRounded, SyzygyError, Tablebase, filesystem::Filesystem,
};
use thiserror::Error;

use super::{
    material::Material,
    storage::{Storage, embedded_paths},
    syzygy::{
        checksum::is_intact,
        file::{HEADER, Kind, is_about},
    },
    table_position::TablePosition,
};
use crate::rules::{Position, movegen::king_blast};

pub use shakmaty_syzygy::Wdl;

/// The most men of the tables in the program, which has all up to these.
const EMBEDDED_MEN: usize = 4;

/// Files up to this size are read and checked in whole when a folder is opened.
const CHECKED_IN_WHOLE: u64 = 4 << 20;

/// Tables, opened for reading. Clones share the files.
#[derive(Clone)]
pub struct Tables {
    folders: Vec<PathBuf>,
    inner: Arc<Inner>,
}

struct Inner {
    tables: Tablebase<TablePosition>,
    /// What was found wrong while looking up, for telling it once.
    faults: Mutex<Faults>,
}

#[derive(Default)]
struct Faults {
    seen: HashSet<String>,
    untold: Vec<String>,
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tables").field(&self.folders).finish()
    }
}

/// A folder or a file has no tables to offer.
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
    /// It has only tables of another kind of chess.
    #[error(
        "the folder {folder:?} has no endgame tables of atomic chess (.atbw and .atbz files), \
         but of another variant: {example}"
    )]
    OtherVariant {
        /// The folder.
        folder: PathBuf,
        /// One of its files.
        example: String,
    },
    /// A file does not begin as a table of atomic chess does.
    #[error("{0:?} is not a table of atomic chess: left out")]
    Foreign(PathBuf),
    /// A file's name is none that a table may have.
    #[error("{0:?} is not named like a table of up to six men (KQvK, KRPvKN): left out")]
    Misnamed(PathBuf),
    /// A file has the table of other men than its name says.
    #[error("{0:?} is the table of other men than its name says: left out")]
    OtherMen(PathBuf),
    /// A file is too short or does not fit its checksum.
    #[error("{0:?} is damaged or cut short: left out")]
    Damaged(PathBuf),
    /// A table has only one of its two files.
    #[error("{material}.{there} is there without {material}.{missing}: {use_of}", there = .there.extension(),
        missing = .there.other().extension(), use_of = use_of(*.there))]
    Half {
        /// The ending.
        material: Material,
        /// Which file is there.
        there: Kind,
    },
    /// A file cannot be read.
    #[error("{path:?} cannot be read ({source}): left out")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What one file of a table is good for without the other.
fn use_of(there: Kind) -> &'static str {
    match there {
        Kind::Wdl => "used within the search, but the moves of such a position are not ranked",
        Kind::Dtz => "not used",
    }
}

/// Which files of each table folders have; both for one that is named for a fault
/// of a file.
type Halves = BTreeMap<Material, Vec<Kind>>;

/// An error for each table that has only one file and is not among the embedded
/// ones.
fn incomplete(halves: Halves) -> impl Iterator<Item = TablesError> {
    let single = halves.into_iter().filter_map(|(material, kinds)| {
        let there = *kinds.first()?;
        let is_whole = kinds.contains(&there.other()) || material.men() <= EMBEDDED_MEN;
        (!is_whole).then_some((material, there))
    });
    single.map(|(material, there)| TablesError::Half { material, there })
}

impl Tables {
    /// The tables of three and four men that the program carries.
    #[must_use]
    pub fn embedded() -> Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        let open = || Tables::gathered(Tablebase::with_filesystem(Arc::new(Storage::default())));
        TABLES.get_or_init(open).clone()
    }

    /// Opens the tables of a folder, and no others.
    ///
    /// # Errors
    ///
    /// [`TablesError`] if there are none or one is not as it should be.
    pub fn open(folder: &Path) -> Result<Tables, TablesError> {
        let (tables, faults) = Tables::of_folder(folder);
        faults.into_iter().next().map_or(Ok(tables), Err)
    }

    /// The tables of a folder, and the embedded ones of other men, for which
    /// larger tables ask; with one error for each file that is not as it
    /// should be.
    #[must_use]
    pub fn completed(folder: &Path) -> (Tables, Vec<TablesError>) {
        let mut tables = Tablebase::with_filesystem(Arc::new(Storage::default()));
        add_embedded(&mut tables);
        let faults = add_folders(&mut tables, &[folder.to_owned()]);
        (Tables::new(tables, vec![folder.to_owned()]), faults)
    }

    /// The tables of a folder, and no others, with one error for each file that
    /// is not as it should be.
    #[must_use]
    pub fn of_folder(folder: &Path) -> (Tables, Vec<TablesError>) {
        let mut tables = Tablebase::with_filesystem(Arc::new(Storage::default()));
        let faults = add_folders(&mut tables, &[folder.to_owned()]);
        (Tables::new(tables, vec![folder.to_owned()]), faults)
    }

    /// The embedded tables and those of `folders`, with one error for each
    /// folder or file that has nothing to offer.
    #[must_use]
    pub fn with_folders(folders: &[PathBuf]) -> (Tables, Vec<TablesError>) {
        let mut tables = Tablebase::with_filesystem(Arc::new(Storage::default()));
        let faults = add_folders(&mut tables, folders);
        let mut tables = Tables::gathered(tables);
        tables.folders = folders.to_vec();
        (tables, faults)
    }

    /// Adds the embedded tables, which come before others of the same men.
    fn gathered(mut tables: Tablebase<TablePosition>) -> Tables {
        add_embedded(&mut tables);
        Tables::new(tables, Vec::new())
    }

    fn new(tables: Tablebase<TablePosition>, folders: Vec<PathBuf>) -> Tables {
        Tables {
            folders,
            inner: Arc::new(Inner {
                tables,
                faults: Mutex::default(),
            }),
        }
    }

    /// Where tables lie beside those in the program.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The most men that any table has.
    #[must_use]
    pub fn max_men(&self) -> usize {
        self.inner.tables.max_pieces()
    }

    /// What was found wrong with files since the last call; each file is named
    /// once.
    #[must_use]
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.faults().untold)
    }

    fn faults(&self) -> std::sync::MutexGuard<'_, Faults> {
        let faults = &self.inner.faults;
        faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value that was looked up, or `None`, with a note of a damaged file.
    /// That a table is not there is no fault.
    fn noted<T>(&self, result: Result<T, SyzygyError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(SyzygyError::ProbeFailed {
                metric, material, ..
            }) => {
                let name = format!("the {metric} table of {material} is damaged: not used there");
                let mut faults = self.faults();
                if faults.seen.insert(name.clone()) {
                    faults.untold.push(name);
                }
                None
            }
            Err(_) => None,
        }
    }

    /// The result of a position directly after a capture or pawn move, for the
    /// side to move. `None` if the tables do not tell: too many men, castling
    /// rights, rules other than lichess's, a missing or damaged file.
    #[must_use]
    pub fn wdl(&self, position: &Position) -> Option<Wdl> {
        if position.board().occupied().count() > self.max_men() {
            return None;
        }
        let subject = TablePosition::new(position)?;
        if king_blast(position, position.turn()).is_some() {
            return Some(Wdl::Win);
        }
        self.noted(self.inner.tables.probe_wdl_after_zeroing(&subject))
    }

    /// The distance in plies to the next capture, pawn move or mate, positive
    /// for the side to move if it wins, up to one less than the truth. Beyond
    /// 100 the fifty-move rule makes it a draw. `None` as for
    /// [`wdl`](Tables::wdl).
    #[must_use]
    pub fn dtz(&self, position: &Position) -> Option<MaybeRounded<Dtz>> {
        if position.board().occupied().count() > self.max_men() {
            return None;
        }
        let subject = TablePosition::new(position)?;
        if king_blast(position, position.turn()).is_some() {
            return Some(MaybeRounded::Precise(Dtz(1)));
        }
        self.noted(self.inner.tables.probe_dtz(&subject))
    }

    /// The result of `position` with best play from both sides, the fifty-move
    /// rule included: `Some(None)` is a draw. `None` as for
    /// [`wdl`](Tables::wdl), or if the clock is so far gone that rounding
    /// leaves it open.
    #[must_use]
    pub fn winner(&self, position: &Position) -> Option<Option<Color>> {
        let us = position.turn();
        let dtz = self.dtz(position)?;
        match AmbiguousWdl::from_dtz_and_halfmoves(dtz, position.halfmoves()) {
            AmbiguousWdl::Win => Some(Some(us)),
            AmbiguousWdl::Loss => Some(Some(!us)),
            AmbiguousWdl::Draw | AmbiguousWdl::CursedWin | AmbiguousWdl::BlessedLoss => Some(None),
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }
}

/// Adds the embedded tables; what is added last comes before others of the same
/// men.
fn add_embedded(tables: &mut Tablebase<TablePosition>) {
    for path in embedded_paths() {
        // Its name is that of a table, and its size was checked when it was
        // made; else it is as if it were not there.
        let _ = tables.add_file(path);
    }
}

/// Adds the tables of folders and returns what is wrong with them.
fn add_folders(tables: &mut Tablebase<TablePosition>, folders: &[PathBuf]) -> Vec<TablesError> {
    let mut halves = Halves::new();
    let mut faults = Vec::new();
    for folder in folders {
        faults.extend(add_folder(tables, folder, &mut halves));
    }
    faults.extend(incomplete(halves));
    faults
}

/// Adds the tables of a folder, notes them in `halves` and returns what is wrong
/// with it.
fn add_folder(
    tables: &mut Tablebase<TablePosition>,
    folder: &Path,
    halves: &mut Halves,
) -> Vec<TablesError> {
    let paths = match Storage::default().read_dir(folder) {
        Ok(paths) => paths,
        Err(source) => {
            let folder = folder.to_owned();
            return vec![TablesError::Unreadable { folder, source }];
        }
    };
    let mut faults = Vec::new();
    let (mut count, mut other) = (0, None);
    for path in paths {
        let extension = path.extension().and_then(|ext| ext.to_str()).unwrap_or("");
        let kind = [Kind::Wdl, Kind::Dtz]
            .into_iter()
            .find(|kind| kind.extension() == extension);
        let Some(kind) = kind else {
            if extension.len() == 4 && extension[1..].starts_with("tb") {
                other = path
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned());
            }
            continue;
        };
        count += 1;
        let fault = match examine(&path, kind) {
            Ok(()) => tables
                .add_file(&path)
                .err()
                .map(|source| TablesError::UnreadableFile {
                    path: path.clone(),
                    source,
                }),
            Err(fault) => Some(fault),
        };
        if let Some(material) = material_of(&path) {
            let kinds = halves.entry(material).or_default();
            kinds.push(kind);
            if fault.is_some() {
                // An ending that is named for one file is not named again for
                // the other one.
                kinds.push(kind.other());
            }
        }
        faults.extend(fault);
    }
    if count == 0 {
        let folder = folder.to_owned();
        faults.push(match other {
            Some(example) => TablesError::OtherVariant { folder, example },
            None => TablesError::Empty(folder),
        });
    }
    faults
}

/// The ending that a file's name says.
fn material_of(path: &Path) -> Option<Material> {
    path.file_stem()?.to_str().and_then(Material::of_table)
}

/// Looks whether a file can be what its name says.
fn examine(path: &Path, kind: Kind) -> Result<(), TablesError> {
    let unreadable = |source| TablesError::UnreadableFile {
        path: path.to_owned(),
        source,
    };
    let Some(material) = material_of(path) else {
        return Err(TablesError::Misnamed(path.to_owned()));
    };
    let mut file = fs::File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::new();
    let wanted = if size <= CHECKED_IN_WHOLE {
        size
    } else {
        HEADER as u64
    };
    (&mut file)
        .take(wanted)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() >= 4 && !bytes.starts_with(&kind.magic()) {
        Err(TablesError::Foreign(path.to_owned()))
    } else if size % 64 != 16 || (size <= CHECKED_IN_WHOLE && !is_intact(&bytes)) {
        Err(TablesError::Damaged(path.to_owned()))
    } else if !is_about(&bytes, material) {
        Err(TablesError::OtherMen(path.to_owned()))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_its_other_file_is_named_unless_the_program_has_it() {
        let material = |name: &str| -> Material { name.parse().expect("a table") };
        let halves = Halves::from([
            (material("KQvK"), vec![Kind::Wdl]),
            (material("KQQvKQ"), vec![Kind::Dtz]),
            (material("KRRvKR"), vec![Kind::Wdl]),
            (material("KRPvKR"), vec![Kind::Dtz, Kind::Wdl]),
        ]);
        let mut told: Vec<String> = incomplete(halves).map(|fault| fault.to_string()).collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [
                "KQQvKQ.atbz is there without KQQvKQ.atbw: not used",
                "KRRvKR.atbw is there without KRRvKR.atbz: used within the search, but the moves \
                 of such a position are not ranked",
            ]
        );
    }
}
