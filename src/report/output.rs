//! Files that reports are appended to, and the state that lets an interrupted
//! analysis go on.
//!
//! Everything is written in the order of the input and only ever appended, so
//! the state is small: how many games are done and how long each file was then.
//! Whatever was written after that is cut off before going on, and the files of
//! an interrupted analysis end up the same as those of one that ran through.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A file that grows.
#[derive(Debug)]
pub struct Appender {
    path: PathBuf,
    file: File,
    length: u64,
}

/// What went wrong with an output.
#[derive(Debug, Error)]
pub enum OutputError {
    /// A file cannot be written.
    #[error("{path}: cannot be written: {source}", path = .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The state is no state.
    #[error("{path}: not the state of an analysis: {source}", path = .path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// A file of the interrupted analysis is shorter than it was.
    #[error("{path}: shorter than the analysis left it; it cannot go on", path = .path.display())]
    Shorter {
        /// The file.
        path: PathBuf,
    },
}

impl Appender {
    /// Opens the file and keeps its first `length` bytes.
    ///
    /// # Errors
    ///
    /// When it cannot be written or is shorter than that.
    pub fn open(path: &Path, length: u64) -> Result<Appender, OutputError> {
        let failed = |source| OutputError::Write {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        if file.metadata().map_err(failed)?.len() < length {
            return Err(OutputError::Shorter {
                path: path.to_owned(),
            });
        }
        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Appender {
            path: path.to_owned(),
            file,
            length,
        })
    }

    /// Adds to the end.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn append(&mut self, text: &str) -> Result<(), OutputError> {
        self.file
            .write_all(text.as_bytes())
            .map_err(|source| OutputError::Write {
                path: self.path.clone(),
                source,
            })?;
        self.length += text.len() as u64;
        Ok(())
    }

    /// Bytes in the file.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// How far an analysis has come.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct State {
    /// What was asked for; only the same goes on.
    pub task: String,
    /// Games and positions of the input that are done, skipped ones included.
    pub done: usize,
    /// How many of them were skipped.
    pub skipped: usize,
    /// Games that were judged.
    pub judged: usize,
    /// The length of each output file.
    pub lengths: Vec<u64>,
}

impl State {
    /// The state of an earlier analysis, if one was interrupted.
    ///
    /// # Errors
    ///
    /// When the file is there but is no state.
    pub fn load(path: &Path) -> Result<Option<State>, OutputError> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(OutputError::Write {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|source| OutputError::State {
                path: path.to_owned(),
                source,
            })
    }

    /// Saves the state; a crash leaves the old or the new one.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), OutputError> {
        let failed = |source| OutputError::Write {
            path: path.to_owned(),
            source,
        };
        let text = serde_json::to_string(self).map_err(|source| OutputError::State {
            path: path.to_owned(),
            source,
        })?;
        let mut fresh = path.as_os_str().to_owned();
        fresh.push(".new");
        fs::write(&fresh, text).map_err(failed)?;
        fs::rename(&fresh, path).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_after_the_last_state_is_cut_off() {
        let folder = std::env::temp_dir().join(format!("fission-output-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("out");
        let mut file = Appender::open(&path, 0).expect("a file");
        file.append("one\n").expect("to be written");
        let kept = file.length();
        file.append("tw").expect("to be written");
        let mut file = Appender::open(&path, kept).expect("a file");
        file.append("two\n").expect("to be written");
        assert_eq!(fs::read_to_string(&path).expect("text"), "one\ntwo\n");
        assert!(matches!(
            Appender::open(&path, 100),
            Err(OutputError::Shorter { .. })
        ));

        let state = State {
            task: "x".to_owned(),
            done: 3,
            lengths: vec![4],
            ..State::default()
        };
        let place = folder.join("state");
        assert_eq!(State::load(&place).expect("nothing"), None);
        state.save(&place).expect("to be saved");
        assert_eq!(State::load(&place).expect("a state"), Some(state));
        fs::write(&place, "{").expect("to be written");
        assert!(State::load(&place).is_err());
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
