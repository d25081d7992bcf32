//! Quiet moves that threaten to explode the enemy king.

use shakmaty::{Bitboard, Color, Move, Role, attacks};

use crate::rules::{Position, blast};

/// What the side to move would have to take to explode the enemy king and not
/// its own.
#[derive(Copy, Clone, Debug)]
pub(super) struct KingTargets {
    targets: Bitboard,
    occupied: Bitboard,
    us: Color,
}

impl KingTargets {
    /// The targets in `position`.
    #[inline]
    pub(super) fn new(position: &Position) -> KingTargets {
        let (board, us) = (position.board(), position.turn());
        KingTargets {
            targets: blast::fatal_centers(board, !us)
                & position.them()
                & !blast::fatal_centers(board, us),
            occupied: board.occupied(),
            us,
        }
    }

    /// Whether there are none, as when the kings stand alone.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Whether the man that makes the quiet move `m` then attacks a target.
    #[inline]
    pub(super) fn attacked_by(&self, m: Move) -> bool {
        let Move::Normal { role, from, to, .. } = m else {
            return false;
        };
        role != Role::King && {
            let occupied = self.occupied.without(from).with(to);
            (attacks::attacks(to, role.of(self.us), occupied) & self.targets).any()
        }
    }
}
