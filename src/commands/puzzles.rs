//! `fission puzzles`: mine puzzles from games, and solve them in the terminal.

use std::{
    fs::File,
    io::{self, BufRead, BufWriter, IsTerminal, Write, stdin, stdout},
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use fission::{
    diagram::{Blast, Scene, text::Style},
    games::{
        line,
        read::Reading,
        source::{self, Source},
    },
    puzzles::{
        Puzzle, epd,
        mine::Miner,
        session::{Answer, Attempt, RACE_PUZZLES, RACE_TIME, daily, race},
    },
    rules::Ruleset,
    uci::input::{self, Input},
};
use rayon::prelude::*;

use super::job::{self, ProgressLine};

/// Puzzles that came with the program.
const EMBEDDED: &str = include_str!("../puzzles/puzzles.epd");
/// Games looked through before anything is written.
const BATCH: usize = 64;
const DAY: u64 = 24 * 60 * 60;
/// What can be typed at a puzzle.
const HELP: &str = "A move, as Nd7 or e5d7; hint shows where to look, \
                    solution or skip gives the puzzle up, quit leaves.";

/// Find puzzles in games, or solve some.
///
/// A puzzle is a position with one winning move.
///
/// Example: fission puzzles games.pgn --out puzzles.epd
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Puzzles {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    mine: Mine,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Solve the puzzle of the day, or as many as you can in five minutes
    ///
    /// Example: fission puzzles play --race
    Play(Play),
}

#[derive(Debug, Args)]
struct Mine {
    /// Games (PGN) or positions (EPD, FEN); - reads standard input
    games: Vec<PathBuf>,
    /// The file to write; standard output if left out
    #[arg(long, short)]
    out: Option<PathBuf>,
    /// How to write them
    #[arg(long, value_enum, default_value_t = Format::Epd)]
    format: Format,
    /// Nodes for a position that looks like a puzzle
    #[arg(long, default_value_t = 200_000)]
    nodes: u64,
    /// Games looked through at once; all cores if left out
    #[arg(long, value_parser = super::thread_count)]
    threads: Option<usize>,
    /// Take games without the tag Variant as atomic
    #[arg(long)]
    assume_atomic: bool,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
enum Format {
    /// A line each, with bm, dm, pv, themes (c0) and difficulty (c1)
    Epd,
    /// A game each
    Pgn,
    /// A JSON object a line
    Json,
}

#[derive(Debug, Args)]
struct Play {
    /// Puzzles of this EPD file instead of those in the program
    file: Option<PathBuf>,
    /// The first ten puzzles within five minutes
    #[arg(long)]
    race: bool,
    /// The puzzle of another day, as 2026-01-31
    #[arg(long, conflicts_with = "race", value_parser = day)]
    date: Option<u64>,
    /// Choose the puzzles of a race by this number
    #[arg(long, requires = "race")]
    seed: Option<u64>,
    /// Draw with letters, not with Unicode chess men
    #[arg(long)]
    ascii: bool,
}

impl Puzzles {
    /// Does what was asked.
    pub fn run(&self) -> Result<ExitCode> {
        match &self.action {
            Some(Action::Play(play)) => play.run(),
            None if self.mine.games.is_empty() => {
                bail!("which games? Example: fission puzzles games.pgn --out puzzles.epd")
            }
            None => self.mine.run(),
        }
    }
}

impl Mine {
    /// The exit status is 1 when something was skipped.
    fn run(&self) -> Result<ExitCode> {
        job::catch_interrupts()?;
        let inputs = source::files(&self.games);
        job::refuse_overwriting(&inputs, self.out.as_deref().as_slice())?;
        let mut out: Box<dyn Write> = match &self.out {
            Some(path) => Box::new(BufWriter::new(
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
            )),
            None => Box::new(stdout().lock()),
        };
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .context("cannot start the threads")?;
        let reading = Reading {
            assume: self.assume_atomic.then_some(Ruleset::Lichess),
            positions: Ruleset::Lichess,
            advice: Some(super::ASSUME_ATOMIC),
        };
        let mut source = Source::of_files(inputs, reading);
        let progress = ProgressLine::new();
        let (mut games, mut found, mut skipped) = (0, 0, 0);
        let mut ended = false;
        while !ended && !job::is_interrupted() {
            let mut batch = Vec::with_capacity(BATCH);
            ended = true;
            for game in source.by_ref().take(BATCH) {
                ended = false;
                match game {
                    Ok(game) => batch.push(game),
                    Err(error) => {
                        progress.clear();
                        eprintln!("fission: {error}: skipped");
                        skipped += 1;
                    }
                }
            }
            let puzzles: Vec<Vec<Puzzle>> = threads.install(|| {
                batch
                    .par_iter()
                    .map_init(
                        || Miner::new(self.nodes),
                        |miner, game| miner.game(game, &job::is_interrupted),
                    )
                    .collect()
            });
            games += batch.len();
            for puzzle in puzzles.iter().flatten() {
                found += 1;
                match self.format {
                    Format::Epd => writeln!(out, "{}", puzzle.epd())?,
                    Format::Pgn => write!(out, "{}", puzzle.pgn())?,
                    Format::Json => writeln!(out, "{}", puzzle.json()?)?,
                }
            }
            out.flush()?;
            progress.show(|| format!("{games} games, {found} puzzles"));
        }
        progress.clear();
        eprintln!("{found} puzzles from {games} games or positions");
        Ok(job::status(skipped == 0))
    }
}

impl Play {
    fn run(&self) -> Result<ExitCode> {
        let puzzles = self.puzzles()?;
        let mut session = Session {
            input: stdin().lock(),
            out: stdout().lock(),
            style: Style {
                ascii: self.ascii,
                color: stdout().is_terminal(),
                below: None,
            },
        };
        if self.race {
            let seed = self.seed.unwrap_or_else(|| fastrand::u64(..));
            session.race(&puzzles, &race(&puzzles, seed))?;
        } else {
            let today = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_secs() / DAY);
            let index = daily(self.date.unwrap_or(today), puzzles.len());
            session.pose(&puzzles[index], None)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn puzzles(&self) -> Result<Vec<Puzzle>> {
        let (name, text) = match &self.file {
            Some(path) => (path.display().to_string(), job::read_text(path)?),
            None => ("the built-in puzzles".to_owned(), EMBEDDED.to_owned()),
        };
        let mut puzzles = Vec::new();
        for line in epd::read(&text) {
            match line {
                Ok(puzzle) => puzzles.push(puzzle),
                Err(error) => eprintln!("fission: {name}: {error}: skipped"),
            }
        }
        if puzzles.is_empty() {
            bail!("{name}: no puzzle");
        }
        Ok(puzzles)
    }
}

/// Somebody at the keyboard.
struct Session<R, W> {
    input: R,
    out: W,
    style: Style,
}

/// How a puzzle ended.
#[derive(Copy, Clone, Eq, PartialEq)]
enum End {
    Solved,
    Failed,
    /// The time was over, or the input, or the player wants to leave.
    Over,
}

impl<R: BufRead, W: Write> Session<R, W> {
    fn race(&mut self, puzzles: &[Puzzle], order: &[usize]) -> io::Result<()> {
        let end = Instant::now() + RACE_TIME;
        let mut solved = 0;
        writeln!(
            self.out,
            "{} puzzles, {} minutes. hint shows where to look, skip gives one up.",
            order.len().min(RACE_PUZZLES),
            RACE_TIME.as_secs() / 60
        )?;
        for (number, &index) in order.iter().enumerate() {
            writeln!(self.out, "\nPuzzle {} of {}", number + 1, order.len())?;
            match self.pose(&puzzles[index], Some(end))? {
                End::Solved => solved += 1,
                End::Failed => {}
                End::Over => break,
            }
        }
        let used = RACE_TIME.saturating_sub(end.saturating_duration_since(Instant::now()));
        writeln!(
            self.out,
            "\n{solved} of {} solved in {}:{:02}",
            order.len(),
            used.as_secs() / 60,
            used.as_secs() % 60
        )?;
        Ok(())
    }

    /// Poses a puzzle. In a race the first wrong move fails it.
    fn pose(&mut self, puzzle: &Puzzle, deadline: Option<Instant>) -> io::Result<End> {
        let style = Style {
            below: Some(puzzle.position.turn()),
            ..self.style
        };
        let mut attempt = Attempt::new(puzzle);
        let side = puzzle.position.turn().fold_wb("White", "Black");
        write!(
            self.out,
            "{}",
            style.board(&Scene::of_position(&puzzle.position))
        )?;
        writeln!(
            self.out,
            "{side} to move and win (difficulty {})",
            puzzle.difficulty
        )?;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match left {
                Some(left) => write!(
                    self.out,
                    "[{}:{:02}] ",
                    left.as_secs() / 60,
                    left.as_secs() % 60
                )?,
                None => write!(self.out, "move, hint or solution: ")?,
            }
            self.out.flush()?;
            let text = match input::read(&mut self.input) {
                Input::Line(text) => text,
                Input::TooLong(_) => continue,
                Input::End => {
                    writeln!(self.out)?;
                    return Ok(End::Over);
                }
            };
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                writeln!(self.out, "The time is over.")?;
                return Ok(End::Over);
            }
            let position = attempt.position().clone();
            match text.trim() {
                "" => {}
                "help" | "?" => writeln!(self.out, "{HELP}")?,
                "quit" => return Ok(End::Over),
                "hint" => match attempt.solution().from() {
                    Some(square) => writeln!(self.out, "Look at {square}.")?,
                    None => writeln!(self.out, "There is no hint.")?,
                },
                "skip" | "solution" => {
                    writeln!(
                        self.out,
                        "{}",
                        line::numbered(&puzzle.position, &puzzle.line)
                    )?;
                    return Ok(End::Failed);
                }
                text => match attempt.try_move(text) {
                    Err(error) => writeln!(self.out, "{error}; help lists what can be typed")?,
                    Ok(Answer::Wrong(m)) => {
                        writeln!(self.out, "{} does not win.", position.san(m))?;
                        if deadline.is_some() {
                            return Ok(End::Failed);
                        }
                    }
                    Ok(Answer::Right(m, reply)) => {
                        writeln!(self.out, "{}", line::numbered(&position, &[m, reply]))?;
                        write!(
                            self.out,
                            "{}",
                            style.board(&Scene::of_position(attempt.position()))
                        )?;
                    }
                    Ok(Answer::Solved(m)) => {
                        writeln!(self.out, "{}", line::numbered(&position, &[m]))?;
                        if let Some(blast) = Blast::of_move(&position, m) {
                            write!(self.out, "{}", style.blast(&position, &blast))?;
                        }
                        writeln!(self.out, "Solved: {}.", puzzle.theme_words().join(", "))?;
                        return Ok(End::Solved);
                    }
                },
            }
        }
    }
}

/// Days since 1970 of a date.
fn day(text: &str) -> Result<u64, String> {
    let expected = || format!("{text:?} is not a date like 2026-01-31");
    let mut parts = text.split(['-', '.']).map(str::parse::<u64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(expected());
    };
    let written = format!("{year:04}.{month:02}.{day:02}");
    // The days of a year are few enough to look through.
    let first = year.saturating_sub(1970) * 365;
    (first..first + 900)
        .find(|&days| {
            let moment = UNIX_EPOCH + Duration::from_secs(days * DAY);
            fission::tournament::pgn::utc_date(moment) == written
        })
        .ok_or_else(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLE: &str = "8/8/8/K7/1k6/p7/Q7/8 w - - pv Qxa3; c1 \"700\";\n";

    #[test]
    fn help_is_given_and_offered_where_a_line_is_no_move() {
        let puzzle = epd::read(PUZZLE).remove(0).expect("a puzzle");
        for deadline in [None, Some(Instant::now() + RACE_TIME)] {
            let mut session = Session {
                input: "help\nnonsense\nQxa3\n".as_bytes(),
                out: Vec::new(),
                style: Style {
                    ascii: true,
                    color: false,
                    below: None,
                },
            };
            let end = session.pose(&puzzle, deadline).expect("no fault");
            assert!(end == End::Solved);
            let text = String::from_utf8(session.out).expect("text");
            assert_eq!(text.matches(HELP).count(), 1, "{text}");
            let offer = text.lines().find(|line| line.contains("\"nonsense\""));
            assert!(offer.is_some_and(|line| line.contains("help")), "{text}");
        }
    }
}
