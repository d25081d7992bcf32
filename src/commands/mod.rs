//! One file a subcommand.

mod analyse;
mod bench;
mod data;
mod datagen;
mod matches;
mod perft;
mod train;

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
    Analyse(analyse::Analyse),
    Bench(bench::Bench),
    Data(data::Data),
    Datagen(datagen::Datagen),
    Match(Box<matches::Args>),
    Perft(perft::Perft),
    Train(train::Train),
}

/// The exit status when a command could not be carried out.
const FAULT: u8 = 2;

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let done = match Arguments::parse().command {
        None | Some(Command::Uci) => {
            fission::uci::serve(io::BufReader::new(io::stdin()), io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Analyse(command)) => command.run(),
        Some(Command::Bench(command)) => command.run(),
        Some(Command::Data(command)) => command.run(),
        Some(Command::Datagen(command)) => command.run(),
        Some(Command::Match(command)) => matches::run(*command),
        Some(Command::Perft(command)) => command.run(),
        Some(Command::Train(command)) => command.run(),
    };
    done.unwrap_or_else(|error| {
        eprintln!("fission: {error:#}");
        ExitCode::from(FAULT)
    })
}
