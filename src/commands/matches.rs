//! `fission match`: plays engines against each other and measures them.

mod engines;
mod merge;
mod progress;

use std::{
    fs::{self, File, OpenOptions},
    io::{Write, stdout},
    num::NonZeroU32,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::{ArgAction, Subcommand};
use fission::{
    endgame::Tables,
    rules::Ruleset,
    tournament::{
        adjudication::{Adjudication, DrawRule, ResignRule},
        journal::{Journal, Past},
        openings,
        report::{EngineEntry, Report},
        runner::{Finished, Match, MatchConfig, MatchEnd, new_run_name},
        schedule::Format,
        settings::Settings,
        sprt::Sprt,
        stop::StopSignal,
        table,
        time_control::{Limits, TimeControl, parse_seconds},
    },
};

use self::{engines::Engines, progress::Progress};
use super::job;

const LONG_ABOUT: &str = "Play UCI engines against each other and measure their strength.

Engines meet head-to-head, in a gauntlet, round robin or knockout. Each opening is played
twice with colours swapped. The referee owns the clock; an engine that crashes, stops
answering, plays an illegal move or oversteps its time loses the game (a flag that falls
against a bare king draws), is started anew if need be, and is named at the end.

Finished games are kept in a journal. After Ctrl-C, or after any other interruption, the same
command with --resume plays the remaining games.";

const EXAMPLES: &str = "Examples:
  Is the new build stronger than the old one? Play until that is clear:
    fission match --engine cmd=./new --engine cmd=./old --tc 10+0.1 --games 20000 \\
        --concurrency 4 --seed 1 --sprt elo0=0 elo1=10

  200 games against another engine that gets twice the time, kept as PGN and JSON:
    fission match --engine name=fission --engine cmd=\"node peer.js dir\" name=peer tc=20+0.2 \\
        --tc 10+0.1 --option Hash=64 --games 200 --pgn games.pgn --json result.json

  One table from matches played on several machines:
    fission match merge host1.json host2.json

Exit status: 0 when all went well, 1 when an engine lost on time, crashed, hung or played an
illegal move, 2 when the match could not be played, 130 when it was interrupted.";

/// Exit status after an interrupt.
const INTERRUPTED: u8 = 130;

/// Play UCI engines against each other and measure their strength
#[derive(Debug, clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    play: Play,
}

#[derive(Debug, Subcommand)]
enum Action {
    Merge(merge::Args),
}

#[derive(Debug, clap::Args)]
struct Play {
    #[command(flatten)]
    engines: Engines,

