//! The options a client may set.

use std::{fmt::Write, ops::RangeInclusive, path::PathBuf, time::Duration};

use thiserror::Error;

#[cfg(feature = "tuning")]
use crate::search::parameters;
use crate::{
    rules::Ruleset,
    search::{
        SearchOptions, Skill, TableUse,
        pool::MAX_THREADS,
        skill::ELO_RANGE,
        transposition::{DEFAULT_MIB, MAX_MIB},
    },
};

/// What the client has set.
#[derive(Clone, Debug)]
pub struct Options {
    /// Search threads.
    pub threads: usize,
    /// Size of the hash table in MiB.
    pub hash: usize,
    /// How many best moves are wanted.
    pub multi_pv: usize,
    /// Time lost on every move, in milliseconds.
    pub move_overhead: u64,
    /// The rules in force.
    pub ruleset: Ruleset,
    /// Castling moves are written as king takes rook.
    pub chess960: bool,
    /// Chances are told beside scores.
    pub show_wdl: bool,
    /// Less pruning.
    pub analyse_mode: bool,
    /// The network evaluates, if there is one.
    pub use_network: bool,
    /// The file that the network came from; `None` is the embedded one.
    pub network_file: Option<PathBuf>,
    /// Moves come from the opening book while it has any.
    pub own_book: bool,
    /// The file that the book came from; `None` is the embedded one.
    pub book_file: Option<PathBuf>,
    /// `UCI_Elo` counts.
    pub limit_strength: bool,
    /// The rating to play at.
    pub elo: u32,
    /// The level to play at, 20 for full strength.
    pub skill_level: u32,
    /// Folders of endgame tables beside those in the program.
    pub table_folders: Vec<PathBuf>,
    /// How endgame tables are used.
    pub table_use: TableUse,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            threads: 1,
            hash: DEFAULT_MIB,
            multi_pv: 1,
            move_overhead: 10,
            ruleset: Ruleset::default(),
            chess960: false,
            show_wdl: false,
            analyse_mode: false,
            use_network: true,
            network_file: None,
            own_book: false,
            book_file: None,
            limit_strength: false,
            elo: ELO_RANGE.1,
            skill_level: 20,
            table_folders: Vec::new(),
            table_use: TableUse::default(),
        }
    }
}

/// What remains to be done by the engine after an option was set.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Change {
    /// Nothing.
    None,
    /// Search with this many threads.
    Threads(usize),
    /// Replace the hash table.
    Hash(usize),
    /// Empty the hash table.
    ClearHash,
    /// Play by these rules.
    Ruleset(Ruleset),
    /// Evaluate by the network, or classically.
    UseNetwork(bool),
    /// Evaluate by the network of this file, or by the embedded one.
    NetworkFile(Option<PathBuf>),
    /// Use the endgame tables of these folders, too.
    TableFolders(Vec<PathBuf>),
    /// Play from the book of this file, or from the embedded one.
    BookFile(Option<PathBuf>),
    /// Log all traffic to this file, or to none.
    Log(Option<PathBuf>),
}

/// Why an option was not set.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("no such option: {0:?}")]
    Unknown(String),
    /// The command is not of the form the protocol asks for.
    #[error("setoption needs: setoption name NAME [value VALUE]")]
    Syntax,
    /// The value is not one that the option takes.
    #[error("option {name} cannot be {value:?}: expected {expected}; still {kept}")]
    Value {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What would be right.
        expected: String,
        /// The value that stays.
        kept: String,
    },
}

/// Stands for no file where a file name is expected.
const EMPTY: &str = "<empty>";
/// Stands for the network or the book in the binary.
const EMBEDDED: &str = "<embedded>";

const THREADS: RangeInclusive<usize> = 1..=MAX_THREADS;
const HASH: RangeInclusive<usize> = 1..=MAX_MIB;
const MULTI_PV: RangeInclusive<usize> = 1..=256;
const OVERHEAD: RangeInclusive<u64> = 0..=5000;
const ELO: RangeInclusive<u32> = ELO_RANGE.0..=ELO_RANGE.1;
const LEVEL: RangeInclusive<u32> = 0..=20;
const PROBE_DEPTH: RangeInclusive<i32> = 1..=100;
const PROBE_LIMIT: RangeInclusive<usize> = 0..=7;

