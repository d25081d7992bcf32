//! Which moves threaten the enemy king.
//!
//! A threat is a capture that would explode the king next move, or check. It
//! needs a man that attacks the king or what stands beside it, so most quiet
//! moves are seen to make none without being played.

use shakmaty::{Bitboard, Color, Move, Role, attacks};

use crate::rules::{
    Position, movegen, sliders,
    threats::{ThreatSquares, targets},
};

/// What a threat of the side to move would have to hit.
pub(super) struct Threats {
    attacker: Color,
    squares: ThreatSquares,
    /// Own men that stand between own sliders and targets.
    screens: Bitboard,
}

impl Threats {
    pub(super) fn new(position: &Position) -> Threats {
        Threats {
            attacker: position.turn(),
            squares: ThreatSquares::new(position),
            screens: screens(position),
        }
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
            }
            | Move::Normal {
                promotion: Some(_), ..
            } => true,
            Move::Normal { from, .. } => self.screens.contains(from) || self.squares.reached_by(m),
            Move::Put { .. } => false,
        }
    }

    /// Whether the attacker, who has just moved, threatens the king.
    pub(super) fn made(&self, position: &Position) -> bool {
        movegen::king_blast(position, self.attacker).is_some()
    }
}

/// The men of the side to move that stand between its sliders and targets.
fn screens(position: &Position) -> Bitboard {
    let board = position.board();
    let occupied = board.occupied();
    let own = position.us();
    let mut screens = Bitboard::EMPTY;
    for target in targets(position) {
        let bishop = sliders::bishop_attacks(target, occupied);
        let rook = sliders::rook_attacks(target, occupied);
        // Sliders that see the target once a neighbour of it on their line is
        // away.
        let beyond_bishop = sliders::bishop_attacks(target, occupied & !(bishop & own));
        let beyond_rook = sliders::rook_attacks(target, occupied & !(rook & own));
        let snipers = own
            & ((beyond_bishop & !bishop & board.bishops_and_queens())
                | (beyond_rook & !rook & board.rooks_and_queens()));
        for sniper in snipers {
            screens |= attacks::between(target, sniper) & own;
        }
    }
    screens
}
