//! Remembers finished games on disk, so that an interrupted match can go on.
//!
//! One JSON object a line: first the settings of the match, then each finished
//! game. A match that goes on must have the settings it began with, except how
//! many games it has and how many are played at a time.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::record::GameRecord;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("cannot use the journal '{path}': {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another match writes to it.
    #[error("the journal '{0}' is in use by another match: name another one with --journal")]
    InUse(PathBuf),
    /// It is no journal, or damaged.
    #[error("'{path}' line {line} is not part of a match journal: {source}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// It belongs to another match.
    #[error(
        "the journal '{path}' is of a match with other settings: {setting} was {was} and is now {is}; use the same settings, or name another journal with --journal"
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        setting: String,
        /// Its value in the journal.
        was: String,
        /// Its value in the present match.
        is: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    run: String,
    settings: Value,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// Seconds of play when the game ended, over all sessions.
    played_seconds: f64,
    #[serde(flatten)]
    game: GameRecord,
}

/// An open journal, locked against other matches until it is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// What a journal says about the earlier sessions of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Past {
    /// Name of the run.
    pub run: String,
    /// Games finished.
    pub games: Vec<GameRecord>,
    /// Seconds of play.
    pub seconds: f64,
}

impl Journal {
    /// Begins a journal. One that is there already and holds games is kept under
    /// the same name with `.old` appended, and that name is returned.
    ///
    /// # Errors
    ///
    /// When the file cannot be written or another match uses it.
    pub fn create(
        path: &Path,
        run: &str,
        settings: &impl Serialize,
    ) -> Result<(Journal, Option<PathBuf>), JournalError> {
        let mut journal = Journal::open(path)?;
        let io_error = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        let length = journal.file.metadata().map_err(io_error)?.len();
        let mut kept = None;
        if length > 0 {
            let old = with_suffix(path, ".old");
            fs::rename(path, &old).map_err(io_error)?;
            journal = Journal::open(path)?;
            kept = Some(old);
        }
        let settings = serde_json::to_value(settings).map_err(|error| io_error(error.into()))?;
        journal.write_line(&Header {
            run: run.to_owned(),
            settings,
        })?;
        Ok((journal, kept))
    }

    /// Opens the journal of an interrupted match; `None` when there is none.
    /// Half a line at the end, as a crash leaves it, is cut off.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is damaged, is in use, or belongs to a match
    /// with other settings.
    pub fn resume(
        path: &Path,
        settings: &impl Serialize,
    ) -> Result<Option<(Journal, Past)>, JournalError> {
        let io_error = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        if !path.try_exists().map_err(io_error)? {
            return Ok(None);
        }
        let mut journal = Journal::open(path)?;
        let mut text = String::new();
        journal.file.read_to_string(&mut text).map_err(io_error)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        journal.file.set_len(whole as u64).map_err(io_error)?;
        journal.file.seek(SeekFrom::End(0)).map_err(io_error)?;
        let mut lines = text[..whole].lines().enumerate();
        let damaged = |index: usize| {
            move |source| JournalError::Damaged {
                path: path.to_owned(),
                line: index + 1,
                source,
            }
        };
        let Some((index, first)) = lines.next() else {
            return Ok(None);
        };
        let header: Header = serde_json::from_str(first).map_err(damaged(index))?;
        let settings = serde_json::to_value(settings).map_err(|error| io_error(error.into()))?;
        if let Some((setting, was, is)) = difference(&header.settings, &settings) {
            return Err(JournalError::OtherMatch {
                path: path.to_owned(),
                setting,
                was,
                is,
            });
        }
        let mut past = Past {
            run: header.run,
            games: Vec::new(),
            seconds: 0.0,
        };
        for (index, line) in lines {
            let entry: Entry = serde_json::from_str(line).map_err(damaged(index))?;
            past.seconds = entry.played_seconds;
            past.games.push(entry.game);
        }
        Ok(Some((journal, past)))
    }

