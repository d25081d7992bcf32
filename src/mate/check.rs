//! Mate in one: the last move of every forced win.
//!
//! Most games of atomic chess end by a blast, which one look at the squares
//! around the enemy king finds. The rest end by checkmate as in chess, and only
//! moves that could give check at all are tried for that.

use shakmaty::{Bitboard, Move, Role, attacks};

use crate::rules::{Legality, Position, blast, movegen};

/// A legal move that explodes the enemy king or gives checkmate.
#[must_use]
pub fn mate_in_one(position: &Position) -> Option<Move> {
    movegen::king_blast(position, position.turn()).or_else(|| checkmating_move(position))
}

/// Whether the side to move is checkmated: attacked, and without a legal move.
#[must_use]
pub fn is_checkmate(position: &Position) -> bool {
    position.is_check() && !movegen::has_legal_move(position)
}

/// A legal move that gives checkmate and explodes no king.
#[must_use]
pub(super) fn checkmating_move(position: &Position) -> Option<Move> {
    if !position.ruleset().has_check() {
        return None;
    }
    let lines = Lines::new(position)?;
    let legality = Legality::new(position);
    let mut mate = None;
    movegen::all(position, |m| {
        if mate.is_none()
            && lines.may_check(position, m)
            && legality.allows(m)
            && is_checkmate(&position.after(m))
        {
            mate = Some(m);
        }
    });
    mate
}

/// What is needed to see at a glance that a move gives no check.
struct Lines {
    /// Squares from which a man of this role would attack the enemy king.
    pawn: Bitboard,
    knight: Bitboard,
    bishop: Bitboard,
    rook: Bitboard,
    /// Squares between the enemy king and own sliders that look its way.
    between: Bitboard,
    touching: bool,
}

impl Lines {
    fn new(position: &Position) -> Option<Lines> {
        let board = position.board();
        let us = position.turn();
        let king = board.king_of(!us)?;
        let own = board.by_color(us);
        let occupied = board.occupied();
        let snipers = own
            & ((attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
                | (attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
        Some(Lines {
            pawn: attacks::pawn_attacks(!us, king),
            knight: attacks::knight_attacks(king),
            bishop: attacks::bishop_attacks(king, occupied),
            rook: attacks::rook_attacks(king, occupied),
            between: snipers
                .into_iter()
                .map(|sniper| attacks::between(king, sniper))
                .fold(Bitboard::EMPTY, |all, line| all | line),
            touching: blast::kings_touch(board),
        })
    }

    /// `false` only if the move surely gives no check.
    fn may_check(&self, position: &Position, m: Move) -> bool {
        match m {
            Move::Normal {
                role: Role::King,
                capture: None,
                from,
                ..
            } => self.touching || self.between.contains(from),
            Move::Castle { .. } => true,
            // The kings still touch after any other move, so there is no check.
            _ if self.touching => false,
            Move::Normal {
                role,
                from,
                capture: None,
                to,
                promotion,
            } => {
                self.between.contains(from) || self.squares(promotion.unwrap_or(role)).contains(to)
            }
            _ => (blast::removed(position.board(), m) & self.between).any(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Ruleset::Lichess).expect("FEN")
    }

    #[test]
    fn checkmates_are_found_as_by_trying_every_move() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut mates = 0;
        for _ in 0..400 {
            let mut current = Position::startpos(Ruleset::Lichess);
            for _ in 0..160 {
                let moves = movegen::legal_moves(&current);
                if moves.is_empty() {
                    break;
                }
                let tried = moves
                    .iter()
                    .any(|&m| !current.after(m).king_is_gone() && is_checkmate(&current.after(m)));
                assert_eq!(
                    checkmating_move(&current).is_some(),
                    tried,
                    "{}",
                    current.fen()
                );
                mates += usize::from(tried);
                // Quiet games, so that they last.
                let quiet: Vec<_> = moves.iter().filter(|m| !m.is_capture()).collect();
                let m = if quiet.is_empty() || rng.u8(..8) == 0 {
                    moves[rng.usize(..moves.len())]
                } else {
                    *quiet[rng.usize(..quiet.len())]
                };
                current.play(m);
            }
        }
        assert!(mates > 5, "{mates}");
    }

    #[test]
    fn an_exploding_king_comes_first() {
        let m = mate_in_one(&position("8/8/8/K7/1k6/p7/Q7/8 w - - 8 22")).expect("Qxa3");
        assert!(m.is_capture());
    }
}
