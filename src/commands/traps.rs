//! `fission traps`: opening traps to look at, to check and to find.

use std::{
    cell::Cell,
    io::{self, IsTerminal, Write, stdout},
    path::PathBuf,
    process::ExitCode,
    sync::Mutex,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use fission::{
    diagram::{Blast, Scene, text::Style},
    games::{line, read::Reading, source::Source},
    mate::Solver,
    rules::{Position, Ruleset},
    search::Pool,
    traps::{
        Collection, Proof, Trap, check,
        find::{Effort, Finder, Found},
        read,
    },
};
use rayon::prelude::*;

use super::job::{self, ProgressLine};

/// Opening traps: list them, replay them, prove them, find new ones.
///
/// Without a word the traps are listed.
///
/// Example: fission traps show "Nf3 d5"
#[derive(Debug, Args)]
pub struct Traps {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the traps, or those whose name, moves or file contain the words
    List(Selection),
    /// Replay a trap move by move
    Show {
        #[command(flatten)]
        selection: Selection,
        /// Draw with letters, not with Unicode chess men
        #[arg(long)]
        ascii: bool,
    },
    /// Print the traps as PGN
    Pgn(Selection),
    /// Prove every claim, and let the search alone find each refutation
    Check {
        #[command(flatten)]
        selection: Selection,
        /// How long the search may take on one thread, in seconds
        #[arg(long, default_value_t = 10.0)]
        time: f64,
        /// Traps checked at once; all cores if left out
        #[arg(long, value_parser = super::thread_count)]
        threads: Option<usize>,
    },
    /// Find new traps, as PGN: in games, or by walking through openings
    Find(Find),
}

/// Which traps are meant.
#[derive(Debug, Args)]
struct Selection {
    /// A number from the list, or words of the name or the moves
    words: Vec<String>,
    /// Traps of this PGN file instead of those in the program
    #[arg(long)]
    file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Find {
    /// Games to look through; without any, openings are walked through
    games: Vec<PathBuf>,
    /// Look at every reply to every first move instead
    #[arg(long, conflicts_with = "games")]
    replies: bool,
    /// The last move looked at
    #[arg(long, default_value_t = 8)]
    moves: usize,
    /// How many walks
    #[arg(long, default_value_t = 20)]
    walks: usize,
    /// Seed of the walks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The longest win to prove, in moves
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=30))]
    longest: u8,
    /// Nodes to prove one win
    #[arg(long, default_value_t = 30_000)]
    nodes: u64,
    /// Nodes of a search whose score counts where no win is proved; 0 for none
    #[arg(long, default_value_t = 0)]
    search_nodes: u64,
}

impl Traps {
    /// Does what was asked. The exit status is 1 when a claim does not hold or
    /// a game was skipped.
    pub fn run(&self) -> Result<ExitCode> {
        match &self.action {
            None => list(&Selection {
                words: Vec::new(),
                file: None,
            }),
            Some(Action::List(selection)) => list(selection),
            Some(Action::Show { selection, ascii }) => show(selection, *ascii),
            Some(Action::Pgn(selection)) => pgn(selection),
            Some(Action::Check {
                selection,
                time,
                threads,
            }) => check_all(selection, *time, *threads),
            Some(Action::Find(find)) => find.run(),
        }
    }
}

impl Selection {
    /// The traps meant, with their numbers.
    fn traps(&self) -> Result<Vec<(usize, Trap)>> {
        let all = match &self.file {
            None => Collection::embedded().traps().to_vec(),
            Some(path) => {
                let text = job::read_text(path)?;
                read(&path.display().to_string(), &text)
                    .into_iter()
                    .collect::<Result<_, _>>()?
            }
        };
        let words = self.words.join(" ").to_lowercase();
        let number: Option<usize> = words.parse().ok();
        let chosen: Vec<_> = (1..)
            .zip(all)
            .filter(|(index, trap)| match number {
                Some(number) => *index == number,
                None => description(trap).to_lowercase().contains(&words),
            })
            .collect();
        if chosen.is_empty() {
            bail!(
                "no trap is called {:?}: `fission traps` lists them",
                self.words.join(" ")
            );
        }
        Ok(chosen)
    }
}

/// Name and moves, which is what selections are matched with.
fn description(trap: &Trap) -> String {
    let moves = line::numbered(&trap.game.start, &trap.line[..=trap.mistake]);
    let bare = Position::startpos(Ruleset::Lichess)
        .san_line(&trap.line)
        .join(" ");
    format!("{} | {moves} | {bare} | {}", trap.name, trap.file)
}

