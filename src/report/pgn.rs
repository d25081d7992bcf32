//! Judged games as annotated PGN: glyphs, `[%eval]`, better lines, and what the
//! game came with.

use super::GameReport;
use crate::{
    games::{
        Game, line,
        pgn::{Movetext, tags, variant},
    },
    rules::Position,
    search::score::{Score, mate_distance},
};

/// The game with its annotations, ending in an empty line.
#[must_use]
pub fn write(report: &GameReport) -> String {
    let mut movetext = Movetext::default();
    for comment in &report.game.comments {
        movetext.comment(comment);
    }
    let mut intro = report.summary();
    if report.moves.is_empty() {
        intro = format!("{} {intro}", evaluation(report, 0));
    }
    for sentence in &report.explanation {
        intro.push(' ');
        intro.push_str(sentence);
    }
    movetext.comment(&intro);
    for (index, (ply, judged)) in report.game.plies.iter().zip(&report.moves).enumerate() {
        let position = &report.positions[index];
        movetext.play(position, &judged.san);
        // Judgements in the input give way to ours.
        let kept = ply.nags.iter().filter(|nag| !(1..=6).contains(*nag));
        for &nag in kept {
            movetext.nag(nag);
        }
        if let Some(judgement) = judged.judgement {
            movetext.nag(judgement.nag());
        }
        let mut words = vec![evaluation(report, index + 1)];
        words.extend(ply.comments.iter().map(|comment| without_eval(comment)));
        words.extend(judged.trap.iter().map(|name| format!("Trap: {name}.")));
        words.push(report.remark(index));
        words.extend(judged.explanation.iter().cloned());
        words.retain(|text| !text.is_empty());
        if !words.is_empty() {
            movetext.comment(&words.join(" "));
        }
        if !judged.better.is_empty() {
            movetext.variation(&line::pgn(position, &judged.better));
        }
        for variation in &ply.variations {
            movetext.variation(variation);
        }
    }
    format!(
        "{}{}",
        tags(
            all_tags(&report.game, &report.positions[0])
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()))
        ),
        movetext.end(&report.game.result)
    )
}

/// The seven tags that every game has, in their order, then all others.
fn all_tags(game: &Game, start: &Position) -> Vec<(String, String)> {
    const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
    let mut tags: Vec<(String, String)> = ROSTER
        .into_iter()
        .map(|name| {
            let value = match name {
                "Result" => game.result.as_str(),
                "Date" => game.tag(name).unwrap_or("????.??.??"),
                _ => game.tag(name).unwrap_or("?"),
            };
            (name.to_owned(), value.to_owned())
        })
        .collect();
    let ruleset = start.ruleset();
    tags.push(("Variant".to_owned(), variant(ruleset).to_owned()));
    if start.fen() != Position::startpos(ruleset).fen() {
        tags.push(("SetUp".to_owned(), "1".to_owned()));
        tags.push(("FEN".to_owned(), start.fen()));
    }
    let written = ["Variant", "SetUp", "FEN", "Annotator"];
    let others = game.tags.iter().filter(|(name, _)| {
        !ROSTER
            .iter()
            .chain(&written)
            .any(|known| known.eq_ignore_ascii_case(name))
    });
    tags.extend(others.cloned());
    let version = concat!("Fission ", env!("CARGO_PKG_VERSION"));
    tags.push(("Annotator".to_owned(), version.to_owned()));
    tags
}

/// `[%eval 0.31,12]`, for White, in pawns, with the depth; nothing when the game
/// is over.
fn evaluation(report: &GameReport, index: usize) -> String {
    let verdict = &report.verdicts[index];
    if verdict.over.is_some() {
        return String::new();
    }
    format!(
        "[%eval {},{}]",
        eval_text(report.white_score(index)),
        verdict.depth
    )
}

fn eval_text(score: Score) -> String {
    match mate_distance(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:.2}", f64::from(score) / 100.0),
    }
}

/// A comment without the evaluation that somebody else put there.
fn without_eval(comment: &str) -> String {
    let Some((before, rest)) = comment.split_once("[%eval") else {
        return comment.to_owned();
    };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{} {}", before.trim(), after.trim())
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_evaluations_go_and_the_rest_stays() {
        assert_eq!(
            without_eval("good [%eval -1.2] [%clk 0:01:00]"),
            "good [%clk 0:01:00]"
        );
        assert_eq!(without_eval("[%eval #3]"), "");
        assert_eq!(without_eval("plain"), "plain");
    }
}
