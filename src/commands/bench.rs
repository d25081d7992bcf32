//! `fission bench`: the signature of the search, and its speed.

use std::{
    io::{Write, stdout},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use fission::{
    bench,
    search::{Control, Pool},
};

/// Search fixed positions and print the signature and the speed.
///
/// With one thread the number of nodes is the same on every machine; the last
/// line is `N nodes M nps`.
///
/// Example: fission bench --depth 10
#[derive(Debug, Args)]
pub struct Bench {
    /// How deep each position is searched
    #[arg(long, default_value_t = bench::DEPTH)]
    depth: usize,
    /// Search threads; more than one makes the node count vary
    #[arg(long, default_value_t = 1, value_parser = super::thread_count)]
    threads: usize,
    /// Size of the hash table in MiB
    #[arg(long, default_value_t = 16, value_parser = super::hash_size)]
    hash: usize,
}

impl Bench {
    /// Runs the benchmark.
    pub fn run(&self) -> Result<ExitCode> {
        let mut pool = Pool::default();
        pool.set_threads(self.threads);
        pool.set_hash(self.hash)?;
        let mut out = stdout().lock();
        let mut written = Ok(());
        let total = bench::run(&mut pool, self.depth, &Control::default(), |line| {
            if written.is_ok() {
                written = writeln!(out, "{line}");
            }
        });
        written?;
        writeln!(out, "{total}")?;
        Ok(ExitCode::SUCCESS)
    }
}
