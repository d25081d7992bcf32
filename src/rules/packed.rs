//! A move in sixteen bits, for the transposition table, histories and files.
//!
//! From and to take six bits each, the rest tells castling (as king takes
//! rook), en passant and the piece a pawn becomes. Which man moves and what it
//! takes is read off the board.

use shakmaty::{CastlingSide, Move, Rank, Role, Square, attacks};

use super::position::Position;

/// A move packed into sixteen bits; zero is no move.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash)]
pub struct PackedMove(pub u16);

const EN_PASSANT: u16 = 1;
const CASTLE: u16 = 2;
/// The first flag of a promotion: knight, bishop, rook, queen follow.
const PROMOTION: u16 = 4;

impl PackedMove {
    /// No move.
    pub const NONE: PackedMove = PackedMove(0);

    /// Packs a move.
    #[inline]
    #[must_use]
    pub const fn new(m: Move) -> PackedMove {
        let (from, to, flag) = match m {
            Move::Normal {
                from,
                to,
                promotion,
                ..
            } => (
                from,
                to,
                match promotion {
                    Some(role) => role as u16 - Role::Knight as u16 + PROMOTION,
                    None => 0,
                },
            ),
            Move::EnPassant { from, to } => (from, to, EN_PASSANT),
            Move::Castle { king, rook } => (king, rook, CASTLE),
            Move::Put { to, .. } => (to, to, 0),
        };
        PackedMove(from as u16 | (to as u16) << 6 | flag << 12)
    }

    /// Whether this stands for a move.
    #[inline]
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// Where the moving man stands.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::new((self.0 & 63) as u32)
    }

    /// Where it goes; the rook's square for castling.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square::new((self.0 >> 6 & 63) as u32)
    }

    /// From and to in twelve bits, an index for histories.
    #[inline]
    #[must_use]
    pub const fn from_to(self) -> usize {
        (self.0 & 0xfff) as usize
    }

    /// The move in full on `position`, or `None` if it is not pseudo-legal
    /// there, as after a key collision.
    #[inline]
    #[must_use]
    pub fn unpack(self, position: &Position) -> Option<Move> {
        if !self.is_some() {
            return None;
        }
        let (from, to) = (self.from(), self.to());
        let board = position.board();
        let us = position.turn();
        if !position.us().contains(from) {
            return None;
        }
        let role = board.role_at(from)?;
        match self.0 >> 12 {
            EN_PASSANT => {
                let possible = role == Role::Pawn
                    && position.ep_square() == Some(to)
                    && attacks::pawn_attacks(us, from).contains(to);
                possible.then_some(Move::EnPassant { from, to })
            }
            CASTLE => {
                let side = CastlingSide::from_queen_side(to < from);
                let possible = role == Role::King
                    && position.castles().rook(us, side) == Some(to)
                    && (position.castles().path(us, side) & board.occupied()).is_empty();
                possible.then_some(Move::Castle {
                    king: from,
                    rook: to,
                })
            }
            flag => {
                let promotion = match flag {
                    0 => None,
                    _ => Some(Role::new_promoted(flag)?),
                };
                let capture = if board.occupied().contains(to) {
                    if !position.them().contains(to) {
                        return None;
                    }
                    board.role_at(to)
                } else {
                    None
                };
                reaches(position, role, from, to, capture, promotion).then_some(Move::Normal {
                    role,
                    from,
                    capture,
                    to,
                    promotion,
                })
            }
        }
    }
}

/// Promotion pieces by their flag.
trait Promoted: Sized {
    fn new_promoted(flag: u16) -> Option<Self>;
}

impl Promoted for Role {
    #[inline]
    fn new_promoted(flag: u16) -> Option<Role> {
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .get(usize::from(flag.checked_sub(PROMOTION)?))
            .copied()
    }
}

/// Whether a man could go from one square to the other, own king's safety
/// apart.
#[inline]
fn reaches(
    position: &Position,
    role: Role,
    from: Square,
    to: Square,
    capture: Option<Role>,
    promotion: Option<Role>,
) -> bool {
    let us = position.turn();
    let occupied = position.board().occupied();
    if role != Role::Pawn {
        return promotion.is_none()
            && !(role == Role::King && capture.is_some())
            && attacks::attacks(from, role.of(us), occupied).contains(to);
    }
    if (to.rank() == us.relative_rank(Rank::Eighth)) != promotion.is_some() {
        return false;
    }
    if capture.is_some() {
        return attacks::pawn_attacks(us, from).contains(to);
    }
    let Some(step) = from.offset(us.fold_wb(8, -8)) else {
        return false;
    };
    to == step
        || (from.rank() == us.relative_rank(Rank::Second)
            && !occupied.contains(step)
            && Some(to) == step.offset(us.fold_wb(8, -8)))
}
