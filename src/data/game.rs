//! One game: how it started, what was played, how it ended, and its bytes.

use std::num::NonZeroU32;

use shakmaty::{Bitboard, Color, Move, Piece, Role, Setup, Square, fen::Fen};
use thiserror::Error;

use crate::rules::{FenError, GameResult, PackedMove, Position, Ruleset, Termination};

/// The score of the side that mates with this move; a mate in `n` plies scores
/// `MATE - n`.
pub const MATE: i16 = 32_000;

/// A move and the score the search gave it.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Ply {
    /// The move played.
    pub played: PackedMove,
    /// Centipawns from the view of the side to move.
    pub score: i16,
}

/// Why no more moves follow.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Ending {
    /// The rules ended the game.
    Rule(Termination),
    /// Scores left no doubt about the result.
    Adjudicated,
    /// It was not played to its end: scores alone tell who is better.
    Unfinished,
}

/// A game, or a piece of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// The position before the first stored ply.
    pub start: Position,
    /// What was played.
    pub plies: Vec<Ply>,
    /// Who won, `None` for a draw and for an unfinished game.
    pub winner: Option<Color>,
    /// Why the game ended.
    pub ending: Ending,
}

/// A position of a game, with what was played there.
#[derive(Clone, Debug)]
pub struct PlyPosition {
    /// The position before the move.
    pub position: Position,
    /// The move played.
    pub played: Move,
    /// Centipawns from the view of the side to move.
    pub score: i16,
}

/// The bytes of a frame hold no game.
#[derive(Clone, Debug, Error)]
pub enum GameError {
    /// The payload ends within the start position or within a ply.
    #[error("a payload of {0} bytes is cut short")]
    Short(usize),
    /// A field holds a value that has no meaning.
    #[error("{what} has the value {value}, which means nothing")]
    Field {
        /// The field.
        what: &'static str,
        /// What stands there.
        value: u64,
    },
    /// The start position is not playable.
    #[error("the start position is wrong: {0}")]
    Start(#[from] FenError),
    /// A move is not legal where it was played.
    #[error("ply {ply} plays the illegal move {from}{to} in {fen}")]
    Move {
        /// Counted from 1.
        ply: usize,
        /// The square moved from.
        from: Square,
        /// The square moved to.
        to: Square,
        /// The position.
        fen: String,
    },
    /// More plies than a frame can hold.
    #[error("a game of {0} plies is too long to store, the limit is {MAX_PLIES}")]
    TooLong(usize),
}

/// The most plies a frame can hold: its length is sixteen bits.
pub const MAX_PLIES: usize = 16_000;

const WHITE_CASTLING_ROOK: u8 = 12;
const BLACK_CASTLING_ROOK: u8 = 13;
const NO_SQUARE: u8 = 64;

const ENDINGS: [Ending; 8] = [
    Ending::Rule(Termination::KingExploded),
    Ending::Rule(Termination::Checkmate),
    Ending::Rule(Termination::Stalemate),
    Ending::Rule(Termination::InsufficientMaterial),
    Ending::Rule(Termination::Repetition),
    Ending::Rule(Termination::FiftyMoves),
    Ending::Adjudicated,
    Ending::Unfinished,
];

impl Ending {
    /// Every ending, in the order of its number in files.
    pub const ALL: [Ending; 8] = ENDINGS;

    fn code(self) -> u8 {
        ENDINGS
            .iter()
            .position(|ending| *ending == self)
            .unwrap_or(0) as u8
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Rule(termination) => termination.fmt(f),
            Ending::Adjudicated => f.write_str("adjudicated"),
            Ending::Unfinished => f.write_str("unfinished"),
        }
    }
}

impl From<GameResult> for Ending {
    fn from(result: GameResult) -> Ending {
        Ending::Rule(result.termination)
    }
}

