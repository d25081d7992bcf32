//! `fission tablebase`: exact tables of endgames.

mod build;
mod check;
mod export;
mod pack;
mod probe;
mod stats;

use std::{
    io::{IsTerminal, stderr},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use fission::endgame::{Tables, build::Computation};

/// Build, check and look up exact tables of endgames.
///
/// Example: fission tablebase probe "8/8/8/8/6k1/8/6KQ/8 w - - 0 1"
#[derive(Debug, Args)]
pub struct Tablebase {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Build),
    Check(check::Check),
    Probe(probe::Probe),
    Stats(stats::Stats),
    Export(export::Export),
    Pack(pack::Pack),
}

impl Tablebase {
    /// Runs the command that the arguments name.
    pub fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Build(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Probe(command) => command.run(),
            Command::Stats(command) => command.run(),
            Command::Export(command) => command.run(),
            Command::Pack(command) => command.run(),
        }
    }
}

/// Shows on a terminal which ending is computed next, and how many are left.
fn show_next(computation: &Computation) {
    let (order, done) = (computation.order(), computation.done());
    if let Some(material) = order.get(done)
        && stderr().is_terminal()
    {
        eprint!("\r\x1b[K{done}/{}  computing {material}", order.len());
    }
}

/// Takes away what [`show_next`] shows.
fn show_nothing() {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}

/// Refuses a file where a folder is expected.
fn expect_folder(path: &Path) -> Result<()> {
    if path.exists() && !path.is_dir() {
        bail!("{path:?} is a file, not a folder");
    }
    Ok(())
}

/// The tables in the program and those of `folders`; what is wrong with these
/// is told.
fn tables(folders: &[PathBuf]) -> Tables {
    let (tables, faults) = Tables::with_folders(folders);
    for fault in faults {
        eprintln!("fission: {fault}");
    }
    tables
}
