//! Passed pawns.
//!
//! No king can capture a pawn and no blast beside it removes it: once the
//! enemy pieces are gone, only a blockade stops it.

use shakmaty::{Bitboard, Color};

use super::{score::Score, view::Side};

/// By the pawn's rank, from its own side's first.
const PASSED: [Score; 8] = [
    Score::ZERO,
    Score::new(4, 10),
    Score::new(6, 14),
    Score::new(14, 28),
    Score::new(30, 55),
    Score::new(60, 100),
    Score::new(100, 160),
    Score::ZERO,
];
/// When nothing stands on the pawn's way and the enemy attacks none of it.
const FREE_WAY: [Score; 8] = [
    Score::ZERO,
    Score::new(0, 8),
    Score::new(0, 12),
    Score::new(4, 20),
    Score::new(12, 40),
    Score::new(36, 80),
    Score::new(90, 150),
    Score::ZERO,
];
/// Instead of [`PASSED`] when the square before the pawn is occupied.
const BLOCKED: [Score; 8] = [
    Score::ZERO,
    Score::new(0, 4),
    Score::new(2, 8),
    Score::new(6, 14),
    Score::new(14, 28),
    Score::new(30, 52),
    Score::new(50, 80),
    Score::ZERO,
];

/// The passed pawns of `side`.
#[inline]
pub fn passed_pawns(occupied: Bitboard, side: &Side, enemy: &Side) -> Score {
    let guarded = fill(enemy.color, enemy.pawns | enemy.attacks.pawns);
    let mut score = Score::ZERO;
    for pawn in side.pawns & !guarded {
        let rank = side.color.relative_rank(pawn.rank()).to_usize();
        let next = side.forward(Bitboard::from_square(pawn));
        if (next & occupied).any() {
            score += BLOCKED[rank];
            continue;
        }
        score += PASSED[rank];
        if (fill(side.color, next) & (occupied | enemy.attacks.all)).is_empty() {
            score += FREE_WAY[rank];
        }
    }
    score
}

/// `squares` and everything ahead of them from the point of view of `color`.
#[inline]
fn fill(color: Color, squares: Bitboard) -> Bitboard {
    let mut filled = squares.0;
    if color.is_white() {
        filled |= filled << 8;
        filled |= filled << 16;
        filled |= filled << 32;
    } else {
        filled |= filled >> 8;
        filled |= filled >> 16;
        filled |= filled >> 32;
    }
    Bitboard(filled)
}
