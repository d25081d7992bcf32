//! How much of an advantage can be turned into a win.
//!
//! A lone king has no men to be exploded with, and a king never captures, so
//! few men win against it: two of which one is a queen or rook, or pawns, even
//! while the kings touch; a queen only when they are apart.

use shakmaty::{Bitboard, Board};

use crate::rules::Ruleset;

/// The whole advantage counts.
pub const FULL: i32 = 64;

const DRAWN: i32 = 0;
const HARDLY: i32 = 2;
const POOR: i32 = 16;
const DOUBTFUL: i32 = 32;
const PAWNLESS: i32 = 52;

/// The share, of [`FULL`], of its advantage that the side of `strong` men keeps
/// against `weak` men.
#[inline]
pub fn winning_chances(
    board: &Board,
    ruleset: Ruleset,
    strong: Bitboard,
    weak: Bitboard,
    touching: bool,
) -> i32 {
    let strong = strong & !board.kings();
    if weak.more_than_one() {
        let heavy = (board.queens() | board.pawns()) & strong;
        return match strong.count() {
            _ if (board.pawns() & strong).any() => FULL,
            0 | 1 if heavy.is_empty() => POOR,
            2 if heavy.is_empty() => DOUBTFUL,
            _ => PAWNLESS,
        };
    }
    if !ruleset.has_check() {
        return FULL;
    }
    let pawns = (strong & board.pawns()).count();
    let majors = (strong & board.rooks_and_queens()).count();
    let minors = strong.count() - pawns - majors;
    match (pawns, majors, minors) {
        (0, 0, 0..=2) => HARDLY,
        (0, 0, _) => POOR,
        (0, 1, 0) if touching || (strong & board.queens()).is_empty() => DRAWN,
        (1, 0, 0) if touching => DRAWN,
        (1, 0, _) => DOUBTFUL,
        _ => FULL,
    }
}

/// The clock, in plies, at which an advantage would be worth nothing; the game
/// is drawn halfway there.
const CLOCK_SPAN: i32 = 200;

/// `value` after `halfmoves` plies without capture or pawn move.
#[inline]
pub fn by_clock(value: i32, halfmoves: u32) -> i32 {
    value * (CLOCK_SPAN - halfmoves.min(100) as i32) / CLOCK_SPAN
}
