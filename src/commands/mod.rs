//! One file a subcommand.

mod analyse;
mod bench;
mod book;
mod data;
mod datagen;
mod job;
mod matches;
mod mate;
mod perft;
mod play;
mod puzzles;
mod show;
#[cfg(feature = "tuning")]
mod spsa;
mod tablebase;
mod train;
mod traps;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use anyhow::Result;
use clap::{Parser, Subcommand};
use fission::{
    rules::{Position, Ruleset},
    search::{pool::MAX_THREADS, transposition::MAX_MIB},
};

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
    Book(book::BookCommand),
    Data(data::Data),
    Datagen(datagen::Datagen),
    Match(Box<matches::Args>),
    Mate(mate::Mate),
    Perft(perft::Perft),
    Play(play::Play),
    Puzzles(puzzles::Puzzles),
    Show(show::Show),
    #[cfg(feature = "tuning")]
    Spsa(spsa::SpsaArgs),
    Tablebase(tablebase::Tablebase),
    Train(train::Train),
    Traps(traps::Traps),
}

/// The exit status when a command could not be carried out.
const FAULT: u8 = 2;

/// What commands with that option advise about a game without the tag `Variant`.
const ASSUME_ATOMIC: &str = "--assume-atomic reads it as atomic";

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let done = match Arguments::parse().command {
        None | Some(Command::Uci) => {
            fission::uci::serve(io::BufReader::new(io::stdin()), io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Analyse(command)) => command.run(),
        Some(Command::Bench(command)) => command.run(),
        Some(Command::Book(command)) => command.run(),
        Some(Command::Data(command)) => command.run(),
        Some(Command::Datagen(command)) => command.run(),
        Some(Command::Match(command)) => matches::run(*command),
        Some(Command::Mate(command)) => command.run(),
        Some(Command::Perft(command)) => command.run(),
        Some(Command::Play(command)) => command.run(),
        Some(Command::Puzzles(command)) => command.run(),
        Some(Command::Show(command)) => command.run(),
        #[cfg(feature = "tuning")]
        Some(Command::Spsa(command)) => command.run(),
        Some(Command::Tablebase(command)) => command.run(),
        Some(Command::Train(command)) => command.run(),
        Some(Command::Traps(command)) => command.run(),
    };
    done.unwrap_or_else(|error| fail(&error))
}

/// Tells an error once, each cause only where it says something new. Nobody
/// reading any more is no fault.
fn fail(error: &anyhow::Error) -> ExitCode {
    let is_closed_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe);
    if is_closed_pipe {
        return ExitCode::SUCCESS;
    }
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    // If even this cannot be written, the exit status has to do.
    let _ = writeln!(io::stderr(), "fission: {text}");
    ExitCode::from(FAULT)
}

/// Reads a number of search threads.
fn thread_count(text: &str) -> std::result::Result<usize, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=MAX_THREADS).contains(number))
        .ok_or_else(|| format!("expected a number from 1 to {MAX_THREADS}"))
}

/// Reads the size of a hash table in MiB.
fn hash_size(text: &str) -> std::result::Result<usize, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (1..=MAX_MIB).contains(number))
        .ok_or_else(|| format!("expected a number of MiB from 1 to {MAX_MIB}"))
}

/// A share of one.
fn share(text: &str) -> std::result::Result<f32, String> {
    let number = text.parse().ok();
    number
        .filter(|number| (0.0..=1.0).contains(number))
        .ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// The position that a FEN names; the start of the game for none, `start` or
/// `startpos`.
fn start_position(fen: Option<&str>, ruleset: Ruleset) -> Result<Position> {
    match fen {
        None | Some("start" | "startpos") => Ok(Position::startpos(ruleset)),
        Some(fen) => Ok(Position::from_fen(fen, ruleset)?),
    }
}

/// Does `work` on so many threads, which are counted from 0; the first failure,
/// if there is one.
fn on_threads(threads: usize, work: impl Fn(u64) -> Result<()> + Sync) -> Result<()> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads.max(1) as u64)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        let outcomes: Vec<Result<()>> = running
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread panicked")))
            })
            .collect();
        outcomes.into_iter().collect()
    })
}