impl Options {
    /// The `option` lines that answer `uci`.
    #[must_use]
    pub fn declarations() -> String {
        let defaults = Options::default();
        let mut text = String::new();
        let spin = |text: &mut String, name: &str, default: u64, low: u64, high: u64| {
            let _ = writeln!(
                text,
                "option name {name} type spin default {default} min {low} max {high}"
            );
        };
        let check = |text: &mut String, name: &str| {
            let _ = writeln!(text, "option name {name} type check default false");
        };
        let _ = writeln!(
            text,
            "option name Debug Log File type string default {EMPTY}"
        );
        spin(&mut text, "Threads", 1, 1, *THREADS.end() as u64);
        spin(
            &mut text,
            "Hash",
            defaults.hash as u64,
            1,
            *HASH.end() as u64,
        );
        text.push_str("option name Clear Hash type button\n");
        check(&mut text, "Ponder");
        spin(&mut text, "MultiPV", 1, 1, *MULTI_PV.end() as u64);
        spin(
            &mut text,
            "Move Overhead",
            defaults.move_overhead,
            0,
            *OVERHEAD.end(),
        );
        let _ = write!(
            text,
            "option name UCI_Variant type combo default {}",
            defaults.ruleset
        );
        for ruleset in Ruleset::ALL {
            let _ = write!(text, " var {ruleset}");
        }
        text.push('\n');
        check(&mut text, "UCI_Chess960");
        check(&mut text, "UCI_ShowWDL");
        check(&mut text, "UCI_AnalyseMode");
        check(&mut text, "UCI_LimitStrength");
        spin(
            &mut text,
            "UCI_Elo",
            u64::from(defaults.elo),
            u64::from(*ELO.start()),
            u64::from(*ELO.end()),
        );
        spin(&mut text, "Skill Level", 20, 0, 20);
        text.push_str("option name Use NNUE type check default true\n");
        let _ = writeln!(text, "option name EvalFile type string default {EMBEDDED}");
        let _ = writeln!(text, "option name SyzygyPath type string default {EMPTY}");
        let tables = &defaults.table_use;
        let (low, high) = (*PROBE_DEPTH.start() as u64, *PROBE_DEPTH.end() as u64);
        spin(
            &mut text,
            "SyzygyProbeDepth",
            tables.depth as u64,
            low,
            high,
        );
        let high = *PROBE_LIMIT.end() as u64;
        spin(&mut text, "SyzygyProbeLimit", tables.limit as u64, 0, high);
        text.push_str("option name Syzygy50MoveRule type check default true\n");
        check(&mut text, "OwnBook");
        let _ = write!(text, "option name BookFile type string default {EMBEDDED}");
        #[cfg(feature = "tuning")]
        for parameter in &parameters::PARAMETERS {
            text.push('\n');
            let _ = write!(
                text,
                "option name {} type spin default {} min {} max {}",
                parameter.name, parameter.default, parameter.low, parameter.high
            );
        }
        text
    }

    /// Carries out the words after `setoption`.
    ///
    /// # Errors
    ///
    /// [`OptionError`] if there is no such option or value; nothing changes.
    pub fn set(&mut self, words: &str) -> Result<Change, OptionError> {
        let (name, value) = split(words)?;
        let value = value.as_str();
        match name.to_ascii_lowercase().as_str() {
            "threads" => {
                self.threads = number("Threads", value, THREADS, self.threads)?;
                return Ok(Change::Threads(self.threads));
            }
            // The engine notes the new size once the table could be had.
            "hash" => return Ok(Change::Hash(number("Hash", value, HASH, self.hash)?)),
            "clear hash" => return Ok(Change::ClearHash),
            "ponder" => {
                boolean("Ponder", value, false)?;
            }
            "multipv" => self.multi_pv = number("MultiPV", value, MULTI_PV, self.multi_pv)?,
            "move overhead" => {
                self.move_overhead = number("Move Overhead", value, OVERHEAD, self.move_overhead)?;
            }
            "uci_variant" => {
                self.ruleset = value.parse().map_err(|_| OptionError::Value {
                    name: "UCI_Variant",
                    value: value.to_owned(),
                    expected: "atomic or nocheckatomic".to_owned(),
                    kept: self.ruleset.to_string(),
                })?;
                return Ok(Change::Ruleset(self.ruleset));
            }
            "uci_chess960" => self.chess960 = boolean("UCI_Chess960", value, self.chess960)?,
            "uci_showwdl" => self.show_wdl = boolean("UCI_ShowWDL", value, self.show_wdl)?,
            "uci_analysemode" => {
                self.analyse_mode = boolean("UCI_AnalyseMode", value, self.analyse_mode)?;
            }
            "uci_limitstrength" => {
                self.limit_strength = boolean("UCI_LimitStrength", value, self.limit_strength)?;
            }
            "uci_elo" => self.elo = number("UCI_Elo", value, ELO, self.elo)?,
            "skill level" => {
                self.skill_level = number("Skill Level", value, LEVEL, self.skill_level)?;
            }
            "use nnue" => {
                // The engine notes the new values of these two once they hold.
                let wanted = boolean("Use NNUE", value, self.use_network)?;
                return Ok(Change::UseNetwork(wanted));
            }
            "evalfile" => return Ok(Change::NetworkFile(path(value, EMBEDDED))),
            "syzygypath" => {
                let folders = path(value, EMPTY);
                let folders = folders.iter().flat_map(std::env::split_paths);
                return Ok(Change::TableFolders(folders.collect()));
            }
            "syzygyprobedepth" => {
                let depth = &mut self.table_use.depth;
                *depth = number("SyzygyProbeDepth", value, PROBE_DEPTH, *depth)?;
            }
            "syzygyprobelimit" => {
                let limit = &mut self.table_use.limit;
                *limit = number("SyzygyProbeLimit", value, PROBE_LIMIT, *limit)?;
            }
            "syzygy50moverule" => {
                let counts = &mut self.table_use.fifty_moves;
                *counts = boolean("Syzygy50MoveRule", value, *counts)?;
            }
            "ownbook" => self.own_book = boolean("OwnBook", value, self.own_book)?,
            // Noted by the engine once the book is read.
            "bookfile" => return Ok(Change::BookFile(path(value, EMBEDDED))),
            "debug log file" => return Ok(Change::Log(path(value, EMPTY))),
            #[cfg(feature = "tuning")]
            other if let Some(index) = parameters::named(other) => {
                let parameter = &parameters::PARAMETERS[index];
                let range = parameter.low..=parameter.high;
                let value = number(parameter.name, value, range, parameter.default)?;
                parameters::Values::common().set(index, value);
            }
            _ => return Err(OptionError::Unknown(name)),
        }
        Ok(Change::None)
    }

