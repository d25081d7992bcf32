//! The best moves of one position, as a table or as JSON.

use std::{
    io::{IsTerminal, Write, stdout},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result};
use fission::{
    games::line,
    report::{
        Verdict,
        analysis::{self, Settings},
        interrupt::Interrupt,
        score_text,
    },
    rules::{Position, result},
    search::{
        Control, Info, Limits, Pool, Report, SearchOptions, SearchResult,
        score::{Bound, mate_distance, win_draw_loss},
    },
};
use serde::Serialize;

use super::Analyse;

/// How long a position is looked at without a limit.
const DEFAULT_TIME: Duration = Duration::from_secs(10);
/// Size of the hash table in MiB.
const DEFAULT_HASH: usize = 256;
/// Nodes for a threat that is explained.
const THREAT_NODES: u64 = 200_000;

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    explanation: Vec<String>,
}

impl Analyse {
    /// Searches a position and prints what was found.
    pub(super) fn position(&self) -> Result<ExitCode> {
        let (position, keys) = self.asked()?;
        let limits = self.limits(Limits {
            movetime: Some(DEFAULT_TIME),
            ..Limits::default()
        })?;
        let as_json = self.json.is_some();
        let mut pool = Pool::default();
        pool.set_threads(self.threads());
        pool.set_hash(self.hash.unwrap_or(DEFAULT_HASH))?;
        let options = SearchOptions {
            multi_pv: usize::from(self.multipv.unwrap_or(1)),
            overhead: Duration::ZERO,
            analysing: true,
            ..SearchOptions::default()
        };
        let mut out = stdout().lock();
        if !as_json {
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
                    && !as_json
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
        let explanation = self.explanation(&mut pool, &position, &keys, &found);
        if as_json {
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
                explanation,
            };
            let text = serde_json::to_string_pretty(&analysis)?;
            match self.json.iter().flatten().next() {
                Some(path) => std::fs::write(path, text + "\n")
                    .with_context(|| format!("cannot write {}", path.display()))?,
                None => writeln!(out, "{text}")?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        if found.variations.is_empty() {
            writeln!(out, "There is no legal move.")?;
        } else {
            writeln!(out, "\n{}", summary(&position, &found.variations))?;
        }
        for sentence in explanation {
            writeln!(out, "{sentence}")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The position asked about, and the keys of those before it.
    fn asked(&self) -> Result<(Position, Vec<u64>)> {
        let mut position = super::super::start_position(self.fen.as_deref(), self.rules)?;
        let mut keys = Vec::new();
        for m in line::parse(&position, &self.moves.join(" "))? {
            keys.push(position.key());
            position.play(m);
        }
        Ok((position, keys))
    }

    /// Sentences about the position, if they are wanted.
    fn explanation(
        &self,
        pool: &mut Pool,
        position: &Position,
        keys: &[u64],
        found: &SearchResult,
    ) -> Vec<String> {
        let (true, Some(best)) = (self.explain, found.variations.first()) else {
            return Vec::new();
        };
        let verdict = Verdict {
            score: best.score,
            depth: best.depth,
            line: best.pv.to_vec(),
            over: result(position, keys),
        };
        let settings = Settings {
            limits: Limits::nodes(THREAT_NODES),
            explain: true,
        };
        analysis::explain(pool, position, &verdict, &settings, &Interrupt::default())
    }
}

fn table_line(position: &Position, info: &Info) -> String {
    format!(
        "{:>5} {:>8} {:>7.2}s {:>9}  {}",
        format!("{}/{}", info.depth, info.seldepth),
        score_text(info.score),
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
                    let score = score_text(info.score);
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
