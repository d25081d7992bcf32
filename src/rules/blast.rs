//! The one place that knows what an explosion removes.
//!
//! A capture explodes on the square where the capturing piece lands. It takes
//! the capturer, the captured man, and every piece that is not a pawn on the
//! eight squares around. For en passant the centre is the square landed on,
//! not that of the pawn taken. Playing a move, hash keys, exchange values,
//! evaluation and pictures all ask here.

use shakmaty::{Bitboard, Board, Color, Move, Square, attacks};

/// The squares that a blast on `center` can reach around it, whatever stands
/// there.
#[inline]
pub const fn zone(center: Square) -> Bitboard {
    attacks::king_attacks(center)
}

/// The bystanders that a blast on `center` removes: pieces other than pawns on
/// the squares around, not the man on `center` itself.
#[inline]
pub fn bystanders(board: &Board, center: Square) -> Bitboard {
    zone(center) & (board.occupied() & !board.pawns())
}

/// The square that explodes when `m` is played: where the capturer lands, or
/// `None` for a move that takes nothing.
#[inline]
pub const fn center(m: Move) -> Option<Square> {
    match m {
        Move::Normal {
            capture: Some(_),
            to,
            ..
        }
        | Move::EnPassant { to, .. } => Some(to),
        _ => None,
    }
}

/// The square of the man that `m` takes, which differs from the centre of the
/// blast only for en passant.
#[inline]
pub fn victim(m: Move) -> Option<Square> {
    match m {
        Move::Normal {
            capture: Some(_),
            to,
            ..
        } => Some(to),
        Move::EnPassant { from, to } => Some(en_passant_victim(from, to)),
        _ => None,
    }
}

/// The square of the pawn taken en passant by a pawn that goes `from` `to`.
#[inline]
pub fn en_passant_victim(from: Square, to: Square) -> Square {
    Square::from_coords(to.file(), from.rank())
}

/// All squares that playing `m` empties by its blast, on the board before the
/// move: capturer, victim and bystanders. Empty for a move that takes nothing.
#[inline]
pub fn removed(board: &Board, m: Move) -> Bitboard {
    match (m.from(), center(m), victim(m)) {
        (Some(from), Some(center), Some(victim)) => {
            bystanders(board, center).with(from).with(victim)
        }
        _ => Bitboard::EMPTY,
    }
}

/// The squares on which a capture would explode the king of `color`: its own
/// square and those around. Empty when that king is gone.
#[inline]
pub fn fatal_centers(board: &Board, color: Color) -> Bitboard {
    board
        .king_of(color)
        .map_or(Bitboard::EMPTY, |king| zone(king).with(king))
}

/// Whether the kings stand next to each other. Capturing one would then explode
/// both, so neither is in check.
#[inline]
pub fn kings_touch(board: &Board) -> bool {
    let kings = board.kings();
    kings.first().is_some_and(|king| (zone(king) & kings).any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Role, fen::Fen};

    fn board(fen: &str) -> Board {
        fen.parse::<Fen>().expect("test FEN").into_setup().board
    }

    fn squares(names: &[&str]) -> Bitboard {
        names
            .iter()
            .map(|name| name.parse::<Square>().expect("square"))
            .collect()
    }

    #[test]
    fn pawns_beside_the_blast_survive() {
        let board = board("rnbqkbnr/1ppppp1p/p5p1/8/8/1P6/PBPPPPPP/RN1QKBNR");
        let m = Move::Normal {
            role: Role::Bishop,
            from: Square::B2,
            capture: Some(Role::Rook),
            to: Square::H8,
            promotion: None,
        };
        assert_eq!(removed(&board, m), squares(&["b2", "h8", "g8"]));
    }

    #[test]
    fn en_passant_explodes_where_the_pawn_lands() {
        let board = board("8/3k4/8/3Pp3/8/8/8/4K3");
        let m = Move::EnPassant {
            from: Square::D5,
            to: Square::E6,
        };
        assert_eq!(center(m), Some(Square::E6));
        assert_eq!(removed(&board, m), squares(&["d5", "e5", "d7"]));
    }

    #[test]
    fn quiet_moves_remove_nothing() {
        let board = Board::new();
        let m = Move::Normal {
            role: Role::Pawn,
            from: Square::E2,
            capture: None,
            to: Square::E4,
            promotion: None,
        };
        assert_eq!(removed(&board, m), Bitboard::EMPTY);
    }

    #[test]
    fn touching_kings_are_recognised() {
        assert!(kings_touch(&board("8/8/8/8/3k4/4K3/8/8")));
        assert!(!kings_touch(&board("8/8/8/3k4/8/4K3/8/8")));
        assert!(!kings_touch(&board("8/8/8/3k4/8/8/8/8")));
    }
}
