//! One file a subcommand.

mod analyse;
mod bench;
mod perft;

use std::{io, process::ExitCode};

use clap::{Parser, Subcommand};

/// Fission plays atomic chess.
///
/// Without a command it speaks UCI on standard input and output, which is what
/// chess programs expect.
#[derive(Debug, Parser)]
#[command(version, about, long_about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Speak UCI (what no command does, too)
    Uci,
    /// Find the best moves of a position
    Analyse(analyse::Analyse),
    /// Search fixed positions and print the signature and the speed
    Bench(bench::Bench),
    /// Count the legal move tree
    Perft(perft::Perft),
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let done = match Arguments::parse().command {
        None | Some(Command::Uci) => {
            fission::uci::serve(io::BufReader::new(io::stdin()), io::stdout());
            Ok(())
        }
        Some(Command::Analyse(command)) => command.run(),
        Some(Command::Bench(command)) => command.run(),
        Some(Command::Perft(command)) => command.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fission: {error:#}");
            ExitCode::FAILURE
        }
    }
}
