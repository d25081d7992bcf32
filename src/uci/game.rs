//! The game as the client tells it: a position and how it came about.

use thiserror::Error;

use crate::rules::{FenError, MoveError, Position, Ruleset, SetupFault};

/// A position and the keys of those before it.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position on the board.
    pub position: Position,
    /// Keys of all earlier positions of the game, the oldest first.
    pub earlier_keys: Vec<u64>,
}

/// Why a `position` command was refused.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
pub enum GameError {
    /// Neither `startpos` nor `fen` was given.
    #[error("expected startpos or fen FEN, then perhaps moves MOVE..., not {0:?}")]
    Syntax(String),
    /// The FEN is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// A move is wrong.
    #[error("move {number}: {source}")]
    Move {
        /// Which move, from 1.
        number: usize,
        /// What is wrong with it.
        source: MoveError,
    },
}

impl Game {
    /// A new game.
    #[must_use]
    pub fn new(ruleset: Ruleset) -> Game {
        Game {
            position: Position::startpos(ruleset),
            earlier_keys: Vec::new(),
        }
    }

    /// Carries out the words after `position`. Also returns what had to be
    /// repaired in the FEN.
    ///
    /// # Errors
    ///
    /// [`GameError`] if the words, the FEN or a move is wrong.
    pub fn parse(words: &str, ruleset: Ruleset) -> Result<(Game, Option<SetupFault>), GameError> {
        let (start, moves) = match words.split_once("moves") {
            Some((start, moves)) => (start.trim(), moves),
            None => (words.trim(), ""),
        };
        let mut repaired = None;
        let position = if start == "startpos" {
            Position::startpos(ruleset)
        } else if let Some(fen) = start.strip_prefix("fen ") {
            let (position, fault) = Position::from_fen_repaired(fen, ruleset)?;
            repaired = fault;
            position
        } else {
            return Err(GameError::Syntax(abridged(start)));
        };
        let mut game = Game {
            position,
            earlier_keys: Vec::new(),
        };
        for (index, text) in moves.split_whitespace().enumerate() {
            let m = game
                .position
                .parse_uci(text)
                .map_err(|source| GameError::Move {
                    number: index + 1,
                    source,
                })?;
            game.earlier_keys.push(game.position.key());
            game.position.play(m);
        }
        Ok((game, repaired))
    }
}

/// The beginning of a text, short enough to quote.
#[must_use]
pub fn abridged(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
