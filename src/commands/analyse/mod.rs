//! `fission analyse`: the best moves of a position, or judged games.

mod games;
mod position;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Result, bail};
use clap::Args;
use fission::{rules::Ruleset, search::Limits};

/// Find the best moves of a position, or judge the moves of games.
///
/// A position is searched for ten seconds without a limit. Games and positions come
/// from PGN, EPD and FEN files, from folders of them, or from standard input (`-`);
/// every position of a game is searched with 100,000 nodes without a limit. What
/// cannot be read is named with game and line and skipped. Exit status: 0 when all
/// went well, 1 when something was skipped, 2 when nothing could be done, 130 after
/// Ctrl-C.
///
/// Examples: fission analyse --fen "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2"
/// --multipv 3 --explain
/// or, for games, fission analyse games.pgn --pgn judged.pgn --html games.html
#[derive(Debug, Args)]
pub struct Analyse {
    /// Files or folders of games or positions, or - for standard input
    #[arg(value_name = "FILE", conflicts_with_all = ["fen", "moves", "multipv"])]
    files: Vec<PathBuf>,
    /// The position; the start of the game if left out
    #[arg(long)]
    fen: Option<String>,
    /// Moves to play first, in SAN or UCI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC); games name theirs
    #[arg(long, default_value_t)]
    rules: Ruleset,
    /// Stop each search after this many plies
    #[arg(long)]
    depth: Option<usize>,
    /// Stop each search after this many nodes
    #[arg(long)]
    nodes: Option<u64>,
    /// Stop each search after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// How many best moves to show
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: Option<u16>,
    /// Search threads; all cores if left out
    #[arg(long, value_parser = super::thread_count)]
    threads: Option<usize>,
    /// Size of the hash table in MiB: 256 for a position, 16 for each game under analysis
    #[arg(long, value_parser = super::hash_size)]
    hash: Option<usize>,
    /// Explain in words: threats, men that doom their king, captures that are not legal
    #[arg(long)]
    explain: bool,
    /// Write JSON: one object for a position, one line for each game
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,
    /// Write the games with annotations to this file; to standard output if no output is named
    #[arg(long, value_name = "FILE", requires = "files")]
    pgn: Option<PathBuf>,
    /// Write a page for the browser, or into a folder a page for each game
    #[arg(long, value_name = "FILE", requires = "files")]
    html: Option<PathBuf>,
    /// Read games without the tag Variant as atomic chess under --rules
    #[arg(long, requires = "files")]
    assume_atomic: bool,
    /// Go on with an analysis that was interrupted
    #[arg(long, requires = "files")]
    resume: bool,
}

impl Analyse {
    /// Searches and prints.
    pub fn run(&self) -> Result<ExitCode> {
        if self.files.is_empty() {
            self.position()
        } else {
            self.games()
        }
    }

    /// The limits of a search; `default` when none is named.
    fn limits(&self, default: Limits) -> Result<Limits> {
        let time = match self.time {
            Some(seconds) if !(0.0..1e9).contains(&seconds) => {
                bail!("--time {seconds}: expected a number of seconds from 0 to a billion")
            }
            seconds => seconds.map(Duration::from_secs_f64),
        };
        if self.depth.is_none() && self.nodes.is_none() && time.is_none() {
            return Ok(default);
        }
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time,
            ..Limits::default()
        })
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(rayon::current_num_threads)
    }
}
