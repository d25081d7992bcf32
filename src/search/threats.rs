//! Quiet moves that threaten to explode the enemy king, and those that parry
//! such a threat.

use shakmaty::{Bitboard, Move, Role, Square, attacks};

use crate::rules::{Position, blast, movegen};

/// Where a man would have to stand to attack something whose blast reaches the
/// enemy king and not its own.
#[derive(Copy, Clone, Debug)]
pub(super) struct ThreatSquares {
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
}

impl ThreatSquares {
    /// The squares for the men of the side to move.
    #[inline]
    pub(super) fn new(position: &Position) -> ThreatSquares {
        let (board, us) = (position.board(), position.turn());
        let empty = !board.occupied();
        let mut squares = ThreatSquares {
            pawn: Bitboard::EMPTY,
            knight: Bitboard::EMPTY,
            bishop: Bitboard::EMPTY,
            rook: Bitboard::EMPTY,
        };
        let targets = blast::fatal_centers(board, !us) & position.them();
        for target in targets & !blast::fatal_centers(board, us) {
            squares.pawn |= attacks::pawn_attacks(!us, target) & empty;
            squares.knight |= attacks::knight_attacks(target) & empty;
            squares.bishop |= attacks::bishop_attacks(target, board.occupied()) & empty;
            squares.rook |= attacks::rook_attacks(target, board.occupied()) & empty;
        }
        squares
    }

    /// Whether the quiet move `m` threatens so.
    #[inline]
    pub(super) fn reached_by(&self, m: Move) -> bool {
        match m {
            Move::Normal { role, to, .. } => self.of(role).contains(to),
            _ => false,
        }
    }

    /// Calls `sink` with every pseudo-legal quiet move that threatens so.
    #[inline]
    pub(super) fn moves(&self, position: &Position, sink: impl FnMut(Move)) {
        movegen::quiets_to(position, |role| self.of(role), sink);
    }

    #[inline]
    fn of(&self, role: Role) -> Bitboard {
        match role {
            Role::Pawn => self.pawn,
            Role::Knight => self.knight,
            Role::Bishop => self.bishop,
            Role::Rook => self.rook,
            Role::Queen => self.bishop | self.rook,
            Role::King => Bitboard::EMPTY,
        }
    }
}

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
