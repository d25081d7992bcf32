//! Own men that doom or shield the king.
//!
//! A man beside the king gives the enemy something to capture and costs the
//! king a square to flee to; a pawn less so, since it blocks a line and no
//! blast beside it removes it. What else shields the king are the men that
//! stand in the way of enemy sliders.

use shakmaty::{Bitboard, Board};

use super::{king_zone::Reach, score::Score, view::Side};

/// For each piece of either side beside the king.
const PIECE_BESIDE: Score = Score::new(-32, -24);
/// For each own pawn beside the king.
const PAWN_BESIDE: Score = Score::new(-6, -10);
/// For each square from which an enemy slider would see a target, by diagonal
/// and by file or rank; only while the enemy has such sliders.
const OPEN_DIAGONAL: Score = Score::new(-2, -1);
const OPEN_LINE: Score = Score::new(-3, -1);

/// The shelter of the king of `side`, whose zone the enemy reaches by `reach`.
#[inline]
pub fn shelter(board: &Board, reach: &Reach, side: &Side) -> Score {
    let enemies = !side.men;
    let pieces = side.zone & (board.occupied() & !board.pawns() & !board.kings());
    let mut score = PIECE_BESIDE * pieces.count() as i32
        + PAWN_BESIDE * (side.zone & side.pawns).count() as i32;
    let squares = |origins: Bitboard| (origins & !board.occupied()).count() as i32;
    if (board.bishops_and_queens() & enemies).any() {
        score += OPEN_DIAGONAL * squares(reach.diagonals);
    }
    if (board.rooks_and_queens() & enemies).any() {
        score += OPEN_LINE * squares(reach.lines);
    }
    score
}
