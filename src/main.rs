//! The command line of Fission.

mod commands;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An atomic chess engine: UCI, matches and analysis in one program.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Match(commands::matches::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Match(args) => commands::matches::run(args),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
