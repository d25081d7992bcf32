//! Quiet moves that parry a capture which would explode the own king.

use shakmaty::{Bitboard, Move, Role, Square, attacks};

/// What quiet moves do about a capture that would explode the own king.
///
/// Unless the king goes, the man to be taken must go or the line be closed;
/// after any other quiet move the game is lost at once.
#[derive(Copy, Clone, Debug)]
pub(super) struct Parry {
    target: Square,
    line: Bitboard,
}

impl Parry {
    /// What parries `threat`.
    #[inline]
    pub(super) fn new(threat: Move) -> Option<Parry> {
        match threat {
            Move::Normal { from, to, .. } => Some(Parry {
                target: to,
                line: attacks::between(from, to),
            }),
            _ => None,
        }
    }

    /// Whether the quiet move `m` may parry it.
    #[inline]
    pub(super) fn is_by(self, m: Move) -> bool {
        match m {
            Move::Normal { role, from, to, .. } => {
                role == Role::King || from == self.target || self.line.contains(to)
            }
            _ => true,
        }
    }
}
