//! How games end: explosions, mates, and the draws by rule.

use std::fmt;

use shakmaty::{Bitboard, Board, Color};

use super::{movegen, position::Position, ruleset::Ruleset};

/// Why a game is over.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Termination {
    /// A king exploded.
    KingExploded,
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can ever win.
    InsufficientMaterial,
    /// The position occurred for the third time.
    Repetition,
    /// A hundred plies without capture or pawn move.
    FiftyMoves,
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Termination::KingExploded => "king exploded",
            Termination::Checkmate => "checkmate",
            Termination::Stalemate => "stalemate",
            Termination::InsufficientMaterial => "insufficient material",
            Termination::Repetition => "threefold repetition",
            Termination::FiftyMoves => "fifty-move rule",
        })
    }
}

/// A finished game: who won, if anybody, and why.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub struct GameResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The reason.
    pub termination: Termination,
}

impl GameResult {
    const fn draw(termination: Termination) -> GameResult {
        GameResult {
            winner: None,
            termination,
        }
    }

    /// The result as PGN writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }
}

/// Which bare material draws at once.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash)]
pub enum MaterialRule {
    /// As Lichess and shakmaty: no side has material that can ever win.
    #[default]
    NoWinPossible,
    /// Another site's rule: besides kings at most one knight or bishop is left.
    OneMinor,
}

/// The result of the game at `position`, or `None` while it goes on.
/// `earlier_keys` are the keys of all earlier positions of the game. The
/// draws that players may claim (threefold repetition, fifty moves) count as
/// claimed; mate and explosion come before them.
#[must_use]
pub fn result(position: &Position, earlier_keys: &[u64]) -> Option<GameResult> {
    let us = position.turn();
    for color in Color::ALL {
        if position.king(color).is_none() {
            return Some(GameResult {
                winner: Some(!color),
                termination: Termination::KingExploded,
            });
        }
    }
    if !movegen::has_legal_move(position) {
        return Some(if position.is_check() {
            GameResult {
                winner: Some(!us),
                termination: Termination::Checkmate,
            }
        } else {
            GameResult::draw(Termination::Stalemate)
        });
    }
    if insufficient_material(
        position.board(),
        position.ruleset(),
        MaterialRule::default(),
    ) {
        return Some(GameResult::draw(Termination::InsufficientMaterial));
    }
    let earlier = earlier_keys
        .iter()
        .filter(|&&key| key == position.key())
        .count();
    if earlier >= 2 {
        return Some(GameResult::draw(Termination::Repetition));
    }
    (position.halfmoves() >= 100).then_some(GameResult::draw(Termination::FiftyMoves))
}

/// Whether neither side can ever win with these men.
#[must_use]
pub fn insufficient_material(board: &Board, ruleset: Ruleset, rule: MaterialRule) -> bool {
    let men = board.occupied() & !board.kings();
    if men.is_empty() {
        return true;
    }
    if !ruleset.has_check() {
        return false;
    }
    if rule == MaterialRule::OneMinor {
        return men.count() == 1 && (men & (board.knights() | board.bishops())).any();
    }
    if (board.pawns() | board.queens()).any() {
        return false;
    }
    let (white, black) = (men & board.white(), men & board.black());
    if white.is_empty() || black.is_empty() {
        return men.count() == 1 || (men.count() == 2 && (men & !board.knights()).is_empty());
    }
    if men != board.bishops() {
        return false;
    }
    let never_meet = |white_squares: Bitboard| {
        (white & !white_squares).is_empty() && (black & white_squares).is_empty()
    };
    never_meet(Bitboard::LIGHT_SQUARES) || never_meet(Bitboard::DARK_SQUARES)
}
