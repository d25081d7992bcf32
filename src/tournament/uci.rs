//! The referee's side of UCI: one engine, spoken to in the order the protocol
//! wants, with every way of failing told apart.
//!
//! The value of `UCI_Variant` is sent in the letter case that the engine lists,
//! since engines compare it literally.

use std::{
    io,
    time::{Duration, Instant},
};

use thiserror::Error;

use super::{
    engine::EngineSpec,
    info::SearchInfo,
    process::{EngineProcess, Received},
    stop::StopSignal,
};
use crate::rules::Ruleset;

/// Why an engine cannot go on.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The program could not be started.
    #[error("cannot start '{command}': {source}")]
    Start {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// It said nothing when it should have answered.
    #[error("did not answer '{asked}' within {} s", .patience.as_secs_f64())]
    Silent {
        /// What it was asked.
        asked: &'static str,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The process ended.
    #[error("ended unexpectedly: {0}")]
    Crashed(String),
    /// It closed its output but still runs.
    #[error("closed its output while still running")]
    Disconnected,
    /// It lacks the variant or Chess960.
    #[error("{0}")]
    Unsupported(String),
    /// The match is being stopped.
    #[error("stopped")]
    Stopped,
}

/// What the engine answered to `go`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BestMove {
    /// The move as the engine wrote it.
    pub text: String,
    /// The reply it expects.
    pub ponder: Option<String>,
    /// When it answered.
    pub at: Instant,
    /// What it said about its search.
    pub info: SearchInfo,
}

/// How waiting for a move ended.
#[derive(Debug)]
pub enum Answer {
    /// The engine moved, be it in time or not.
    Move(BestMove),
    /// The deadline passed and the engine still thinks.
    Pending,
}

/// How long to wait for a move.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// Until this moment.
    Until(Instant),
    /// As long as some line comes within the engine's patience for silence.
    WhileTalking,
}

/// Settings for all engines of a match.
#[derive(Clone, Debug)]
pub struct Manners {
    /// The rules to play by.
    pub ruleset: Ruleset,
    /// Options for every engine that lists them.
    pub options: Vec<(String, String)>,
    /// How long an engine may be silent where no clock runs.
    pub silence: Duration,
    /// Ends all waiting.
    pub stop: StopSignal,
}

/// A running UCI engine that has answered its handshake.
#[derive(Debug)]
pub struct UciEngine {
    process: EngineProcess,
    manners: Manners,
    id_name: Option<String>,
    options: Vec<UciOption>,
    chess960: bool,
    pondering: Option<String>,
    info: SearchInfo,
}

#[derive(Debug)]
struct UciOption {
    name: String,
    values: Vec<String>,
    /// Lowest and highest number of a `spin`.
    range: Option<(i64, i64)>,
    is_check: bool,
}