    /// Time control of all engines: moves/seconds+increment, e.g. 40/60+0.6 or 10+0.1
    #[arg(long, value_name = "TC", help_heading = "Limits")]
    tc: Option<TimeControl>,

    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, help_heading = "Limits")]
    st: Option<Duration>,

    /// Depth of each search in plies
    #[arg(long, value_name = "PLIES", help_heading = "Limits")]
    depth: Option<u32>,

    /// Nodes of each search
    #[arg(long, help_heading = "Limits")]
    nodes: Option<u64>,

    /// Milliseconds that a move may come too late
    #[arg(long, value_name = "MS", default_value_t = 50, help_heading = "Limits")]
    time_margin: u64,

    /// Seconds that an engine may owe an answer while no clock of its runs; then it is killed
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = parse_seconds,
        default_value = "10",
        help_heading = "Limits"
    )]
    silence: Duration,

    /// Option for every engine that has it; Threads is 1 and Hash is 16 unless named here
    #[arg(
        long = "option",
        value_name = "NAME=VALUE",
        value_parser = engines::name_and_value,
        help_heading = "Engines"
    )]
    options: Vec<(String, String)>,

    /// Let engines think in their opponent's time
    #[arg(long, help_heading = "Engines")]
    ponder: bool,

    /// How engines meet: round-robin, gauntlet (the first against the others) or knockout
    #[arg(long, default_value_t, help_heading = "Games")]
    format: Format,

    /// Games of each encounter; a knockout makes it even
    #[arg(
        long,
        default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Games"
    )]
    games: u32,

    /// Games played at the same time
    #[arg(
        long,
        value_name = "GAMES",
        default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..),
        help_heading = "Games"
    )]
    concurrency: u16,

    /// Where games start: "builtin", "chess960" (its 960 starts), or a file of EPD or FEN lines or of PGN games
    #[arg(long, value_name = "FILE", default_value = openings::BUILTIN, help_heading = "Games")]
    openings: String,

    /// Play only the first plies of PGN openings
    #[arg(long, value_name = "PLIES", help_heading = "Games")]
    opening_plies: Option<usize>,

    /// Shuffle the openings; the same seed gives the same order
    #[arg(long, help_heading = "Games")]
    seed: Option<u64>,

    /// Rules: atomic (Lichess and FICS) or nocheckatomic (ICC)
    #[arg(long, value_name = "RULES", default_value_t, help_heading = "Games")]
    variant: Ruleset,

    /// Send castling as in Chess960 even from openings that do not need it
    #[arg(long, help_heading = "Games")]
    chess960: bool,

    /// An engine that sees itself lost loses: movecount=3,score=600,twosided=off
    #[arg(
        long,
        value_name = "KEY=VALUE",
        num_args = 0..,
        value_delimiter = ',',
        help_heading = "Early ends"
    )]
    resign: Option<Vec<String>>,

    /// Engines that see nothing draw: movenumber=40,movecount=8,score=10
    #[arg(
        long,
        value_name = "KEY=VALUE",
        num_args = 0..,
        value_delimiter = ',',
        help_heading = "Early ends"
    )]
    draw: Option<Vec<String>>,

    /// Draw a game after this many moves
    #[arg(long, value_name = "MOVES", help_heading = "Early ends")]
    max_moves: Option<NonZeroU32>,

    /// End games that the Syzygy tables in this folder know
    #[arg(long, value_name = "FOLDER", help_heading = "Early ends")]
    tb: Option<PathBuf>,

    /// Stop when a sequential test on pairs of games is decided: elo0=0,elo1=10,alpha=0.05,beta=0.05,model=logistic (or normalized)
    #[arg(
        long,
        value_name = "KEY=VALUE",
        num_args = 0..,
        value_delimiter = ',',
        help_heading = "Early ends"
    )]
    sprt: Option<Vec<String>>,

    /// Append the games to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pgn: Option<PathBuf>,

    /// Write all figures and a record of each game to this file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    /// Where finished games are remembered [default: next to the JSON or PGN file, else fission-match.journal]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    journal: Option<PathBuf>,

    /// Continue an interrupted match
    #[arg(long, action = ArgAction::SetTrue, help_heading = "Output")]
    resume: bool,

    /// The event's name in PGN
    #[arg(long, default_value = "Fission match", help_heading = "Output")]
    event: String,
}

impl Play {
    fn config(&self) -> Result<MatchConfig> {
        let mut openings = openings::load(&self.openings, self.opening_plies, self.variant)?;
        if let Some(seed) = self.seed {
            openings::shuffle(&mut openings, seed);
        }
        let mut options = vec![
            ("Threads".to_owned(), "1".to_owned()),
            ("Hash".to_owned(), "16".to_owned()),
        ];
        options.extend(self.options.iter().cloned());
        Ok(MatchConfig {
            event: self.event.clone(),
            engines: self.engines.0.clone(),
            format: self.format,
            games: self.games,
            openings,
            ruleset: self.variant,
            chess960: self.chess960,
            options,
            limits: Limits {
                clock: self.tc,
                move_time: self.st,
                depth: self.depth,
                nodes: self.nodes,
            },
            ponder: self.ponder,
            concurrency: self.concurrency.into(),
            margin: Duration::from_millis(self.time_margin),
            silence: self.silence,
            adjudication: Adjudication {
                resign: self
                    .resign
                    .as_deref()
                    .map(ResignRule::from_words)
                    .transpose()?,
                draw: self.draw.as_deref().map(DrawRule::from_words).transpose()?,
                max_moves: self.max_moves,
                tables: self.tb.as_deref().map(Tables::open).transpose()?,
            },
            sprt: self.sprt.as_deref().map(Sprt::from_words).transpose()?,
        })
    }