fn list(selection: &Selection) -> Result<ExitCode> {
    let mut out = stdout().lock();
    for (number, trap) in selection.traps()? {
        let (moves, refutation) = trap.line.split_at(trap.mistake + 1);
        writeln!(
            out,
            "{number:>3}  {} ({})\n     {}?? {}",
            trap.name,
            trap.proof,
            line::numbered(&trap.game.start, moves),
            line::numbered(&trap.position(), &refutation[..1])
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pgn(selection: &Selection) -> Result<ExitCode> {
    let mut out = stdout().lock();
    for (_, trap) in selection.traps()? {
        let tags = trap
            .game
            .tags
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        write!(out, "{}", fission::games::pgn::tags(tags))?;
        write!(out, "{}", trap.movetext())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(selection: &Selection, ascii: bool) -> Result<ExitCode> {
    let chosen = selection.traps()?;
    let [(number, trap)] = chosen.as_slice() else {
        let names = Vec::from_iter(
            chosen
                .iter()
                .map(|(number, trap)| format!("{number:>3}  {}", trap.name)),
        );
        bail!("which of these?\n{}", names.join("\n"));
    };
    let style = Style {
        ascii,
        color: stdout().is_terminal(),
        below: Some(trap.winner()),
    };
    let mut out = stdout().lock();
    writeln!(out, "{number}. {} ({})", trap.name, trap.proof)?;
    let mut position = trap.game.start.clone();
    for (index, ply) in trap.game.plies.iter().enumerate() {
        let mark = if index == trap.mistake { "??" } else { "" };
        writeln!(out, "\n{}{mark}", line::numbered(&position, &[ply.m]))?;
        if let Some(blast) = Blast::of_move(&position, ply.m) {
            write!(out, "{}", style.blast(&position, &blast))?;
            writeln!(out, "{}", blast.describe())?;
        }
        write!(out, "{}", style.board(&Scene::of_move(&position, ply.m)))?;
        for comment in &ply.comments {
            writeln!(out, "{comment}")?;
        }
        for variation in &ply.variations {
            writeln!(out, "  or {variation}")?;
        }
        position.play(ply.m);
    }
    Ok(ExitCode::SUCCESS)
}

fn check_all(selection: &Selection, seconds: f64, threads: Option<usize>) -> Result<ExitCode> {
    job::catch_interrupts()?;
    if !(0.0..1e6).contains(&seconds) {
        bail!("--time {seconds}: expected a number of seconds from 0 to a million");
    }
    let patience = Duration::from_secs_f64(seconds);
    let traps = selection.traps()?;
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .context("cannot start the threads")?;
    let progress = ProgressLine::new();
    let sums = Mutex::new((0usize, 0usize, Duration::ZERO));
    threads.install(|| -> io::Result<()> {
        traps.par_iter().try_for_each_init(
            || (Solver::new(128), Pool::default()),
            |(solver, pool), (number, trap)| {
                if job::is_interrupted() {
                    return Ok(());
                }
                let outcome = check::check(trap, solver, pool, patience, &job::is_interrupted);
                let mut sums = sums.lock().expect("no thread panics");
                sums.0 += 1;
                sums.1 += usize::from(outcome.holds());
                sums.2 = sums.2.max(outcome.seen_after.unwrap_or(patience));
                progress.clear();
                let proof = match outcome.proved {
                    Some(true) => format!(
                        "{} proved in {:.2} s",
                        trap.proof,
                        outcome.proof_time.as_secs_f64()
                    ),
                    Some(false) => format!("NOT PROVED: {}", trap.proof),
                    None => trap.proof.to_string(),
                };
                let seen = match (&outcome.found, outcome.seen_after) {
                    (Some(m), Some(time)) => {
                        format!("the search finds {m} after {:.2} s", time.as_secs_f64())
                    }
                    _ => format!("NOT SEEN by the search within {seconds} s"),
                };
                writeln!(stdout(), "{number:>3}  {}: {proof}; {seen}", trap.name)?;
                progress.show(|| format!("{} of {} checked", sums.0, traps.len()));
                Ok(())
            },
        )
    })?;
    progress.clear();
    let (checked, sound, slowest) = sums.into_inner().expect("no thread panics");
    writeln!(
        stdout(),
        "{sound} of {checked} traps hold; the slowest refutation was found after {:.2} s",
        slowest.as_secs_f64()
    )?;
    Ok(job::status(sound == traps.len()))
}

impl Find {
    fn run(&self) -> Result<ExitCode> {
        job::catch_interrupts()?;
        let effort = Effort {
            moves: self.longest,
            proof_nodes: self.nodes,
            search_nodes: self.search_nodes,
        };
        let progress = ProgressLine::new();
        let failure = Cell::new(None);
        let is_over = || {
            let error = failure.take();
            let failed = error.is_some();
            failure.set(error);
            failed || job::is_interrupted()
        };
        let mut finder = Finder::new(effort, &is_over);
        let (mut count, mut proved) = (0, 0);
        let mut take = |found: Found| {
            count += 1;
            proved += usize::from(matches!(found.proof, Proof::Win(_)));
            progress.clear();
            if let Err(error) = write!(stdout(), "{}", found.pgn()) {
                failure.set(Some(error));
            }
            progress.show(|| format!("{count} traps"));
        };
        let plies = 2 * self.moves;
        let mut skipped = 0;
        if self.replies {
            finder.first_replies(&mut take);
        } else if self.games.is_empty() {
            let mut rng = fastrand::Rng::with_seed(self.seed);
            for _ in 0..self.walks {
                finder.walk(plies, &mut rng, &mut take);
            }
        } else {
            for game in Source::new(&self.games, Reading::default()) {
                match game {
                    Ok(game) if game.start == Position::startpos(Ruleset::Lichess) => {
                        finder.game(&game.moves(), plies, &mut take);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        skipped += 1;
                        eprintln!("fission: {error}");
                    }
                }
            }
        }
        progress.clear();
        if let Some(error) = failure.take() {
            return Err(error).context("cannot write the traps");
        }
        eprintln!("{count} traps found, {proved} of them proved move by move");
        Ok(job::status(skipped == 0))
    }
}
