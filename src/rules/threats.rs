//! Quiet moves that threaten to explode the enemy king.

use shakmaty::{Bitboard, Move, Role, attacks};

use super::{Position, blast, movegen, sliders};

/// The enemy men whose capture would explode the enemy king and not that of the
/// side to move; the enemy king is one of them.
#[inline]
#[must_use]
pub fn targets(position: &Position) -> Bitboard {
    let (board, us) = (position.board(), position.turn());
    position.them() & blast::fatal_centers(board, !us) & !blast::fatal_centers(board, us)
}

/// The empty squares from which a man of each kind attacks one of the
/// [`targets`].
#[derive(Copy, Clone, Debug)]
pub struct ThreatSquares {
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
}

impl ThreatSquares {
    /// The squares for the men of the side to move.
    #[inline]
    #[must_use]
    pub fn new(position: &Position) -> ThreatSquares {
        let occupied = position.board().occupied();
        let mut squares = ThreatSquares {
            pawn: Bitboard::EMPTY,
            knight: Bitboard::EMPTY,
            bishop: Bitboard::EMPTY,
            rook: Bitboard::EMPTY,
        };
        for target in targets(position) {
            squares.pawn |= attacks::pawn_attacks(!position.turn(), target) & !occupied;
            squares.knight |= attacks::knight_attacks(target) & !occupied;
            squares.bishop |= sliders::bishop_attacks(target, occupied) & !occupied;
            squares.rook |= sliders::rook_attacks(target, occupied) & !occupied;
        }
        squares
    }

    /// Whether the quiet move `m` threatens so with the man that moves.
    #[inline]
    #[must_use]
    pub fn reached_by(&self, m: Move) -> bool {
        match m {
            Move::Normal { role, to, .. } => self.of(role).contains(to),
            _ => false,
        }
    }

    /// Calls `sink` with every pseudo-legal quiet move that threatens so.
    #[inline]
    pub fn moves(&self, position: &Position, sink: impl FnMut(Move)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn the_quiet_threats_of_a_position_are_those_that_attack_beside_the_king() {
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("a position");
        let squares = ThreatSquares::new(&position);
        let mut found = Vec::new();
        squares.moves(&position, |m| found.push(position.uci(m, false)));
        found.sort_unstable();
        assert_eq!(found, ["f3e5", "f3g5"]);
        for m in movegen::legal_moves(&position) {
            let threat = found.contains(&position.uci(m, false));
            assert!(m.is_capture() || squares.reached_by(m) == threat, "{m:?}");
        }
    }

    #[test]
    fn nothing_is_a_target_that_would_take_the_own_king_along() {
        let fen = "8/8/3pk3/4K3/8/8/8/3Q4 w - - 0 1";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("a position");
        assert!(targets(&position).is_empty());
    }
}