    /// Refuses outputs that would overwrite the openings or one another.
    fn refuse_overwriting(&self) -> Result<()> {
        let journal = self.journal_path();
        let outputs = [self.pgn.as_deref(), self.json.as_deref(), Some(&journal)];
        job::refuse_overwriting(
            &[PathBuf::from(&self.openings)],
            &Vec::from_iter(outputs.into_iter().flatten()),
        )
    }

    fn journal_path(&self) -> PathBuf {
        let beside = self.json.as_ref().or(self.pgn.as_ref());
        let beside = beside.map(|path| path.with_extension("journal"));
        let given = self.journal.clone().or(beside);
        given.unwrap_or_else(|| PathBuf::from("fission-match.journal"))
    }

    /// Opens the journal, at its beginning or where it was left.
    fn open_journal(&self, config: &MatchConfig) -> Result<(Journal, Past)> {
        let path = self.journal_path();
        let settings = Settings::new(config);
        if self.resume {
            if let Some((journal, past)) = Journal::resume(&path, &settings)? {
                progress::note(&format!("resuming after {} games", past.games.len()));
                return Ok((journal, past));
            }
            progress::note(&format!(
                "nothing to resume in '{}': starting with the first game",
                path.display()
            ));
        }
        let run = new_run_name();
        let (journal, kept) = Journal::create(&path, &run, &settings)?;
        if let Some(kept) = kept {
            progress::note(&format!(
                "the journal of an earlier match is now '{}'",
                kept.display()
            ));
        }
        Ok((
            journal,
            Past {
                run,
                games: Vec::new(),
                seconds: 0.0,
            },
        ))
    }
}

/// Runs the command.
///
/// # Errors
///
/// When the match cannot start or go on.
pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Some(Action::Merge(args)) => merge::run(&args),
        None => play(&args.play),
    }
}

