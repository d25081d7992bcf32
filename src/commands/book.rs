//! `fission book`: opening books made and looked into.

use std::{
    fs,
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use fission::{
    book::{
        Book,
        build::{Builder, Rules},
        polyglot,
    },
    games::{
        line,
        read::Reading,
        source::{self, Source},
    },
    rules::{Position, Ruleset},
};

use super::job::{self, ProgressLine};

/// Make an opening book from games, or look into one.
///
/// Example: fission book build games.pgn --out book.bin --plies 16 --games 3
///
/// The engine plays from it when told `setoption name BookFile value book.bin`
/// and `setoption name OwnBook value true`.
#[derive(Debug, Args)]
pub struct BookCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write a Polyglot book of the moves played in games
    Build(Build),
    /// List what a book plays in a position
    Show {
        /// Moves from the start of the game
        moves: Vec<String>,
        /// A Polyglot file or games; the embedded book if left out
        #[arg(long)]
        book: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
struct Build {
    /// PGN files, or folders of them; - reads standard input
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The file to write
    #[arg(long, short)]
    out: PathBuf,
    /// Only the first plies of each game
    #[arg(long, default_value_t = 20)]
    plies: usize,
    /// Only moves played in at least this many games
    #[arg(long = "games", default_value_t = 1, value_name = "N")]
    least_games: u32,
    /// Only moves that scored at least this share, in per cent
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=100))]
    score: u8,
    /// Take games without the tag Variant as atomic
    #[arg(long)]
    assume_atomic: bool,
}

impl BookCommand {
    /// Does what was asked. The exit status is 1 when a game was skipped.
    pub fn run(&self) -> Result<ExitCode> {
        match &self.action {
            Action::Build(build) => build.run(),
            Action::Show { moves, book } => show(moves, book.as_ref()),
        }
    }
}

impl Build {
    fn run(&self) -> Result<ExitCode> {
        job::catch_interrupts()?;
        let inputs = source::files(&self.games);
        job::refuse_overwriting(&inputs, &[&self.out])?;
        let mut builder = Builder::new(Rules {
            plies: self.plies,
            least_games: self.least_games,
            least_score: f64::from(self.score) / 100.0,
        });
        let reading = Reading {
            assume: self.assume_atomic.then_some(Ruleset::Lichess),
            positions: Ruleset::Lichess,
            advice: Some(super::ASSUME_ATOMIC),
        };
        let progress = ProgressLine::new();
        let mut skipped = 0;
        for game in Source::of_files(inputs, reading) {
            if job::is_interrupted() {
                bail!("interrupted: no book was written");
            }
            match game {
                Ok(game) => builder.add(&game),
                Err(error) => {
                    progress.clear();
                    eprintln!("fission: {error}: skipped");
                    skipped += 1;
                }
            }
            progress.show(|| format!("{} games", builder.games()));
        }
        progress.clear();
        let entries = builder.entries();
        if entries.is_empty() {
            bail!("no move is left for the book: no file was written");
        }
        fs::write(&self.out, polyglot::write(&entries))
            .with_context(|| format!("cannot write {}", self.out.display()))?;
        writeln!(
            stdout(),
            "{} moves from {} games in {}",
            entries.len(),
            builder.games(),
            self.out.display()
        )?;
        Ok(job::status(skipped == 0))
    }
}

fn show(moves: &[String], path: Option<&PathBuf>) -> Result<ExitCode> {
    let loaded;
    let book = match path {
        Some(path) => {
            loaded = Book::load(path)?;
            &loaded
        }
        None => Book::embedded(),
    };
    let mut position = Position::startpos(Ruleset::Lichess);
    let mut passed = None;
    for m in line::parse(&position, &moves.join(" "))? {
        passed = polyglot::passed_square(m);
        position.play(m);
    }
    let moves = book.moves(&position, passed);
    let total: u32 = moves.iter().map(|&(_, weight)| u32::from(weight)).sum();
    let mut out = stdout().lock();
    if moves.is_empty() {
        writeln!(out, "The book has no move here ({} positions)", book.len())?;
    }
    for (m, weight) in moves {
        let share = 100.0 * f64::from(weight) / f64::from(total.max(1));
        writeln!(out, "{:<8} {share:5.1}%  weight {weight}", position.san(m))?;
    }
    Ok(ExitCode::SUCCESS)
}
