//! Lines of moves as people write them: with numbers, in SAN or UCI notation.

use std::borrow::Cow;

use shakmaty::Move;
use thiserror::Error;

use crate::rules::{MoveError, Position};

/// A word in a line that is no legal move where it stands.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("move {number}: {source}")]
pub struct LineError {
    /// Which move of the line, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub source: MoveError,
}

/// Reads the moves of a line that begins at `start`, in SAN or UCI notation;
/// move numbers are skipped.
///
/// # Errors
///
/// [`LineError`] at the first word that is no legal move.
pub fn parse(start: &Position, text: &str) -> Result<Vec<Move>, LineError> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let word = without_number(word);
        if word.is_empty() {
            continue;
        }
        let m = parse_move(&position, word).map_err(|source| LineError {
            number: moves.len() + 1,
            source,
        })?;
        position.play(m);
        moves.push(m);
    }
    Ok(moves)
}

/// Reads a legal move in SAN or UCI notation.
///
/// # Errors
///
/// [`MoveError`] if it is neither, not legal, or not the only one of that name.
pub fn parse_move(position: &Position, word: &str) -> Result<Move, MoveError> {
    position
        .parse_san(&castling_letters(word))
        .or_else(|error| position.parse_uci(word).map_err(|_| error))
}

/// A word in which castling is written with letters, not with zeros.
pub(super) fn castling_letters(word: &str) -> Cow<'_, str> {
    if word.starts_with("0-0") {
        Cow::Owned(word.replace('0', "O"))
    } else {
        Cow::Borrowed(word)
    }
}

/// A word without the move number that it may begin with.
pub(super) fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let bare = rest.trim_start_matches(['.', '…']);
    if bare.len() < rest.len() || rest.is_empty() {
        bare
    } else {
        word
    }
}

/// A line of legal moves in SAN with move numbers: `3.Nxf7 d5`, `3...d5`.
#[must_use]
pub fn numbered(start: &Position, line: &[Move]) -> String {
    written(start, line, "")
}

/// The same as PGN writes it: `3. Nxf7 d5`, `3... d5`.
#[must_use]
pub fn pgn(start: &Position, line: &[Move]) -> String {
    written(start, line, " ")
}

fn written(start: &Position, line: &[Move], gap: &str) -> String {
    let mut number = start.fullmoves().get();
    let mut white = start.turn().is_white();
    let mut words = Vec::with_capacity(line.len());
    for (index, san) in start.san_line(line).into_iter().enumerate() {
        words.push(match (white, index) {
            (true, _) => format!("{number}.{gap}{san}"),
            (false, 0) => format!("{number}...{gap}{san}"),
            (false, _) => san,
        });
        number += u32::from(!white);
        white = !white;
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn numbers_are_skipped_and_written() {
        let start = Position::startpos(Ruleset::Lichess);
        let line = parse(&start, "1. Nf3 d7d5 2.Ne5 2... f6 3 Nd7").expect("a legal line");
        assert_eq!(numbered(&start, &line), "1.Nf3 d5 2.Ne5 f6 3.Nd7");
        assert_eq!(numbered(&start.after(line[0]), &line[1..3]), "1...d5 2.Ne5");
        assert_eq!(pgn(&start.after(line[0]), &line[1..3]), "1... d5 2. Ne5");
    }

    #[test]
    fn the_wrong_move_is_told_by_its_number() {
        let start = Position::startpos(Ruleset::Lichess);
        let error = parse(&start, "1. Nf3 d5 2. Nd5").expect_err("an illegal move");
        assert_eq!(error.number, 3);
        assert!(error.to_string().contains("\"Nd5\""));
    }
}
