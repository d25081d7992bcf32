//! Which engine plays, how it is started and what it is allowed.

use std::{
    env, io,
    path::PathBuf,
    process::{Command, Stdio},
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::time_control::{Limits, SecondsError, TimeControlError, parse_seconds};

/// The word that stands for the running program itself in `cmd=`.
pub const SELF: &str = "self";

/// One engine of a match, as written on the command line:
/// `cmd="node peer.js dir" name=sf tc=20+0.2 option.Hash=16`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EngineSpec {
    /// Name in tables and PGN; the engine's own `id name` when there is none.
    pub name: Option<String>,
    /// Program and arguments; `self` is the running program.
    pub command: Vec<String>,
    /// Working directory.
    pub directory: Option<PathBuf>,
    /// UCI options, sent in this order.
    pub options: Vec<(String, String)>,
    /// Limits of this engine; without any it plays under those of the match.
    pub limits: Limits,
    /// Whether the engine thinks in its opponent's time; `None` follows the match.
    pub ponder: Option<bool>,
    /// Starts a new process for every game.
    pub restart: bool,
}

impl Default for EngineSpec {
    fn default() -> Self {
        EngineSpec {
            name: None,
            command: vec![SELF.to_owned()],
            directory: None,
            options: Vec::new(),
            limits: Limits::default(),
            ponder: None,
            restart: false,
        }
    }
}

/// Text that does not describe an engine.
#[derive(Debug, Error)]
pub enum EngineSpecError {
    /// A word that is not one of the known keys.
    #[error(
        "'{0}' is not an engine setting: write cmd=, name=, dir=, option.NAME=, tc=, st=, depth=, nodes=, ponder= or restart="
    )]
    UnknownKey(String),
    /// A key with a value of the wrong kind.
    #[error("'{key}={value}' in an engine: expected {expected}")]
    Value {
        /// The key as written.
        key: String,
        /// The value as written.
        value: String,
        /// What would have been right.
        expected: &'static str,
    },
    /// A quote that does not end, or no program at all.
    #[error("'{0}' is not a command: it is empty or a quote is left open")]
    Command(String),
    /// See [`TimeControlError`].
    #[error(transparent)]
    TimeControl(#[from] TimeControlError),
    /// See [`SecondsError`].
    #[error(transparent)]
    Seconds(#[from] SecondsError),
}

impl EngineSpec {
    /// Reads `key=value` words; a first word without `=` is the command.
    ///
    /// # Errors
    ///
    /// When a key is unknown or a value is of the wrong kind.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<EngineSpec, EngineSpecError> {
        let mut spec = EngineSpec::default();
        for (index, word) in words.iter().map(AsRef::as_ref).enumerate() {
            match word.split_once('=') {
                Some((key, value)) => spec.set(key, value)?,
                None if index == 0 => spec.set("cmd", word)?,
                None => return Err(EngineSpecError::UnknownKey(word.to_owned())),
            }
        }
        Ok(spec)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), EngineSpecError> {
        match key {
            "cmd" => {
                self.command = split_command(value)
                    .filter(|words| !words.is_empty())
                    .ok_or_else(|| EngineSpecError::Command(value.to_owned()))?;
            }
            "name" => self.name = Some(value.to_owned()),
            "dir" => self.directory = Some(PathBuf::from(value)),
            "tc" => self.limits.clock = Some(value.parse()?),
            "st" => self.limits.move_time = Some(parse_seconds(value)?),
            "depth" => self.limits.depth = Some(parsed(key, value, "a number of plies")?),
            "nodes" => self.limits.nodes = Some(parsed(key, value, "a number of nodes")?),
            "ponder" => self.ponder = Some(switch(key, value)?),
            "restart" => self.restart = switch(key, value)?,
            _ => match key.strip_prefix("option.").filter(|name| !name.is_empty()) {
                Some(name) => self.options.push((name.to_owned(), value.to_owned())),
                None => return Err(EngineSpecError::UnknownKey(format!("{key}={value}"))),
            },
        }
        Ok(())
    }

    /// The command line as one text, for messages.
    #[must_use]
    pub fn command_text(&self) -> String {
        self.command.join(" ")
    }

    /// The command to start, with all its streams piped.
    pub(super) fn to_command(&self) -> io::Result<Command> {
        let (program, arguments) = self.command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = if program == SELF {
            Command::new(env::current_exe()?)
        } else {
            Command::new(program)
        };
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        Ok(command)
    }
}

fn parsed<T: FromStr>(
    key: &str,
    value: &str,
    expected: &'static str,
) -> Result<T, EngineSpecError> {
    value.parse().map_err(|_| EngineSpecError::Value {
        key: key.to_owned(),
        value: value.to_owned(),
        expected,
    })
}

fn switch(key: &str, value: &str) -> Result<bool, EngineSpecError> {
    match value {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => parsed(key, value, "on or off"),
    }
}

/// Splits a command at blanks, with single and double quotes around words that
/// hold blanks. `None` when a quote is left open.
fn split_command(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_engine_is_read_from_words() {
        let spec = EngineSpec::from_words(&[
            "cmd=node 'my peer.js' dir",
            "name=sf",
            "option.Move Overhead=5",
            "tc=20+0.2",
            "st=0.5",
            "nodes=1000",
            "ponder=on",
            "restart=on",
        ])
        .unwrap();
        assert_eq!(spec.command, ["node", "my peer.js", "dir"]);
        assert_eq!(spec.name.as_deref(), Some("sf"));
        assert_eq!(spec.options, [("Move Overhead".to_owned(), "5".to_owned())]);
        assert_eq!(spec.limits.clock, Some("20+0.2".parse().unwrap()));
        assert_eq!(spec.limits.move_time, Some(Duration::from_millis(500)));
        assert_eq!(
            (spec.limits.nodes, spec.ponder, spec.restart),
            (Some(1000), Some(true), true)
        );
    }

    #[test]
    fn without_a_command_the_program_plays_itself() {
        assert_eq!(
            EngineSpec::from_words(&["name=new"]).unwrap().command,
            [SELF]
        );
        assert_eq!(
            EngineSpec::from_words(&["./other"]).unwrap().command,
            ["./other"]
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (words, named) in [
            (vec!["cmd=x", "tcc=5"], "tcc=5"),
            (vec!["cmd=x", "nodes=many"], "nodes=many"),
            (vec!["cmd=x", "ponder=perhaps"], "ponder=perhaps"),
            (vec!["cmd='x"], "'x"),
            (vec!["cmd= "], "' '"),
            (vec!["cmd=x", "5+1"], "5+1"),
            (vec!["cmd=x", "tc=fast"], "fast"),
        ] {
            let error = EngineSpec::from_words(&words).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