impl Game {
    /// The payload of a frame.
    ///
    /// # Errors
    ///
    /// [`GameError::TooLong`] beyond [`MAX_PLIES`].
    pub fn encode(&self) -> Result<Vec<u8>, GameError> {
        if self.plies.len() > MAX_PLIES {
            return Err(GameError::TooLong(self.plies.len()));
        }
        let mut bytes = Vec::with_capacity(32 + 4 * self.plies.len());
        let start = &self.start;
        bytes.extend(start.board().occupied().0.to_le_bytes());
        let rights = start.castles().castling_rights();
        let mut low = None;
        for (square, man) in start.board().iter() {
            let code = man_code(man, rights.contains(square));
            match low.take() {
                None => low = Some(code),
                Some(low) => bytes.push(low | code << 4),
            }
        }
        bytes.extend(low);
        let result = match self.winner {
            Some(Color::Black) => 0,
            None => 1,
            Some(Color::White) => 2,
        };
        bytes.push(
            u8::from(start.turn().is_black())
                | u8::from(start.ruleset() == Ruleset::Icc) << 1
                | result << 2
                | self.ending.code() << 4,
        );
        bytes.push(start.ep_square().map_or(NO_SQUARE, |square| square as u8));
        bytes.push(start.halfmoves().min(255) as u8);
        bytes.extend((start.fullmoves().get().min(65_535) as u16).to_le_bytes());
        for ply in &self.plies {
            bytes.extend(ply.played.0.to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Reads the payload of a frame. Moves are taken as they stand; see
    /// [`positions`](Game::positions).
    ///
    /// # Errors
    ///
    /// [`GameError`] if the bytes are no game.
    pub fn decode(bytes: &[u8]) -> Result<Game, GameError> {
        let mut rest = bytes;
        let short = || GameError::Short(bytes.len());
        let field = |what, value: u8| GameError::Field {
            what,
            value: u64::from(value),
        };
        let occupied = Bitboard(u64::from_le_bytes(take(&mut rest).ok_or_else(short)?));
        let mut setup = Setup::empty();
        let mut pair = 0u8;
        for (i, square) in occupied.into_iter().enumerate() {
            if i % 2 == 0 {
                [pair] = take(&mut rest).ok_or_else(short)?;
            } else {
                pair >>= 4;
            }
            let code = pair & 15;
            let (man, castles) = man_of(code).ok_or_else(|| field("a man", code))?;
            setup.board.set_piece_at(square, man);
            if castles {
                setup.castling_rights.add(square);
            }
        }
        let [flags, ep_square, halfmoves] = take(&mut rest).ok_or_else(short)?;
        let fullmoves = u16::from_le_bytes(take(&mut rest).ok_or_else(short)?);
        setup.turn = Color::from_black(flags & 1 != 0);
        let ruleset = if flags & 2 == 0 {
            Ruleset::Lichess
        } else {
            Ruleset::Icc
        };
        let winner = match flags >> 2 & 3 {
            0 => Some(Color::Black),
            1 => None,
            2 => Some(Color::White),
            other => return Err(field("the result", other)),
        };
        let ending = *ENDINGS
            .get(usize::from(flags >> 4))
            .ok_or_else(|| field("the ending", flags >> 4))?;
        setup.ep_square = match ep_square {
            NO_SQUARE => None,
            other => {
                Some(Square::try_from(other).map_err(|_| field("the en-passant square", other))?)
            }
        };
        setup.halfmoves = u32::from(halfmoves);
        setup.fullmoves = NonZeroU32::new(u32::from(fullmoves)).unwrap_or(NonZeroU32::MIN);
        let fen = Fen::try_from_setup(setup)
            .unwrap_or_else(shakmaty::fen::LossyFenError::ignore)
            .to_string();
        let start = Position::from_fen(&fen, ruleset)?;
        if !rest.len().is_multiple_of(4) {
            return Err(short());
        }
        let plies = rest
            .chunks_exact(4)
            .map(|ply| Ply {
                played: PackedMove(u16::from_le_bytes([ply[0], ply[1]])),
                score: i16::from_le_bytes([ply[2], ply[3]]),
            })
            .collect();
        Ok(Game {
            start,
            plies,
            winner,
            ending,
        })
    }

    /// Plays the game. The iterator ends after a move that cannot be played.
    pub fn positions(&self) -> impl Iterator<Item = Result<PlyPosition, GameError>> {
        let mut position = self.start.clone();
        let mut broken = false;
        self.plies.iter().enumerate().map_while(move |(i, ply)| {
            if broken {
                return None;
            }
            let Some(played) = ply.played.unpack(&position) else {
                broken = true;
                return Some(Err(self.illegal(i, &position)));
            };
            let after = position.after(played);
            Some(Ok(PlyPosition {
                position: std::mem::replace(&mut position, after),
                played,
                score: ply.score,
            }))
        })
    }

    /// Plays the game and holds every move to the rules.
    ///
    /// # Errors
    ///
    /// [`GameError::Move`] for the first move that is not legal.
    pub fn check(&self) -> Result<(), GameError> {
        for (i, ply) in self.positions().enumerate() {
            let ply = ply?;
            if !ply.position.is_legal(ply.played) {
                return Err(self.illegal(i, &ply.position));
            }
        }
        Ok(())
    }

    fn illegal(&self, index: usize, position: &Position) -> GameError {
        let played = self.plies[index].played;
        GameError::Move {
            ply: index + 1,
            from: played.from(),
            to: played.to(),
            fen: position.fen(),
        }
    }
}

/// Splits the first bytes off.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

fn man_code(man: Piece, castles: bool) -> u8 {
    match (man.role, man.color) {
        (Role::Rook, Color::White) if castles => WHITE_CASTLING_ROOK,
        (Role::Rook, Color::Black) if castles => BLACK_CASTLING_ROOK,
        (role, color) => role as u8 - Role::Pawn as u8 + color.fold_wb(0, 6),
    }
}

fn man_of(code: u8) -> Option<(Piece, bool)> {
    let (role, black) = match code {
        0..12 => (Role::ALL[usize::from(code % 6)], code >= 6),
        WHITE_CASTLING_ROOK | BLACK_CASTLING_ROOK => (Role::Rook, code == BLACK_CASTLING_ROOK),
        _ => return None,
    };
    Some((role.of(Color::from_black(black)), code >= 12))
}
