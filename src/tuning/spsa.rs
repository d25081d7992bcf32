//! Simultaneous perturbation: the values, their steps, and how they are kept.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::path;
use crate::search::parameters::{PARAMETERS, Values, named};

/// How fast steps shrink, as usual for the method.
const ALPHA: f64 = 0.602;
/// How fast changes shrink.
const GAMMA: f64 = 0.101;

/// A number that is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its index in [`PARAMETERS`].
    index: usize,
    /// Where it is now.
    value: f64,
    /// How far it is changed at the end of the run.
    change: f64,
}

impl Subject {
    /// The number of that name, from its default on.
    ///
    /// # Errors
    ///
    /// [`TuneError::Unknown`] if there is no such number.
    pub fn named(name: &str) -> Result<Subject, TuneError> {
        let index = named(name).ok_or_else(|| TuneError::Unknown(name.to_owned()))?;
        let parameter = &PARAMETERS[index];
        Ok(Subject {
            index,
            value: f64::from(parameter.default),
            change: (f64::from(parameter.high - parameter.low) / 16.0)
                .min(f64::from(parameter.default.abs()) / 5.0)
                .max(1.0),
        })
    }

    /// Every number.
    #[must_use]
    pub fn all() -> Vec<Subject> {
        PARAMETERS
            .iter()
            .filter_map(|parameter| Subject::named(parameter.name).ok())
            .collect()
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        PARAMETERS[self.index].name
    }

    /// Where it is now.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }
}

/// Why tuning stopped.
#[derive(Debug, Error)]
pub enum TuneError {
    /// No number has that name.
    #[error("no number of the search is called {0:?}: `setoption` names them all")]
    Unknown(String),
    /// The file of the path cannot be written or read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is the path of other numbers.
    #[error("{0}: the path of other numbers; choose another folder or the same numbers")]
    Other(PathBuf),
}

/// A run: the numbers, and how far it is.
#[derive(Debug)]
pub struct Spsa {
    subjects: Vec<Subject>,
    /// Pairs of games that are planned.
    planned: u64,
    /// Pairs of games that are over.
    done: u64,
    /// How strongly numbers move at the end, relative to the change.
    rate: f64,
    /// Values after every so many pairs, for the picture.
    path: Vec<(u64, Vec<f64>)>,
}

/// A toss of all coins: what to play, and what to move then.
#[derive(Clone, Debug)]
pub struct Toss {
    changes: Vec<f64>,
    /// What a pair won moves a number by, for each unit of its change.
    step: f64,
}

impl Spsa {
    /// A run of `planned` pairs of games.
    #[must_use]
    pub fn new(subjects: Vec<Subject>, planned: u64, rate: f64) -> Spsa {
        let mut spsa = Spsa {
            subjects,
            planned: planned.max(1),
            done: 0,
            rate,
            path: Vec::new(),
        };
        spsa.note();
        spsa
    }

    /// Pairs of games that are over.
    #[must_use]
    pub const fn done(&self) -> u64 {
        self.done
    }

    /// The numbers as they are.
    #[must_use]
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// Tosses the coins and gives the two players their values.
    pub fn toss(&self, rng: &mut fastrand::Rng, values: [&Values; 2]) -> Toss {
        let now = (self.done + 1) as f64;
        let planned = self.planned as f64;
        let stability = planned / 10.0;
        let shrunk = (planned / now).powf(GAMMA);
        let rate = self.rate * ((stability + planned) / (stability + now)).powf(ALPHA);
        let changes: Vec<f64> = self
            .subjects
            .iter()
            .map(|subject| subject.change * shrunk * if rng.bool() { 1.0 } else { -1.0 })
            .collect();
        for (player, sign) in values.into_iter().zip([1.0, -1.0]) {
            for (subject, change) in self.subjects.iter().zip(&changes) {
                // Rounded at random, so that small changes count on average.
                let value = (subject.value + sign * change + rng.f64()).floor();
                player.set(subject.index, value as i32);
            }
        }
        Toss {
            changes,
            step: rate / (shrunk * shrunk),
        }
    }

