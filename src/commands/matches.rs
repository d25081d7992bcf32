//! `fission match`: plays engines against each other and measures them.

use std::{
    fs::OpenOptions,
    io::{IsTerminal, Write, stderr},
    num::NonZeroU32,
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result};
use clap::{ArgAction, ArgMatches, Command, FromArgMatches};
use fission::{
    rules::Ruleset,
    tournament::{
        adjudication::{Adjudication, DrawRule, ResignRule},
        engine::EngineSpec,
        openings,
        runner::{Match, MatchConfig, MatchEnd, new_run_name},
        schedule::Format,
        sprt::Sprt,
        standings::Standings,
        stop::StopSignal,
        table,
        time_control::{Limits, TimeControl, parse_seconds},
    },
};

/// Play UCI engines against each other and measure their strength
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    engines: Engines,

    /// Time control of all engines: moves/seconds+increment, e.g. 40/60+0.6 or 10+0.1
    #[arg(long, value_name = "TC")]
    tc: Option<TimeControl>,

    /// Seconds for each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    st: Option<Duration>,

    /// Depth of each search in plies
    #[arg(long)]
    depth: Option<u32>,

    /// Nodes of each search
    #[arg(long)]
    nodes: Option<u64>,

    /// Option for every engine that has it; Threads is 1 and Hash 16 unless named here
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = name_and_value)]
    options: Vec<(String, String)>,

    /// Let engines think in their opponent's time
    #[arg(long)]
    ponder: bool,

    /// How engines meet: round-robin, gauntlet (the first against the others) or knockout
    #[arg(long, default_value_t)]
    format: Format,

    /// Games of each encounter; both games of a pair start from one opening
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,

    /// Games played at the same time
    #[arg(long, default_value_t = 1)]
    concurrency: usize,

    /// Where games start: "builtin", or a file of EPD or FEN lines or of PGN games
    #[arg(long, value_name = "FILE", default_value = openings::BUILTIN)]
    openings: String,

    /// Play only the first plies of PGN openings
    #[arg(long, value_name = "PLIES")]
    opening_plies: Option<usize>,

    /// Shuffle the openings; the same seed gives the same order
    #[arg(long)]
    seed: Option<u64>,

    /// Rules: atomic (Lichess and FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    variant: Ruleset,

    /// Play with Chess960 castling even from openings that do not need it
    #[arg(long)]
    chess960: bool,

    /// Milliseconds that a move may come too late
    #[arg(long, value_name = "MS", default_value_t = 50)]
    time_margin: u64,

    /// Seconds after which an engine that owes an answer, and is not on its clock, is killed
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "10")]
    silence: Duration,

    /// An engine that sees itself lost loses: movecount=3,score=600[,twosided=on]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., value_delimiter = ',')]
    resign: Option<Vec<String>>,

    /// Engines that see nothing draw: movenumber=40,movecount=8,score=10
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., value_delimiter = ',')]
    draw: Option<Vec<String>>,

    /// Draw a game after this many moves
    #[arg(long, value_name = "MOVES")]
    max_moves: Option<NonZeroU32>,

    /// Stop when a sequential test on pairs of games is decided: elo0=0,elo1=10[,alpha=0.05,beta=0.05,model=logistic|normalized]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., value_delimiter = ',')]
    sprt: Option<Vec<String>>,

    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
}

/// The occurrences of `--engine`, each with its own words.
#[derive(Debug)]
struct Engines(Vec<EngineSpec>);

impl clap::Args for Engines {
    fn augment_args(command: Command) -> Command {
        command.arg(
            clap::Arg::new("engine")
                .long("engine")
                .value_name("KEY=VALUE")
                .num_args(1..)
                .action(ArgAction::Append)
                .help(
                    "An engine: cmd= (default: this program), name=, dir=, option.NAME=, tc=, st=, depth=, nodes=, ponder=, restart=",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut engines = Vec::new();
        for words in matches
            .get_occurrences::<String>("engine")
            .into_iter()
            .flatten()
        {
            let spec = EngineSpec::from_words(&Vec::from_iter(words)).map_err(|error| {
                clap::Error::raw(
                    clap::error::ErrorKind::ValueValidation,
                    format!("{error}\n"),
                )
            })?;
            engines.push(spec);
        }
        Ok(Engines(engines))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("write NAME=VALUE, e.g. Hash=64")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Runs the command.
///
/// # Errors
///
/// When the match cannot start or go on.
pub fn run(args: Args) -> Result<ExitCode> {
    let stop = StopSignal::new();
    let on_interrupt = stop.clone();
    ctrlc::set_handler(move || on_interrupt.stop()).context("cannot catch Ctrl-C")?;

    let mut openings = openings::load(&args.openings, args.opening_plies, args.variant)?;
    if let Some(seed) = args.seed {
        openings::shuffle(&mut openings, seed);
    }
    let sprt = args.sprt.as_deref().map(Sprt::from_words).transpose()?;
    let adjudication = Adjudication {
        resign: args
            .resign
            .as_deref()
            .map(ResignRule::from_words)
            .transpose()?,
        draw: args.draw.as_deref().map(DrawRule::from_words).transpose()?,
        max_moves: args.max_moves,
    };
    let mut options = vec![
        ("Threads".to_owned(), "1".to_owned()),
        ("Hash".to_owned(), "16".to_owned()),
    ];
    options.extend(args.options.iter().cloned());
    let config = MatchConfig {
        event: "Fission match".to_owned(),
        engines: args.engines.0,
        format: args.format,
        games: args.games,
        openings,
        ruleset: args.variant,
        chess960: args.chess960,
        options,
        limits: Limits {
            clock: args.tc,
            move_time: args.st,
            depth: args.depth,
            nodes: args.nodes,
        },
        ponder: args.ponder,
        concurrency: args.concurrency,
        margin: Duration::from_millis(args.time_margin),
        silence: args.silence,
        adjudication,
        sprt,
    };
    let mut pgn = match &args.pgn {
        Some(path) => Some(
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(path)
                .with_context(|| format!("cannot write games to '{}'", path.display()))?,
        ),
        None => None,
    };
    let prepared = Match::prepare(config, &stop)?;
    let names = prepared.names().to_vec();
    let mut games = Vec::new();
    let mut trouble = None;
    let live = stderr().is_terminal();
    let end = prepared.play(&new_run_name(), &mut games, &mut |finished| {
        if let Some(file) = &mut pgn
            && let Err(error) = file.write_all(finished.pgn.as_bytes())
        {
            trouble = Some(error);
            stop.stop();
        }
        if live {
            let standings = Standings::new(&names, finished.games);
            if let Some(row) = standings.encounters.first() {
                eprint!(
                    "\r{}/{} {} v {}: +{} -{} ={} Elo {}\x1b[K",
                    finished.games.len(),
                    finished.total,
                    row.first,
                    row.second,
                    row.tally.wins,
                    row.tally.losses,
                    row.tally.draws,
                    table::elo(&row.estimate)
                );
            }
        }
    })?;
    if live {
        eprintln!();
    }
    let standings = Standings::new(&names, &games);
    let pairs = standings
        .encounters
        .first()
        .map(|row| row.pentanomial)
        .unwrap_or_default();
    let status = sprt.map(|sprt| sprt.status(&pairs));
    print!("{}", table::render(&standings, status.as_ref(), &games));
    if let Some(error) = trouble {
        return Err(error).context("cannot write games");
    }
    Ok(if end == MatchEnd::Stopped {
        ExitCode::from(130)
    } else if standings.has_faults() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