fn play(args: &Play) -> Result<ExitCode> {
    args.refuse_overwriting()?;
    let stop = StopSignal::new();
    catch_interrupt(&stop)?;
    let config = args.config()?;
    if let Some(path) = &args.json {
        check_writable(path)?;
    }
    let mut pgn = args.pgn.as_deref().map(open_to_append).transpose()?;
    let prepared = match Match::prepare(config.clone(), &stop) {
        Err(_) if stop.is_stopped() => return Ok(ExitCode::from(INTERRUPTED)),
        prepared => prepared?,
    };
    let (mut journal, past) = args.open_journal(&config)?;
    let names = prepared.names().to_vec();
    let entries = names.iter().zip(&config.engines);
    let entries =
        Vec::from_iter(entries.map(|(name, spec)| EngineEntry::new(name, spec, config.limits)));

    let mut games = past.games;
    let mut progress = Progress::new(&names, config.sprt);
    let mut trouble = None;
    let started = Instant::now();
    let played = prepared.play(&past.run, &mut games, &mut |finished: Finished<'_>| {
        let seconds = past.seconds + started.elapsed().as_secs_f64();
        let kept = keep(&mut journal, pgn.as_mut(), &finished, seconds);
        if let Err(error) = kept {
            trouble.get_or_insert(error);
            stop.stop();
        }
        progress.show(&finished);
    });
    progress.clear();
    let seconds = past.seconds + started.elapsed().as_secs_f64();
    let planned = config.games;
    let mut report = Report::new(config.ruleset.uci_name(), entries, games, config.sprt);
    report.complete = matches!(played, Ok(MatchEnd::Complete)) && trouble.is_none();
    report.slot_seconds = seconds * f64::from(args.concurrency);
    let printed = stdout().write_all(table::render(&report).as_bytes());
    if let Some(path) = &args.json {
        write_report(path, &report)?;
    }
    printed.context("cannot print the table")?;
    if let Some(error) = trouble {
        return Err(error);
    }
    if played? == MatchEnd::Stopped {
        progress::note(&format!(
            "stopped after {} games of {planned} an encounter; the same command with --resume plays the others",
            report.games.len(),
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    Ok(exit_code(&report))
}

/// Success unless an engine did something wrong.
fn exit_code(report: &Report) -> ExitCode {
    if report.standings.has_faults() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// The first interrupt stops the match, a second one the program.
fn catch_interrupt(stop: &StopSignal) -> Result<()> {
    let stop = stop.clone();
    ctrlc::set_handler(move || {
        if stop.is_stopped() {
            std::process::exit(INTERRUPTED.into());
        }
        stop.stop();
    })
    .context("cannot catch Ctrl-C")
}

/// Writes a finished game to PGN and journal.
fn keep(
    journal: &mut Journal,
    pgn: Option<&mut File>,
    finished: &Finished<'_>,
    seconds: f64,
) -> Result<()> {
    if let Some(file) = pgn {
        file.write_all(finished.pgn.as_bytes())
            .context("cannot write the game as PGN")?;
    }
    Ok(journal.add(finished.record, seconds)?)
}

fn open_to_append(path: &Path) -> Result<File> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.with_context(|| format!("cannot write games to '{}'", path.display()))
}

/// Finds out before the first game whether the report can be written after the last.
fn check_writable(path: &Path) -> Result<()> {
    let directory = path
        .parent()
        .filter(|directory| !directory.as_os_str().is_empty());
    if directory.is_some_and(|directory| !directory.is_dir()) || path.is_dir() {
        bail!(
            "cannot write the result to '{}': no such directory, or it is one",
            path.display()
        );
    }
    Ok(())
}

fn write_report(path: &Path, report: &Report) -> Result<()> {
    let text = serde_json::to_string_pretty(report)? + "\n";
    fs::write(path, text).with_context(|| format!("cannot write '{}'", path.display()))
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches};

    use super::*;

    #[test]
    fn outputs_overwrite_neither_the_openings_nor_one_another() {
        let folder = std::env::temp_dir().join(format!("fission-match-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("openings.pgn"), "*").expect("openings");
        let refused = |options: &[(&str, &str)]| {
            let mut words = ["match", "--engine", "self"].map(str::to_owned).to_vec();
            for (option, name) in options {
                words.extend([
                    (*option).to_owned(),
                    folder.join(name).display().to_string(),
                ]);
            }
            let matches = Args::augment_args(Command::new("match")).try_get_matches_from(words);
            let args = Args::from_arg_matches(&matches.expect("words")).expect("arguments");
            args.play.refuse_overwriting().is_err()
        };
        for options in [
            [("--pgn", "same.x"), ("--json", "same.x")],
            [("--pgn", "same.x"), ("--journal", "same.x")],
            [("--json", "same.x"), ("--journal", "same.x")],
            [
                ("--json", "a.journal"),
                ("--event", "the journal lies beside"),
            ],
            [("--openings", "openings.pgn"), ("--pgn", "openings.pgn")],
            [("--openings", "openings.pgn"), ("--json", "openings.pgn")],
        ] {
            assert!(refused(&options), "{options:?}");
        }
        for options in [
            [("--pgn", "same.pgn"), ("--json", "same.json")],
            [("--openings", "openings.pgn"), ("--pgn", "games.pgn")],
        ] {
            assert!(!refused(&options), "{options:?}");
        }
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