impl UciOption {
    /// Reads `name Some Name type combo default x var a var b`.
    fn parse(text: &str) -> Option<UciOption> {
        let (name, rest) = text.strip_prefix("name ")?.split_once(" type ")?;
        let values = rest
            .split(" var ")
            .skip(1)
            .map(|value| value.trim().to_owned())
            .collect();
        let words = Vec::from_iter(rest.split_whitespace());
        let number_after = |name: &str| {
            let at = words.iter().position(|&word| word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        Some(UciOption {
            name: name.trim().to_owned(),
            values,
            range: number_after("min").zip(number_after("max")),
            is_check: words.first() == Some(&"check"),
        })
    }

    /// What `value` would have to be instead; `None` if the option takes it.
    fn objection(&self, value: &str) -> Option<String> {
        if let Some((min, max)) = self.range {
            let fits = |number: i64| (min..=max).contains(&number);
            let taken = value.parse().is_ok_and(fits);
            return (!taken).then(|| format!("a number from {min} to {max}"));
        }
        if self.is_check {
            let taken = ["true", "false"].contains(&value.to_ascii_lowercase().as_str());
            return (!taken).then(|| "true or false".to_owned());
        }
        let known = |listed: &String| listed.eq_ignore_ascii_case(value);
        let taken = self.values.is_empty() || self.values.iter().any(known);
        (!taken).then(|| format!("one of {}", self.values.join(", ")))
    }
}

impl UciEngine {
    /// Starts the engine, sets its options and waits until it is ready.
    ///
    /// # Errors
    ///
    /// When it cannot be started, does not answer, lists `UCI_Variant` without
    /// the variant of the match, or lacks an option that its own settings name.
    pub fn start(spec: &EngineSpec, manners: &Manners) -> Result<UciEngine, EngineError> {
        let process = EngineProcess::start(spec).map_err(|source| EngineError::Start {
            command: spec.command_text(),
            source,
        })?;
        let mut engine = UciEngine {
            process,
            manners: manners.clone(),
            id_name: None,
            options: Vec::new(),
            chess960: false,
            pondering: None,
            info: SearchInfo::default(),
        };
        engine.handshake()?;
        engine.set_variant()?;
        for (name, value) in &manners.options {
            if let Some(name) = engine.listed_name(name) {
                engine.set_option(&name, value)?;
            }
        }
        for (name, value) in &spec.options {
            let listed = engine.listed_name(name).ok_or_else(|| {
                let names =
                    Vec::from_iter(engine.options.iter().map(|option| option.name.as_str()));
                EngineError::Unsupported(format!(
                    "has no option '{name}'; it lists: {}",
                    names.join(", ")
                ))
            })?;
            let option = engine.options.iter().find(|option| option.name == listed);
            if let Some(expected) = option.and_then(|option| option.objection(value)) {
                return Err(EngineError::Unsupported(format!(
                    "cannot set option '{listed}' to '{value}': it takes {expected}"
                )));
            }
            engine.set_option(&listed, value)?;
        }
        engine.send("isready")?;
        engine.wait_ready()?;
        Ok(engine)
    }

    fn handshake(&mut self) -> Result<(), EngineError> {
        self.send("uci")?;
        let deadline = Instant::now() + self.manners.silence;
        loop {
            let line = self.line(deadline, "uci")?;
            if line == "uciok" {
                return Ok(());
            } else if let Some(name) = line.strip_prefix("id name ") {
                self.id_name = Some(name.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option ") {
                self.options.extend(UciOption::parse(option));
            }
        }
    }

    /// An engine without `UCI_Variant` is taken to play nothing else.
    fn set_variant(&mut self) -> Result<(), EngineError> {
        let wanted = self.manners.ruleset.uci_name();
        let Some(option) = self.option("UCI_Variant") else {
            return Ok(());
        };
        let value = option
            .values
            .iter()
            .find(|value| value.eq_ignore_ascii_case(wanted));
        match value.cloned() {
            Some(value) => {
                let name = option.name.clone();
                self.set_option(&name, &value)
            }
            None => Err(EngineError::Unsupported(format!(
                "does not play {wanted}; its UCI_Variant offers: {}",
                option.values.join(", ")
            ))),
        }
    }

    fn option(&self, name: &str) -> Option<&UciOption> {
        self.options
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }

    fn listed_name(&self, name: &str) -> Option<String> {
        self.option(name).map(|option| option.name.clone())
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.send(&format!("setoption name {name} value {value}"))
    }

    /// The name the engine gave itself.
    #[must_use]
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Announces a new game; [`wait_ready`](Self::wait_ready) has to follow.
    ///
    /// # Errors
    ///
    /// When the engine no longer reads, or cannot play Chess960 when asked to.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), EngineError> {
        if chess960 != self.chess960 {
            let name = self.listed_name("UCI_Chess960").ok_or_else(|| {
                EngineError::Unsupported("does not play Chess960: it has no UCI_Chess960".into())
            })?;
            self.set_option(&name, if chess960 { "true" } else { "false" })?;
            self.chess960 = chess960;
        }
        self.process.discard_output();
        self.send("ucinewgame\nisready")
    }

    /// Waits until the engine is ready for what was announced.
    ///
    /// # Errors
    ///
    /// When it does not get ready.
    pub fn wait_ready(&mut self) -> Result<(), EngineError> {
        let deadline = Instant::now() + self.manners.silence;
        while self.line(deadline, "isready")? != "readyok" {}
        Ok(())
    }

    /// Starts a search: `position` and `go` are whole commands. Returns the
    /// moment when the clock started.
    ///
    /// # Errors
    ///
    /// When the engine no longer reads.
    pub fn go(&mut self, position: &str, go: &str) -> Result<Instant, EngineError> {
        self.info = SearchInfo::default();
        self.process.discard_output();
        let started = Instant::now();
        self.send(&format!("{position}\n{go}"))?;
        Ok(started)
    }

    /// Starts thinking in the opponent's time about the reply `guess`, which
    /// `position` includes.
    ///
    /// # Errors
    ///
    /// When the engine no longer reads.
    pub fn ponder(&mut self, guess: &str, position: &str, go: &str) -> Result<(), EngineError> {
        self.go(position, go)?;
        self.pondering = Some(guess.to_owned());
        Ok(())
    }

    /// Tells a pondering engine that its guess was played. Returns the moment
    /// when the clock started, or `None` when it was not thinking about `played`;
    /// it is idle then.
    ///
    /// # Errors
    ///
    /// When the engine does not stop, or is gone.
    pub fn ponder_hit(&mut self, played: &str) -> Result<Option<Instant>, EngineError> {
        if self.pondering.as_deref() == Some(played) {
            self.pondering = None;
            let started = Instant::now();
            self.send("ponderhit")?;
            return Ok(Some(started));
        }
        self.stop_pondering()?;
        Ok(None)
    }

    /// Ends any thinking in the opponent's time.
    ///
    /// # Errors
    ///
    /// When the engine does not stop, or is gone.
    pub fn stop_pondering(&mut self) -> Result<(), EngineError> {
        if self.pondering.take().is_some() {
            self.stop_search()
        } else {
            Ok(())
        }
    }

    /// Stops a search and drops its move.
    ///
    /// # Errors
    ///
    /// When the engine does not stop, or is gone.
    pub fn stop_search(&mut self) -> Result<(), EngineError> {
        self.send("stop")?;
        let patience = Patience::Until(Instant::now() + self.manners.silence);
        match self.wait_move(patience)? {
            Answer::Move(_) => Ok(()),
            Answer::Pending => Err(self.silent("stop")),
        }
    }

    /// Waits for the answer to [`go`](Self::go).
    ///
    /// # Errors
    ///
    /// When the engine is gone, or silent for too long where no deadline holds.
    pub fn wait_move(&mut self, patience: Patience) -> Result<Answer, EngineError> {
        let mut last_line = Instant::now();
        loop {
            let deadline = match patience {
                Patience::Until(moment) => moment,
                Patience::WhileTalking => last_line + self.manners.silence,
            };
            let line = match self.process.receive(Some(deadline), &self.manners.stop) {
                Received::Line(line) => line,
                Received::TimedOut => match patience {
                    Patience::Until(_) => return Ok(Answer::Pending),
                    Patience::WhileTalking => return Err(self.silent("go")),
                },
                Received::Closed => return Err(self.gone()),
                Received::Stopped => return Err(EngineError::Stopped),
            };
            last_line = line.at;
            let Some(answer) = line.text.strip_prefix("bestmove") else {
                self.info.update(&line.text);
                continue;
            };
            let mut words = answer.split_ascii_whitespace();
            let text = words.next().unwrap_or_default().to_owned();
            let ponder = words
                .skip_while(|&word| word != "ponder")
                .nth(1)
                .map(str::to_owned);
            return Ok(Answer::Move(BestMove {
                text,
                ponder,
                at: line.at,
                info: self.info,
            }));
        }
    }

    /// Asks the engine to quit.
    pub fn quit(self) {
        self.process.quit();
    }

    fn send(&mut self, text: &str) -> Result<(), EngineError> {
        self.process.send(text).map_err(|_| self.gone())
    }

    fn line(&mut self, deadline: Instant, asked: &'static str) -> Result<String, EngineError> {
        match self.process.receive(Some(deadline), &self.manners.stop) {
            Received::Line(line) => Ok(line.text),
            Received::TimedOut => Err(self.silent(asked)),
            Received::Closed => Err(self.gone()),
            Received::Stopped => Err(EngineError::Stopped),
        }
    }

    fn silent(&self, asked: &'static str) -> EngineError {
        EngineError::Silent {
            asked,
            patience: self.manners.silence,
        }
    }

    fn gone(&mut self) -> EngineError {
        let Some(status) = self.process.exit_status() else {
            return EngineError::Disconnected;
        };
        let last_words = self.process.last_words();
        EngineError::Crashed(if last_words.is_empty() {
            status.to_string()
        } else {
            format!("{status}: {last_words}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_keep_their_spelling() {
        let option = UciOption::parse(
            "name UCI_Variant type combo default chess var chess var Atomic var 3check",
        )
        .unwrap();
        assert_eq!(option.name, "UCI_Variant");
        assert_eq!(option.values, ["chess", "Atomic", "3check"]);
        assert_eq!(option.objection("atomic"), None);
        assert!(option.objection("go").is_some());
        let spin = UciOption::parse("name Hash type spin default 16 min 1 max 64").expect("option");
        assert_eq!(spin.objection("64"), None);
        assert_eq!(
            spin.objection("abc").as_deref(),
            Some("a number from 1 to 64")
        );
        let spaced = UciOption::parse("name Move Overhead type spin default 10 min 0 max 5000");
        assert_eq!(spaced.unwrap().name, "Move Overhead");
        assert!(UciOption::parse("nonsense").is_none());
    }
}
