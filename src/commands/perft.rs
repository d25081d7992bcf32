//! `fission perft`: counts of the legal move tree.

use std::{
    io::{Write, stdout},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::rules::{Position, Ruleset, movegen};
use rayon::prelude::*;

/// Count the legal move tree.
///
/// Example: fission perft 5 --divide
#[derive(Debug, Args)]
pub struct Perft {
    /// How many plies deep
    depth: u32,
    /// The position to start from; the start of the game if left out
    #[arg(long)]
    fen: Option<String>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    rules: Ruleset,
    /// Print the count below each first move
    #[arg(long)]
    divide: bool,
    /// Count with shakmaty's generator instead, to compare counts and speed
    #[arg(long)]
    reference: bool,
    /// Threads to count with
    #[arg(long, default_value_t = 1, value_parser = super::thread_count)]
    threads: usize,
}

impl Perft {
    /// Counts and prints.
    pub fn run(&self) -> Result<ExitCode> {
        let position = match &self.fen {
            Some(fen) => Position::from_fen(fen, self.rules)?,
            None => Position::startpos(self.rules),
        };
        if self.reference && self.rules == Ruleset::Icc {
            bail!("--reference knows only the rules atomic, not nocheckatomic");
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.max(1))
            .build()
            .context("cannot start the threads")?;
        let start = Instant::now();
        let mut out = stdout().lock();
        let total: u64 = if self.depth == 0 {
            1
        } else {
            let counts: Vec<_> = pool.install(|| {
                movegen::legal_moves(&position)
                    .par_iter()
                    .map(|&m| (m, self.count(&position.after(m))))
                    .collect()
            });
            if self.divide {
                for &(m, nodes) in &counts {
                    writeln!(out, "{}: {nodes}", position.uci(m, position.is_chess960()))?;
                }
                writeln!(out)?;
            }
            counts.iter().map(|(_, nodes)| nodes).sum()
        };
        let seconds = start.elapsed().as_secs_f64();
        writeln!(
            out,
            "{total} nodes in {seconds:.2} s, {:.1} million a second",
            total as f64 / seconds.max(1e-6) / 1e6
        )?;
        Ok(ExitCode::SUCCESS)
    }

    /// Leaves below a position after the first move.
    fn count(&self, position: &Position) -> u64 {
        let depth = self.depth - 1;
        if !self.reference || position.king_is_gone() {
            return movegen::perft(position, depth);
        }
        position
            .to_atomic()
            .map_or(0, |atomic| shakmaty::perft(&atomic, depth))
    }
}