    /// Adds a finished game; it is safe on disk when this returns.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn add(&mut self, game: &GameRecord, played_seconds: f64) -> Result<(), JournalError> {
        self.write_line(&Entry {
            played_seconds,
            game: game.clone(),
        })
    }

    fn open(path: &Path) -> Result<Journal, JournalError> {
        let io_error = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Journal {
                path: path.to_owned(),
                file,
            }),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(io_error(source)),
        }
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let written = serde_json::to_string(value)
            .map_err(io::Error::from)
            .and_then(|line| self.file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|source| JournalError::Io {
            path: self.path.clone(),
            source,
        })
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The first setting with different values, with both of them.
fn difference(was: &Value, is: &Value) -> Option<(String, String, String)> {
    let (Value::Object(was), Value::Object(is)) = (was, is) else {
        return (was != is).then(|| ("everything".to_owned(), was.to_string(), is.to_string()));
    };
    let value =
        |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    was.keys()
        .chain(is.keys())
        .find(|&key| was.get(key) != is.get(key))
        .map(|key| (key.clone(), value(was.get(key)), value(is.get(key))))
}

#[cfg(test)]
mod tests {
    use std::env;

    use serde_json::json;

    use super::*;
    use crate::tournament::record::{EndKind, GameId, Outcome};

    /// A file name in the temporary directory, removed when dropped.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("fission-{}-{name}.journal", std::process::id());
            Scratch(env::temp_dir().join(name))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
            let _ = fs::remove_file(with_suffix(&self.0, ".old"));
        }
    }

    fn game(number: u32) -> GameRecord {
        GameRecord {
            run: "run".to_owned(),
            id: GameId {
                pairing: 0,
                game: number,
            },
            white: "a".to_owned(),
            black: "b".to_owned(),
            opening: String::new(),
            result: Outcome::Draw,
            end: EndKind::Rules,
            reason: "stalemate".to_owned(),
            plies: 3,
            white_seconds: 0.25,
            black_seconds: 0.5,
            preparing_seconds: 0.25,
            faults: Vec::new(),
        }
    }

    #[test]
    fn finished_games_come_back_even_after_half_a_line() {
        let scratch = Scratch::new("half-line");
        let settings = json!({ "seed": 1 });
        let (mut journal, kept) = Journal::create(&scratch.0, "run", &settings).unwrap();
        assert_eq!(kept, None);
        journal.add(&game(0), 1.5).unwrap();
        journal.add(&game(1), 2.5).unwrap();
        journal.file.write_all(b"{\"played_sec").unwrap();
        drop(journal);
        let (mut journal, past) = Journal::resume(&scratch.0, &settings).unwrap().unwrap();
        let games = vec![game(0), game(1)];
        assert_eq!(
            past,
            Past {
                run: "run".to_owned(),
                games,
                seconds: 2.5
            }
        );
        journal.add(&game(2), 3.5).unwrap();
        drop(journal);
        let (_journal, past) = Journal::resume(&scratch.0, &settings).unwrap().unwrap();
        assert_eq!(past.games.len(), 3);
    }

    #[test]
    fn another_match_is_not_continued_and_not_overwritten() {
        let scratch = Scratch::new("other");
        let (mut journal, _) = Journal::create(&scratch.0, "run", &json!({ "seed": 1 })).unwrap();
        journal.add(&game(0), 1.0).unwrap();
        assert!(matches!(
            Journal::resume(&scratch.0, &json!({ "seed": 1 })),
            Err(JournalError::InUse(_))
        ));
        drop(journal);
        let error = Journal::resume(&scratch.0, &json!({ "seed": 2 }))
            .unwrap_err()
            .to_string();
        assert!(error.contains("seed was 1 and is now 2"), "{error}");
        let (_, kept) = Journal::create(&scratch.0, "new", &json!({})).unwrap();
        let (_, past) = Journal::resume(&kept.unwrap(), &json!({ "seed": 1 }))
            .unwrap()
            .unwrap();
        assert_eq!(past.games.len(), 1);
    }

    #[test]
    fn damage_is_named_by_line() {
        let scratch = Scratch::new("damage");
        fs::write(&scratch.0, "{\"run\":\"x\",\"settings\":{}}\nnonsense\n").unwrap();
        let error = Journal::resume(&scratch.0, &json!({}))
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 2"), "{error}");
        assert!(
            Journal::resume(Path::new("no such journal"), &json!({}))
                .unwrap()
                .is_none()
        );
    }
}
