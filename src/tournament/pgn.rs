//! Games as PGN, with score, depth and time of each move in a comment.
//!
//! A king explosion is written `#`, as mate is. The tag `Variant` names the
//! rules, which is what makes other programs replay the blasts.

use std::fmt::Write;

use shakmaty::{ByColor, Color};

use super::{game::PlayedGame, openings::Opening, record::Outcome, time_control::Limits};
use crate::rules::{Position, Ruleset};

/// Longest line of move text.
const WIDTH: usize = 80;

/// What a game's tags say.
#[derive(Clone, Debug)]
pub struct Tags<'a> {
    /// Name of the match.
    pub event: &'a str,
    /// UTC date as `2026.01.31`.
    pub date: &'a str,
    /// Round, as `12.2` for the second game of the twelfth pair.
    pub round: String,
    /// Names of the engines.
    pub players: ByColor<&'a str>,
    /// Limits of the engines.
    pub limits: ByColor<Limits>,
    /// Where the game started.
    pub opening: &'a Opening,
}

/// The game as PGN text, with an empty line at the end.
#[must_use]
pub fn write(game: &PlayedGame, tags: &Tags<'_>) -> String {
    let result = Outcome::from_winner(game.ending.winner).as_str();
    let start = &tags.opening.start;
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", tags.date);
    tag("Round", &tags.round);
    tag("White", tags.players.white);
    tag("Black", tags.players.black);
    tag("Result", result);
    let ruleset = start.ruleset();
    tag(
        "Variant",
        match ruleset {
            Ruleset::Lichess => "Atomic",
            Ruleset::Icc => ruleset.uci_name(),
        },
    );
    if *start != Position::startpos(ruleset) {
        tag("SetUp", "1");
        tag("FEN", &start.fen());
    }
    let (white, black) = (tags.limits.white, tags.limits.black);
    if white == black {
        tag("TimeControl", &time_control(white));
    } else {
        tag("WhiteTimeControl", &time_control(white));
        tag("BlackTimeControl", &time_control(black));
    }
    tag("Termination", game.ending.kind.pgn_termination());
    tag("PlyCount", &game.moves.len().to_string());
    text.push('\n');
    movetext(&mut text, game, start, result);
    text.push('\n');
    text
}

fn time_control(limits: Limits) -> String {
    match limits.clock {
        Some(clock) => clock.to_string(),
        None => "-".to_owned(),
    }
}

fn movetext(text: &mut String, game: &PlayedGame, start: &Position, result: &str) {
    let mut line = String::new();
    let mut put = |text: &mut String, word: &str| {
        if line.len() + word.len() >= WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line.clear();
        }
        line.push_str(word);
        line.push(' ');
    };
    let mut number = start.fullmoves().get();
    let mut mover = start.turn();
    for (index, played) in game.moves.iter().enumerate() {
        match mover {
            Color::White => put(text, &format!("{number}.")),
            Color::Black if index == 0 => put(text, &format!("{number}...")),
            Color::Black => {}
        }
        put(text, &played.san);
        if let Some(thought) = played.thought {
            let mut comment = String::new();
            if let Some(score) = thought.score {
                let _ = write!(comment, "{score}/{} ", thought.depth.unwrap_or(0));
            }
            let _ = write!(comment, "{:.3}s", thought.time.as_secs_f64());
            put(text, &format!("{{{comment}}}"));
        }
        if mover == Color::Black {
            number += 1;
        }
        mover = !mover;
    }
    // A comment may not hold the brace that would end it.
    put(
        text,
        &format!("{{{}}}", game.ending.reason.replace(['{', '}'], "'")),
    );
    put(text, result);
    text.push_str(line.trim_end());
    text.push('\n');
}
