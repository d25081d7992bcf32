//! The game as the client tells it: a position and how it came about.

use shakmaty::Square;
use thiserror::Error;

use crate::{
    book::polyglot::passed_square,
    rules::{FenError, MoveError, Position, Ruleset, SetupFault},
};

/// A position and the keys of those before it.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position on the board.
    pub position: Position,
    /// Keys of all earlier positions of the game, the oldest first.
    pub earlier_keys: Vec<u64>,
    /// The square that the last move, a pawn's double step, passed over, be an
    /// en-passant capture legal or not: books tell such positions apart.
    pub passed: Option<Square>,
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
            passed: None,
        }
    }

    /// A game that begins at a position.
    #[must_use]
    pub fn from_position(position: Position) -> Game {
        Game {
            passed: position.ep_square(),
            earlier_keys: Vec::new(),
            position,
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
        let mut game = Game::from_position(position);
        if let Some(fen) = start.strip_prefix("fen ") {
            let field = fen.split_whitespace().nth(3);
            game.passed = field.and_then(|field| field.parse().ok());
        }
        for (index, text) in moves.split_whitespace().enumerate() {
            let m = game
                .position
                .parse_uci(text)
                .map_err(|source| GameError::Move {
                    number: index + 1,
                    source,
                })?;
            game.earlier_keys.push(game.position.key());
            game.passed = passed_square(m);
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
