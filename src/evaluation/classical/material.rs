//! What men are worth, and how far the game is from its endgame.
//!
//! In atomic chess a capture costs the capturer, so long-range pieces are worth
//! less beside a pawn than in chess, and a pawn, which a neighbouring blast
//! spares, is worth more.

use shakmaty::{Board, Role};

use super::{score::Score, view::Side};

/// The value of a man; a king has none.
#[must_use]
pub const fn value(role: Role) -> Score {
    match role {
        Role::Pawn => Score::new(100, 115),
        Role::Knight => Score::new(180, 190),
        Role::Bishop => Score::new(240, 215),
        Role::Rook => Score::new(340, 315),
        Role::Queen => Score::new(610, 570),
        Role::King => Score::ZERO,
    }
}

/// The phase with all pieces on the board; it is 0 without any.
pub const FULL_PHASE: i32 = 24;

/// How much of the middlegame is left, from 0 to [`FULL_PHASE`].
#[inline]
pub fn phase(board: &Board) -> i32 {
    let minors = (board.knights() | board.bishops()).count() as i32;
    let rooks = board.rooks().count() as i32;
    let queens = board.queens().count() as i32;
    (minors + 2 * rooks + 4 * queens).min(FULL_PHASE)
}

/// The men of one side.
#[inline]
pub fn material(board: &Board, side: &Side) -> Score {
    let count = |role| (board.by_role(role) & side.men).count() as i32;
    value(Role::Pawn) * count(Role::Pawn)
        + value(Role::Knight) * count(Role::Knight)
        + value(Role::Bishop) * count(Role::Bishop)
        + value(Role::Rook) * count(Role::Rook)
        + value(Role::Queen) * count(Role::Queen)
}
