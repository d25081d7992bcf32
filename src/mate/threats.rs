//! Which moves threaten the enemy king.
//!
//! A threat is a capture that would explode the king next move, or check. It
//! needs a man that attacks the king or what stands beside it, so most quiet
//! moves are seen to make none without being played.

use shakmaty::{Bitboard, Color, Move, Role, attacks};

use crate::rules::{Position, blast, movegen};

/// What a threat of the side to move would have to hit.
pub(super) struct Threats {
    attacker: Color,
    /// Squares from which a man of this role would attack a target.
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
    /// Own men that stand between own sliders and targets.
    screens: Bitboard,
}

impl Threats {
    pub(super) fn new(position: &Position) -> Threats {
        let board = position.board();
        let us = position.turn();
        let occupied = board.occupied();
        let own = board.by_color(us);
        let targets = board.by_color(!us)
            & blast::fatal_centers(board, !us)
            & !blast::fatal_centers(board, us);
        let mut threats = Threats {
            attacker: us,

            pawn: Bitboard::EMPTY,
            knight: Bitboard::EMPTY,
            bishop: Bitboard::EMPTY,
            rook: Bitboard::EMPTY,
            screens: Bitboard::EMPTY,
        };
        for target in targets {
            threats.pawn |= attacks::pawn_attacks(!us, target);
            threats.knight |= attacks::knight_attacks(target);
            let bishop = attacks::bishop_attacks(target, occupied);
            let rook = attacks::rook_attacks(target, occupied);
            // Sliders that see the target once a neighbour of it on their line
            // is away.
            let beyond_bishop = attacks::bishop_attacks(target, occupied & !(bishop & own));
            let beyond_rook = attacks::rook_attacks(target, occupied & !(rook & own));
            let snipers = own
                & ((beyond_bishop & !bishop & board.bishops_and_queens())
                    | (beyond_rook & !rook & board.rooks_and_queens()));
            for sniper in snipers {
                threats.screens |= attacks::between(target, sniper) & own;
            }
            threats.bishop |= bishop;
            threats.rook |= rook;
        }
        threats
    }

    /// `false` only if the move makes no new threat.
    pub(super) fn may_be_made_by(&self, m: Move) -> bool {
        match m {
            Move::Normal {
                role: Role::King, ..
            }
            | Move::Castle { .. }
            | Move::EnPassant { .. }
            | Move::Normal {
                capture: Some(_), ..
            } => true,
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                promotion.is_some()
                    || self.screens.contains(from)
                    || self.squares(role).contains(to)
            }
            Move::Put { .. } => false,
        }
    }

    /// Whether the attacker, who has just moved, threatens the king.
    pub(super) fn made(&self, position: &Position) -> bool {
        movegen::king_blast(position, self.attacker).is_some()
    }

    fn squares(&self, role: Role) -> Bitboard {
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
