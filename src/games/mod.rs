//! Games from files: PGN, EPD and FEN.
//!
//! Files come from everywhere, so nothing in them is trusted: [`scan`] cuts a
//! stream into games without ever holding more than one, [`read`] plays each
//! through under the rules of atomic chess, and whatever cannot be played is
//! skipped with its number, its line and the reason, while the rest goes on.

pub mod line;
pub mod pgn;
pub mod read;
pub mod scan;
pub mod source;

use std::borrow::Cow;

use shakmaty::Move;
use thiserror::Error;

use crate::rules::{FenError, MoveError, Position};

/// A game, or a position, which is a game without moves.
#[derive(Clone, Debug)]
pub struct Game {
    /// The file it is from.
    pub file: String,
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Tags in their order.
    pub tags: Vec<(String, String)>,
    /// The position before the first move.
    pub start: Position,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves.
    pub plies: Vec<Ply>,
    /// The result as PGN writes it; `*` for a game that is not finished.
    pub result: String,
    /// What was left out of the game.
    pub left_out: Vec<Skipped>,
}

/// A move of a game with all that was written about it.
#[derive(Clone, Debug)]
pub struct Ply {
    /// The move.
    pub m: Move,
    /// Numbers of annotation glyphs.
    pub nags: Vec<u8>,
    /// Comments, without braces.
    pub comments: Vec<String>,
    /// Other moves instead of this one, as PGN text without the parentheses.
    pub variations: Vec<String>,
}

impl Game {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// The moves alone.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        self.plies.iter().map(|ply| ply.m).collect()
    }

    /// Where the game stands in its file, for messages.
    #[must_use]
    pub fn place(&self) -> String {
        if self.plies.is_empty() {
            format!("{}: line {}", self.file, self.line)
        } else {
            format!("{}: game {}, line {}", self.file, self.number, self.line)
        }
    }
}

/// Something in a file that could not be used.
#[derive(Clone, Debug, Error)]
#[error("{file}: {place}{}", shortened(&fault.to_string()))]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// Game and line.
    pub place: Place,
    /// What is wrong.
    pub fault: Fault,
}

/// How much of a long text a message shows, in characters: of its begin, and of
/// its end.
const SHOWN: (usize, usize) = (160, 60);

/// The text without its middle if it is too long for a message, which may quote
/// whatever a file holds.
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    let (begin, end) = SHOWN;
    let count = text.chars().count();
    if count <= begin + end {
        return Cow::Borrowed(text);
    }
    let mut short: String = text.chars().take(begin).collect();
    short.push_str(" … ");
    short.extend(text.chars().skip(count - end));
    Cow::Owned(short)
}

/// A place in a file, written as the begin of a message.
#[derive(Clone, Debug)]
pub enum Place {
    /// Within a game: its number and the line.
    Game(usize, usize),
    /// A line of a file of positions.
    Line(usize),
    /// The file as a whole.
    File,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Game(game, line) => write!(f, "game {game}, line {line}: "),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::File => Ok(()),
        }
    }
}

/// What makes a game or a position unusable.
#[derive(Clone, Debug, Error)]
pub enum Fault {
    /// No tag says which variant it is.
    #[error("no Variant tag, so it is standard chess{}", advice.map_or(String::new(), |text| format!("; {text}")))]
    NoVariant {
        /// What can be done about it, as in [`read::Reading::advice`].
        advice: Option<&'static str>,
    },
    /// It is another game.
    #[error("the variant is {0:?}, not atomic")]
    OtherVariant(String),
    /// The start position is wrong.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// A move is wrong.
    #[error("{0}")]
    Move(#[from] MoveError),
    /// A variation has a wrong move.
    #[error("variation left out: {0}")]
    Variation(MoveError),
    /// A word that is nothing PGN knows.
    #[error("{0:?} is neither move nor result")]
    Word(String),
    /// A brace without the one that opens it.
    #[error("a closing brace without comment; comments cannot be nested")]
    NestedComment,
    /// A comment that never ends.
    #[error("a comment that is not closed")]
    OpenComment,
    /// Variations that are not closed, or closed twice.
    #[error("the parentheses of variations do not match")]
    Parentheses,
    /// There is nothing to look at.
    #[error("no moves")]
    NoMoves,
    /// Nothing plausible is that long.
    #[error("longer than {} KiB", scan::LONGEST >> 10)]
    TooLong,
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Read(String),
    /// The file holds nothing.
    #[error("neither games nor positions")]
    Empty,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_does_not_quote_a_whole_file() {
        let skipped = Skipped {
            file: "x.pgn".to_owned(),
            place: Place::Line(3),
            fault: Fault::Word("é".repeat(100_000)),
        };
        let message = skipped.to_string();
        assert!(message.chars().count() < 300, "{message}");
        assert!(message.ends_with("is neither move nor result"), "{message}");
        assert_eq!(shortened("as it is"), "as it is");
    }
}
