//! Judged games as JSON, one line a game.

use serde::Serialize;
use shakmaty::{Color, Move};

use super::{GameReport, forced_end, judge::Judgement, judge::win_probability};
use crate::{
    diagram::Blast,
    games::pgn::variant,
    rules::Position,
    search::score::{Score, mate_distance},
};

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    game: usize,
    line: usize,
    white: Option<&'a str>,
    black: Option<&'a str>,
    result: &'a str,
    variant: &'static str,
    /// The position before the first move.
    fen: String,
    /// From 0 to 100, to a tenth.
    accuracy: Sides,
    /// The ply of the losing move, from 1.
    losing_ply: Option<usize>,
    summary: String,
    /// The position before the first move, looked at.
    start: Evaluation,
    moves: Vec<MoveLine<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    explanation: &'a [String],
    nodes: u64,
}

#[derive(Serialize)]
struct Sides {
    white: Option<f64>,
    black: Option<f64>,
}

/// A score for White and the best line.
#[derive(Serialize)]
struct Evaluation {
    #[serde(skip_serializing_if = "Option::is_none")]
    centipawns: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    /// White's chances, from 0 to 1; a draw counts half.
    win: f64,
    depth: usize,
    /// How a forced win ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    forced: Option<String>,
    /// How the game ended here.
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    best: Moves,
}

#[derive(Serialize)]
struct Moves {
    san: Vec<String>,
    uci: Vec<String>,
}

#[derive(Serialize)]
struct MoveLine<'a> {
    ply: usize,
    san: &'a str,
    uci: String,
    /// The position after the move.
    fen: String,
    /// The square that exploded and all squares that it emptied.
    #[serde(skip_serializing_if = "Option::is_none")]
    explosion: Option<Explosion>,
    evaluation: Evaluation,
    /// From 0 to 100, to a tenth.
    accuracy: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<Judgement>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    missed_win: bool,
    /// The best line instead of a judged move.
    #[serde(skip_serializing_if = "Option::is_none")]
    better: Option<Moves>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<&'a str>,
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    explanation: &'a [String],
}

#[derive(Serialize)]
struct Explosion {
    center: String,
    removed: Vec<String>,
}

/// The report as one line of JSON, with its end of line.
///
/// # Errors
///
/// Those of `serde_json`, which has no reason for any.
pub fn write(report: &GameReport) -> serde_json::Result<String> {
    let game = &report.game;
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    let moves = report
        .moves
        .iter()
        .enumerate()
        .map(|(index, judged)| {
            let position = &report.positions[index];
            MoveLine {
                ply: index + 1,
                san: &judged.san,
                uci: position.uci(judged.m, position.is_chess960()),
                fen: report.positions[index + 1].fen(),
                explosion: Blast::of_move(position, judged.m).map(|blast| Explosion {
                    center: blast.center.to_string(),
                    removed: blast
                        .removed
                        .iter()
                        .map(|(square, _)| square.to_string())
                        .collect(),
                }),
                evaluation: evaluation(report, index + 1),
                accuracy: tenth(judged.accuracy),
                judgement: judged.judgement,
                missed_win: judged.missed_win,
                better: (!judged.better.is_empty()).then(|| line(position, &judged.better)),
                trap: judged.trap.as_deref(),
                remark: report.remark(index),
                explanation: &judged.explanation,
            }
        })
        .collect();
    let accuracy = |color: Color| report.accuracy.get(color).map(tenth);
    let mut text = serde_json::to_string(&Line {
        file: &game.file,
        game: game.number,
        line: game.line,
        white: game.tag("White"),
        black: game.tag("Black"),
        result: &game.result,
        variant: variant(game.start.ruleset()),
        fen: game.start.fen(),
        accuracy: Sides {
            white: accuracy(Color::White),
            black: accuracy(Color::Black),
        },
        losing_ply: report.losing.map(|index| index + 1),
        summary: report.summary(),
        start: evaluation(report, 0),
        moves,
        explanation: &report.explanation,
        nodes: report.nodes,
    })?;
    text.push('\n');
    Ok(text)
}

fn evaluation(report: &GameReport, index: usize) -> Evaluation {
    let verdict = &report.verdicts[index];
    let score = report.white_score(index);
    let mate = mate_distance(score);
    Evaluation {
        centipawns: mate.is_none().then_some(score),
        mate,
        win: (win_probability(score) * 1000.0).round() / 1000.0,
        depth: verdict.depth,
        forced: verdict
            .over
            .is_none()
            .then(|| forced_end(&report.positions[index], verdict))
            .flatten(),
        over: verdict.over.map(|over| over.termination.to_string()),
        best: line(&report.positions[index], &verdict.line),
    }
}

fn line(position: &Position, moves: &[Move]) -> Moves {
    let mut current = position.clone();
    let chess960 = position.is_chess960();
    let uci = moves
        .iter()
        .map(|&m| {
            let text = current.uci(m, chess960);
            current.play(m);
            text
        })
        .collect();
    Moves {
        san: position.san_line(moves),
        uci,
    }
}
