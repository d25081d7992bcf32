//! Games as PGN, with score, depth and time of each move in a comment.
//!
//! A king explosion is written `#`, as mate is. The tag `Variant` names the
//! rules, which is what makes other programs replay the blasts.

use std::{
    fmt::Write,
    time::{SystemTime, UNIX_EPOCH},
};

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

/// A day as PGN writes it, `2026.01.31`.
#[must_use]
pub fn utc_date(moment: SystemTime) -> String {
    let days = moment
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
        / 86_400;
    // Counted in years that begin in March, so that the leap day comes last.
    let days = days + 719_468;
    let era_day = days % 146_097;
    let era_year = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
    let month_index = (5 * year_day + 2) / 153;
    let day = year_day - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = era_year + days / 146_097 * 400 + u64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_civil() {
        for (seconds, date) in [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (1_709_251_200, "2024.03.01"),
            (1_798_675_200, "2026.12.31"),
        ] {
            assert_eq!(utc_date(UNIX_EPOCH + Duration::from_secs(seconds)), date);
        }
    }
}