    /// Learns that the first player won a pair by `won` points.
    pub fn learn(&mut self, toss: &Toss, won: i32) {
        for (subject, change) in self.subjects.iter_mut().zip(&toss.changes) {
            let parameter = &PARAMETERS[subject.index];
            subject.value = (subject.value + toss.step * change * f64::from(won))
                .clamp(f64::from(parameter.low), f64::from(parameter.high));
        }
        self.done += 1;
        if self.done.is_multiple_of((self.planned / 200).max(1)) {
            self.note();
        }
    }

    fn note(&mut self) {
        let values = self.subjects.iter().map(|subject| subject.value).collect();
        self.path.push((self.done, values));
    }

    /// Writes the path as a table (`path.tsv`) and as a picture (`path.svg`).
    ///
    /// # Errors
    ///
    /// [`TuneError::Io`] if a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), TuneError> {
        let io = |path: &Path, source| TuneError::Io {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
        let table = folder.join("path.tsv");
        let mut path = self.path.clone();
        if path.last().is_none_or(|(done, _)| *done != self.done) {
            let values = self.subjects.iter().map(|subject| subject.value).collect();
            path.push((self.done, values));
        }
        // Whole or not at all, so that a kill leaves the last path.
        let draft = folder.join("path.tsv.new");
        fs::write(&draft, path::table(&self.subjects, &path)).map_err(|error| io(&draft, error))?;
        fs::rename(&draft, &table).map_err(|error| io(&table, error))?;
        let picture = folder.join("path.svg");
        fs::write(&picture, path::svg(&self.subjects, &path)).map_err(|error| io(&picture, error))
    }

    /// Goes on where the table in `folder` ends, if there is one.
    ///
    /// # Errors
    ///
    /// [`TuneError`] if the table cannot be read or is of other numbers.
    pub fn resume(&mut self, folder: &Path) -> Result<(), TuneError> {
        let file = folder.join("path.tsv");
        let table = match fs::read_to_string(&file) {
            Ok(table) => table,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(TuneError::Io { path: file, source }),
        };
        let Some(path) = path::read(&self.subjects, &table) else {
            return Err(TuneError::Other(file));
        };
        if let Some((done, values)) = path.last() {
            self.done = *done;
            for (subject, value) in self.subjects.iter_mut().zip(values) {
                subject.value = *value;
            }
        }
        self.path = path;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_to_where_games_are_won() {
        let subjects = vec![
            Subject::named("futility_margin").expect("a number"),
            Subject::named("aspiration").expect("a number"),
        ];
        let index = subjects[0].index;
        let mut spsa = Spsa::new(subjects, 4_000, 0.002);
        let players = [Values::leaked(), Values::leaked()];
        let mut rng = fastrand::Rng::with_seed(1);
        let start = spsa.subjects()[0].value();
        for _ in 0..4_000 {
            let toss = spsa.toss(&mut rng, players);
            // The greater margin wins two pairs of three.
            let greater = if toss.changes[0] > 0.0 { 1 } else { -1 };
            spsa.learn(&toss, if rng.u32(..3) < 2 { greater } else { -greater });
        }
        assert_eq!(spsa.subjects()[0].index, index);
        assert!(spsa.subjects()[0].value() > start + 10.0);
    }

    #[test]
    fn a_run_goes_on_from_its_table() {
        let folder = std::env::temp_dir().join(format!("fission-spsa-{}", std::process::id()));
        let subjects = || vec![Subject::named("aspiration").expect("a number")];
        let mut spsa = Spsa::new(subjects(), 100, 0.002);
        let players = [Values::leaked(), Values::leaked()];
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..10 {
            let toss = spsa.toss(&mut rng, players);
            spsa.learn(&toss, 2);
        }
        spsa.write(&folder).expect("files");
        let mut second = Spsa::new(subjects(), 100, 0.002);
        second.resume(&folder).expect("the table");
        assert_eq!(second.done(), 10);
        assert!((second.subjects()[0].value() - spsa.subjects()[0].value()).abs() < 1e-3);
        let mut other = Spsa::new(Subject::all(), 100, 0.002);
        assert!(matches!(other.resume(&folder), Err(TuneError::Other(_))));
        fs::remove_dir_all(&folder).expect("cleaning up");
    }
}