    /// These options as the search wants them.
    #[must_use]
    pub fn search_options(&self) -> SearchOptions {
        SearchOptions {
            multi_pv: self.multi_pv,
            overhead: Duration::from_millis(self.move_overhead),
            analysing: self.analyse_mode,
            skill: if self.limit_strength {
                Some(Skill::from_elo(self.elo))
            } else {
                Skill::from_level(self.skill_level)
            },
            tables: self.table_use.clone(),
        }
    }
}

/// Splits `name NAME [value VALUE]`.
fn split(words: &str) -> Result<(String, String), OptionError> {
    let mut words = words.split_whitespace();
    if words.next() != Some("name") {
        return Err(OptionError::Syntax);
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    if name.is_empty() {
        return Err(OptionError::Syntax);
    }
    let value: Vec<&str> = words.collect();
    Ok((name.join(" "), value.join(" ")))
}

/// A file name, unless it is empty or stands for none.
fn path(value: &str, none: &str) -> Option<PathBuf> {
    Some(value)
        .filter(|value| !value.is_empty() && *value != none && *value != EMPTY)
        .map(PathBuf::from)
}

fn number<T>(
    name: &'static str,
    value: &str,
    range: RangeInclusive<T>,
    kept: T,
) -> Result<T, OptionError>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    value
        .parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| OptionError::Value {
            name,
            value: value.to_owned(),
            expected: format!("a number from {} to {}", range.start(), range.end()),
            kept: kept.to_string(),
        })
}

fn boolean(name: &'static str, value: &str, kept: bool) -> Result<bool, OptionError> {
    match value.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(OptionError::Value {
            name,
            value: value.to_owned(),
            expected: "true or false".to_owned(),
            kept: kept.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_variants_match_in_any_letter_case() {
        let mut options = Options::default();
        let change = options.set("name uci_variant value NoCheckAtomic");
        assert_eq!(change, Ok(Change::Ruleset(Ruleset::Icc)));
        let change = options.set("name HASH value 64");
        assert_eq!(change, Ok(Change::Hash(64)));
        assert_eq!(options.set("name Clear Hash"), Ok(Change::ClearHash));
    }

    #[test]
    fn values_out_of_range_are_refused_and_the_old_ones_kept() {
        let mut options = Options::default();
        for words in [
            "name Threads value 0",
            "name Threads value many",
            "name Hash value 1048577",
            "name MultiPV value -1",
            "name UCI_Variant value chess",
            "name Ponder value maybe",
            "name Skill Level value 21",
            "name Contempt value 3",
            "Hash 3",
            "name",
            "",
        ] {
            assert!(options.set(words).is_err(), "{words}");
        }
        assert_eq!(options.threads, 1);
        let error = options.set("name Threads value 0").expect_err("too few");
        assert_eq!(
            error.to_string(),
            "option Threads cannot be \"0\": expected a number from 1 to 1024; still 1"
        );
    }

    #[test]
    fn every_option_is_declared_once() {
        let text = Options::declarations();
        assert_eq!(text.lines().count(), 22);
        assert!(text.contains(
            "option name UCI_Variant type combo default atomic var atomic var nocheckatomic"
        ));
    }
}
