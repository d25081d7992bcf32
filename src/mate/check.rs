//! Mate in one: the last move of every forced win.
//!
//! Most games of atomic chess end by a blast, which one look at the squares
//! around the enemy king finds. The rest end by checkmate as in chess, and only
//! moves that could give check at all are tried for that.

use shakmaty::{Bitboard, Move, Role, Square, attacks};

use crate::rules::{Legality, Position, blast, movegen, sliders};

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
    let king = position.king(!position.turn())?;
    let mut legality = None;
    let mut mate = None;
    possible_checks(position, king, |m| {
        if mate.is_none()
            && legality
                .get_or_insert_with(|| Legality::new(position))
                .allows(m)
            && is_checkmate(&position.after(m))
        {
            mate = Some(m);
        }
    });
    mate
}

/// Calls `sink` with every pseudo-legal move that could give check to `king`,
/// and with some that do not.
#[inline]
fn possible_checks(position: &Position, king: Square, mut sink: impl FnMut(Move)) {
    let board = position.board();
    let us = position.turn();
    let own = board.by_color(us);
    let occupied = board.occupied();
    let empty = !occupied;
    let touching = blast::kings_touch(board);
    let snipers = own
        & ((sliders::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
            | (sliders::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
    // Squares whose man may hide a check by a slider.
    let between = snipers
        .into_iter()
        .map(|sniper| attacks::between(king, sniper))
        .fold(Bitboard::EMPTY, |all, line| all | line);

    if let Some(own_king) = board.king_of(us)
        && (touching || between.contains(own_king) || position.castles().has_color(us))
    {
        movegen::king_moves(position, own_king, &mut sink);
    }
    if touching {
        // The kings still touch after any other move, so there is no check.
        return;
    }
    if (between & occupied).any() {
        movegen::captures(position, |m| {
            if (blast::removed(board, m) & between).any() {
                sink(m);
            }
        });
    }
    let bishop = sliders::bishop_attacks(king, occupied) & empty;
    let rook = sliders::rook_attacks(king, occupied) & empty;
    for (men, role, checks) in [
        (board.knights(), Role::Knight, attacks::knight_attacks(king)),
        (board.bishops(), Role::Bishop, bishop),
        (board.rooks(), Role::Rook, rook),
        (board.queens(), Role::Queen, bishop | rook),
    ] {
        for from in men & own {
            let targets = if between.contains(from) {
                empty
            } else {
                checks & empty
            };
            if targets.any() {
                for to in attacks::attacks(from, role.of(us), occupied) & targets {
                    sink(movegen::quiet(role, from, to));
                }
            }
        }
    }
    let checks = attacks::pawn_attacks(!us, king);
    movegen::pawn_advances(position, |m| {
        // A pawn that promotes may uncover the line on which it then checks.
        if m.promotion().is_some()
            || checks.contains(m.to())
            || m.from().is_some_and(|from| between.contains(from))
        {
            sink(m);
        }
    });
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
    fn a_pawn_may_check_through_the_square_it_left() {
        let m = mate_in_one(&position("8/P7/k7/8/8/8/8/1R4K1 w - - 0 1")).expect("a8=Q");
        assert_eq!(m.promotion(), Some(Role::Queen));
    }

    #[test]
    fn an_exploding_king_comes_first() {
        let m = mate_in_one(&position("8/8/8/K7/1k6/p7/Q7/8 w - - 8 22")).expect("Qxa3");
        assert!(m.is_capture());
    }
}
