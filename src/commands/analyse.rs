//! `fission analyse`: the best moves of a position, as a table or as JSON.

use std::{
    io::{IsTerminal, Write, stdout},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::{
    rules::{Position, Ruleset, result},
    search::{
        Control, Info, Limits, Pool, Report, SearchOptions,
        score::{Bound, mate_distance, win_draw_loss},
    },
};
use serde::Serialize;

/// Find the best moves of a position.
///
/// Without a limit it thinks for ten seconds.
///
/// Example: fission analyse --fen "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2"
/// --multipv 3
#[derive(Debug, Args)]
pub struct Analyse {
    /// The position; the start of the game if left out
    #[arg(long)]
    fen: Option<String>,
    /// Moves to play first, in SAN or UCI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    rules: Ruleset,
    /// Stop after this many plies
    #[arg(long)]
    depth: Option<usize>,
    /// Stop after this many nodes
    #[arg(long)]
    nodes: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// How many best moves to show
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    multipv: u16,
    /// Search threads; all cores if left out
    #[arg(long, value_parser = super::thread_count)]
    threads: Option<usize>,
    /// Size of the hash table in MiB
    #[arg(long, default_value_t = 256, value_parser = super::hash_size)]
    hash: usize,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// One variation, as written to JSON.
#[derive(Serialize)]
struct Variation {
    rank: usize,
    depth: usize,
    seldepth: usize,
    /// For the side to move, in centipawns; absent when mate is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    centipawns: Option<i32>,
    /// Moves to mate, negative when the side to move gets mated.
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    /// Win, draw and loss in thousandths.
    wdl: [u32; 3],
    san: Vec<String>,
    uci: Vec<String>,
}

#[derive(Serialize)]
struct Analysis {
    fen: String,
    rules: String,
    nodes: u64,
    seconds: f64,
    /// How the game has ended, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    variations: Vec<Variation>,
}

impl Analyse {
    /// Searches and prints.
    pub fn run(&self) -> Result<ExitCode> {
        let (position, keys) = self.position()?;
        let limits = self.limits()?;
        let mut pool = Pool::default();
        pool.set_threads(self.threads.unwrap_or_else(rayon::current_num_threads));
        pool.set_hash(self.hash)?;
        let options = SearchOptions {
            multi_pv: usize::from(self.multipv),
            overhead: Duration::ZERO,
            analysing: true,
            ..SearchOptions::default()
        };
        let mut out = stdout().lock();
        if !self.json {
            writeln!(out, "{}\n{}", position.diagram(), position.fen())?;
            if let Some(result) = result(&position, &keys) {
                writeln!(
                    out,
                    "The game is over: {} ({})",
                    result.as_str(),
                    result.termination
                )?;
            }
            writeln!(
                out,
                "\n{:>5} {:>8} {:>8} {:>9}  line",
                "depth", "score", "time", "nodes"
            )?;
        }
        let control = Control::new(&limits);
        let mut failure = None;
        let found = pool.search(
            &position,
            &keys,
            &limits,
            &options,
            &control,
            &mut |report| {
                if let Report::Info(info) = report
                    && !self.json
                    && info.bound == Bound::Exact
                    && let Err(error) = writeln!(out, "{}", table_line(&position, info))
                {
                    failure = Some(error);
                    control.stop();
                }
            },
        );
        if let Some(error) = failure {
            return Err(error).context("cannot write the table");
        }
        if self.json {
            let analysis = Analysis {
                fen: position.fen(),
                rules: position.ruleset().to_string(),
                nodes: found.nodes,
                seconds: found
                    .variations
                    .first()
                    .map_or(0.0, |info| info.time.as_secs_f64()),
                over: result(&position, &keys)
                    .map(|result| format!("{} ({})", result.as_str(), result.termination)),
                variations: found
                    .variations
                    .iter()
                    .map(|info| variation(&position, info))
                    .collect(),
            };
            writeln!(out, "{}", serde_json::to_string_pretty(&analysis)?)?;
        } else if found.variations.is_empty() {
            writeln!(out, "There is no legal move.")?;
        } else {
            writeln!(out, "\n{}", summary(&position, &found.variations))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The position asked about, and the keys of those before it.
    fn position(&self) -> Result<(Position, Vec<u64>)> {
        let mut position = match &self.fen {
            Some(fen) => Position::from_fen(fen, self.rules)?,
            None => Position::startpos(self.rules),
        };
        let mut keys = Vec::new();
        for text in &self.moves {
            let m = position
                .parse_san(text)
                .or_else(|_| position.parse_uci(text))
                .with_context(|| format!("move {}", keys.len() + 1))?;
            keys.push(position.key());
            position.play(m);
        }
        Ok((position, keys))
    }

    fn limits(&self) -> Result<Limits> {
        let time = match self.time {
            Some(seconds) if !(0.0..1e9).contains(&seconds) => {
                bail!("--time {seconds}: expected a number of seconds from 0 to a billion")
            }
            Some(seconds) => Some(Duration::from_secs_f64(seconds)),
            None if self.depth.is_none() && self.nodes.is_none() => Some(Duration::from_secs(10)),
            None => None,
        };
        Ok(Limits {
            depth: self.depth,
            nodes: self.nodes,
            movetime: time,
            ..Limits::default()
        })
    }
}

/// A score as people read it: pawns with sign, or `#` and moves to mate.
fn score_text(info: &Info) -> String {
    match mate_distance(info.score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(info.score) / 100.0),
    }
}

fn table_line(position: &Position, info: &Info) -> String {
    format!(
        "{:>5} {:>8} {:>7.2}s {:>9}  {}",
        format!("{}/{}", info.depth, info.seldepth),
        score_text(info),
        info.time.as_secs_f64(),
        quantity(info.nodes),
        numbered(position, &position.san_line(&info.pv))
    )
}

/// A count with three digits and a unit.
fn quantity(count: u64) -> String {
    let count = count as f64;
    match count {
        0.0..1e4 => format!("{count}"),
        1e4..1e7 => format!("{:.0}k", count / 1e3),
        1e7..1e10 => format!("{:.1}M", count / 1e6),
        _ => format!("{:.1}G", count / 1e9),
    }
}

/// Moves with their numbers, shortened for a terminal.
fn numbered(position: &Position, moves: &[String]) -> String {
    const MOST: usize = 14;
    let shown = if stdout().is_terminal() {
        moves.len().min(MOST)
    } else {
        moves.len()
    };
    let mut text = String::new();
    let mut number = position.fullmoves().get();
    let mut white = position.turn().is_white();
    for (index, san) in moves[..shown].iter().enumerate() {
        if white {
            text.push_str(&format!("{number}.{san} "));
        } else {
            if index == 0 {
                text.push_str(&format!("{number}..."));
            }
            text.push_str(&format!("{san} "));
            number += 1;
        }
        white = !white;
    }
    if shown < moves.len() {
        text.push_str("...");
    }
    text.trim_end().to_owned()
}

/// The best moves in words, with their ranks if there are several.
fn summary(position: &Position, variations: &[Info]) -> String {
    variations
        .iter()
        .map(|info| {
            let san = info
                .pv
                .first()
                .map_or_else(String::new, |&m| position.san(m));
            let [win, _, loss] = win_draw_loss(info.score);
            let verdict = match mate_distance(info.score) {
                Some(moves) if moves > 0 => format!("wins by force in {moves}"),
                Some(moves) => format!("loses by force in {}", -moves),
                None => {
                    let percent = |share: u32| (share + 5) / 10;
                    let (win, loss) = (percent(win), percent(loss));
                    let draw = 100 - win - loss;
                    let score = score_text(info);
                    format!("{score} (win {win}%, draw {draw}%, loss {loss}%)")
                }
            };
            match info.multi_pv {
                1 => format!("Best is {san}: {verdict}"),
                rank => format!("then {san} (number {rank}): {verdict}"),
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn variation(position: &Position, info: &Info) -> Variation {
    let mut uci = Vec::new();
    let mut current = position.clone();
    for &m in &info.pv {
        uci.push(current.uci(m, position.is_chess960()));
        current.play(m);
    }
    let mate = mate_distance(info.score);
    Variation {
        rank: info.multi_pv,
        depth: info.depth,
        seldepth: info.seldepth,
        centipawns: mate.is_none().then_some(info.score),
        mate,
        wdl: win_draw_loss(info.score),
        san: position.san_line(&info.pv),
        uci,
    }
}
