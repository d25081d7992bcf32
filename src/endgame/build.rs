//! Builds folders of tables: one ending after the other, each from those that
//! its moves lead to.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use thiserror::Error;

use super::{
    generate::{Known, Solution, solve, solver::Interrupted},
    material::Material,
    syzygy::{
        checksum::is_intact,
        file::{Kind, is_about},
        table::{TooLong, dtz_file, wdl_file},
    },
};

/// Tables could not be built.
#[derive(Debug, Error)]
pub enum BuildError {
    /// A file or the folder cannot be written.
    #[error("{path:?} cannot be written: {source}")]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The format has no room for the result.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// Ctrl-C. What is finished stays and need not be built again.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
}

/// What is told while tables are built.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The computation of an ending begins.
    Computing {
        /// The ending.
        material: Material,
        /// How many come before it.
        done: usize,
        /// How many there are in all.
        of: usize,
    },
    /// Its files are being compressed.
    Compressing(Material),
    /// Its files are there.
    Written {
        /// The ending.
        material: Material,
        /// The size of the WDL file in bytes.
        wdl: usize,
        /// The size of the DTZ file in bytes.
        dtz: usize,
        /// How long computing and writing took.
        time: Duration,
    },
    /// Its files were there before.
    Kept(Material),
}

/// The files of an ending in a folder, WDL first.
#[must_use]
pub fn files(folder: &Path, material: Material) -> [PathBuf; 2] {
    [Kind::Wdl, Kind::Dtz].map(|kind| folder.join(format!("{material}.{}", kind.extension())))
}

/// Everything that the tables of `materials` are computed from, themselves
/// included, each after what it needs.
#[must_use]
pub fn with_dependencies(materials: &[Material]) -> Vec<Material> {
    let mut all: Vec<Material> = Vec::new();
    let mut waiting = materials.to_vec();
    while let Some(material) = waiting.pop() {
        if !all.contains(&material) {
            all.push(material);
            waiting.extend(dependencies(material));
        }
    }
    all.sort_by_key(|material| (material.men(), material.pawns(), *material));
    all
}

/// The endings that one move from `material` may lead to.
fn dependencies(material: Material) -> impl Iterator<Item = Material> {
    material.promotions().chain(material.remainders())
}

/// Computes endings one by one and keeps what later ones need.
#[derive(Debug)]
pub struct Computation {
    order: Vec<Material>,
    next: usize,
    known: Known,
}

impl Computation {
    /// A computation of `materials` and all that they are computed from.
    #[must_use]
    pub fn new(materials: &[Material]) -> Computation {
        Computation {
            order: with_dependencies(materials),
            next: 0,
            known: Known::default(),
        }
    }

    /// The endings in the order in which [`next`](Computation::next) gives
    /// them.
    #[must_use]
    pub fn order(&self) -> &[Material] {
        &self.order
    }

    /// How many of them have been computed.
    #[must_use]
    pub fn done(&self) -> usize {
        self.next
    }

    /// The next ending; `None` at the end or when interrupted.
    pub fn next(&mut self, interrupted: Interrupted) -> Option<Solution> {
        let material = *self.order.get(self.next)?;
        let solution = solve(material, &self.known, interrupted)?;
        self.next += 1;
        let later = &self.order[self.next..];
        let is_needed = |known| {
            let needs = |&later: &Material| dependencies(later).any(|needed| needed == known);
            later.iter().any(needs)
        };
        self.known.retain(is_needed);
        if is_needed(material) {
            self.known.insert(solution.outcomes());
        }
        Some(solution)
    }
}

/// Builds the tables of `materials` in `folder`, and those that they are
/// computed from, for nobody can read a table without them. Those that are
/// there already and intact are left out.
///
/// # Errors
///
/// [`BuildError`]; whatever was finished before stays.
pub fn build(
    folder: &Path,
    materials: &[Material],
    interrupted: Interrupted,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<(), BuildError> {
    fs::create_dir_all(folder).map_err(unwritable(folder))?;
    let mut missing = Vec::new();
    for material in with_dependencies(materials) {
        if is_built(folder, material) {
            progress(Progress::Kept(material));
        } else {
            missing.push(material);
        }
    }
    let mut computation = Computation::new(&missing);
    let order = computation.order().to_vec();
    for (done, &material) in order.iter().enumerate() {
        let begin = Instant::now();
        progress(Progress::Computing {
            material,
            done,
            of: order.len(),
        });
        let solution = computation
            .next(interrupted)
            .ok_or(BuildError::Interrupted)?;
        if !missing.contains(&material) {
            continue;
        }
        progress(Progress::Compressing(material));
        let contents = [wdl_file(&solution), dtz_file(&solution)?];
        if interrupted() {
            return Err(BuildError::Interrupted);
        }
        for (path, bytes) in files(folder, material).iter().zip(&contents) {
            write_whole(path, bytes)?;
        }
        progress(Progress::Written {
            material,
            wdl: contents[0].len(),
            dtz: contents[1].len(),
            time: begin.elapsed(),
        });
    }
    Ok(())
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::Unwritable { path, source }
}

/// Writes a file so that under its name stands only a whole one.
///
/// # Errors
///
/// [`BuildError::Unwritable`]; nothing is left of it then.
pub fn write_whole(path: &Path, contents: &[u8]) -> Result<(), BuildError> {
    let unfinished = path.with_added_extension("part");
    let written = fs::write(&unfinished, contents).and_then(|()| fs::rename(&unfinished, path));
    written.map_err(|source| {
        // The first error is the one to tell.
        let _ = fs::remove_file(&unfinished);
        unwritable(path)(source)
    })
}

fn is_built(folder: &Path, material: Material) -> bool {
    let kinds = [Kind::Wdl, Kind::Dtz];
    kinds
        .iter()
        .zip(files(folder, material))
        .all(|(kind, path)| {
            fs::read(path).is_ok_and(|file| {
                file.starts_with(&kind.magic()) && is_intact(&file) && is_about(&file, material)
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_waits_for_its_promotions_and_what_captures_leave_and_no_other() {
        let material = "KRPvKR".parse().expect("a name");
        let needed = with_dependencies(&[material]);
        let names: Vec<_> = needed.iter().map(Material::to_string).collect();
        let (before, last) = names.split_at(names.len() - 1);
        assert_eq!(last, ["KRPvKR"]);
        let mut before = before.to_vec();
        before.sort();
        let promoted = ["KQRvKR", "KRBvKR", "KRNvKR", "KRRvKR"];
        let mut expected = [&["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"][..], &promoted].concat();
        expected.sort_unstable();
        assert_eq!(before, expected);
    }
}
