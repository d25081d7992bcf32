//! Puzzles: positions with one move that wins.
//!
//! [`mine`] finds them in games, grades them by how long a search needs to see
//! the move, and names what they are about; [`epd`] writes and reads them;
//! [`session`] poses them. A capture that explodes the king is often the only
//! winning move on the board and hard to see when it takes a harmless pawn.

pub mod epd;
pub mod mine;
pub mod session;

use std::fmt;

use serde::Serialize;
use shakmaty::Move;

use crate::rules::{Position, Termination, result};

/// What a puzzle is about.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub enum Theme {
    /// The line ends with an exploding king.
    Explosion,
    /// The line ends with checkmate.
    Checkmate,
    /// The defender would not lose if he could pass.
    Zugzwang,
    /// Kings touch in the line.
    Contact,
    /// The position comes from a known opening trap.
    Trap,
    /// The solver promotes a pawn.
    Promotion,
    /// The first move neither takes nor checks.
    Quiet,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 7] = [
        Theme::Explosion,
        Theme::Checkmate,
        Theme::Zugzwang,
        Theme::Contact,
        Theme::Trap,
        Theme::Promotion,
        Theme::Quiet,
    ];

    /// The theme as one word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Theme::Explosion => "explosion",
            Theme::Checkmate => "checkmate",
            Theme::Zugzwang => "zugzwang",
            Theme::Contact => "contact",
            Theme::Trap => "trap",
            Theme::Promotion => "promotion",
            Theme::Quiet => "quiet",
        }
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Theme {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A position with one winning move.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Puzzle {
    /// The position, with the solver to move.
    pub position: Position,
    /// The solution: the solver's moves and the longest defence in turn.
    pub line: Vec<Move>,
    /// Moves to the win where that is proved.
    pub mate: Option<u8>,
    /// What it is about.
    pub themes: Vec<Theme>,
    /// How hard it is, in the manner of a rating: 600 to 2800.
    pub difficulty: u32,
    /// Where it is from.
    pub source: String,
}

impl Puzzle {
    /// The puzzle as a game of PGN.
    #[must_use]
    pub fn pgn(&self) -> String {
        use crate::games::pgn;
        let fen = self.position.fen();
        let result = self.position.turn().fold_wb("1-0", "0-1");
        let themes = self.theme_words().join(" ");
        let difficulty = self.difficulty.to_string();
        let mut text = pgn::tags([
            ("Event", self.source.as_str()),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "-"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", result),
            ("Variant", pgn::variant(self.position.ruleset())),
            ("SetUp", "1"),
            ("FEN", &fen),
            ("Themes", &themes),
            ("Difficulty", &difficulty),
        ]);
        let mut moves = pgn::Movetext::default();
        let mut position = self.position.clone();
        for &m in &self.line {
            moves.play(&position, &position.san(m));
            position.play(m);
        }
        text.push_str(&moves.end(result));
        text
    }

    /// The puzzle as one line of JSON.
    ///
    /// # Errors
    ///
    /// None that occurs in practice; the type is that of the JSON writer.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&Record {
            fen: self.position.fen(),
            rules: self.position.ruleset().to_string(),
            solution: self.position.san_line(&self.line),
            mate: self.mate,
            themes: &self.themes,
            difficulty: self.difficulty,
            source: &self.source,
        })
    }

    /// The themes as words, the number of moves to the win among them.
    #[must_use]
    pub fn theme_words(&self) -> Vec<String> {
        self.themes
            .iter()
            .map(ToString::to_string)
            .chain(self.mate.map(|moves| format!("mate-in-{moves}")))
            .collect()
    }

    /// Whether a move at a step of the line solves it: the move of the line, or
    /// another that ends the game at once.
    #[must_use]
    pub fn accepts(&self, position: &Position, step: usize, m: Move) -> bool {
        let ends = result(&position.after(m), &[]).is_some_and(|result| {
            result.winner == Some(position.turn())
                && matches!(
                    result.termination,
                    Termination::KingExploded | Termination::Checkmate
                )
        });
        self.line.get(step) == Some(&m) || ends
    }
}

#[derive(Serialize)]
struct Record<'a> {
    fen: String,
    rules: String,
    solution: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<u8>,
    themes: &'a [Theme],
    difficulty: u32,
    source: &'a str,
}
