//! Staged pseudo-legal move generation on shakmaty's attack tables.
//!
//! A king never captures, and a capture next to one's own king is never legal,
//! so neither is generated. Everything else is left to [`Legality`].

use shakmaty::{Bitboard, CastlingSide, Color, File, Move, MoveList, Rank, Role, Square, attacks};

use super::{
    blast,
    legality::{Legality, attackers},
    position::Position,
    sliders,
};

/// The pieces a pawn may become, the best first.
pub const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

/// Calls `sink` with every pseudo-legal capture, en passant included.
#[inline]
pub fn captures(position: &Position, mut sink: impl FnMut(Move)) {
    let board = position.board();
    let us = position.turn();
    let targets = position.them() & !blast::fatal_centers(board, us);
    pieces(
        position,
        |_| targets,
        |role, from, to| {
            sink(Move::Normal {
                role,
                from,
                capture: board.role_at(to),
                to,
                promotion: None,
            });
        },
    );

    let pawns = board.by_piece(us.pawn());
    let promoting = Bitboard::from_rank(us.relative_rank(Rank::Eighth));
    let west = pawn_push(us, pawns & !Bitboard::from_file(File::A)).0 >> 1;
    let east = pawn_push(us, pawns & !Bitboard::from_file(File::H)).0 << 1;
    for (reached, step) in [(Bitboard(west), -1), (Bitboard(east), 1)] {
        for to in reached & targets {
            let Some(from) = to.offset(us.fold_wb(-8, 8) - step) else {
                continue;
            };
            let capture = board.role_at(to);
            if promoting.contains(to) {
                for promotion in PROMOTIONS {
                    sink(pawn_move(from, to, capture, Some(promotion)));
                }
            } else {
                sink(pawn_move(from, to, capture, None));
            }
        }
    }
    if let Some(to) = position.ep_square() {
        for from in attacks::pawn_attacks(!us, to) & pawns {
            sink(Move::EnPassant { from, to });
        }
    }
}

/// A capture by `color` that explodes the other king and not its own, if there
/// is one on the board as it stands. For the side to move such a move is
/// always legal and wins at once, even in check; for the other side it is what
/// that side threatens.
#[inline]
#[must_use]
pub fn king_blast(position: &Position, color: Color) -> Option<Move> {
    let board = position.board();
    let own = blast::fatal_centers(board, color);
    if own.is_empty() {
        return None;
    }
    let fatal = blast::fatal_centers(board, !color) & !own;
    for to in fatal & board.by_color(!color) {
        let capturers = attackers(board, to, color, board.occupied());
        if let Some(from) = capturers.first() {
            let role = board.role_at(from)?;
            let promotes = role == Role::Pawn && to.rank() == color.relative_rank(Rank::Eighth);
            return Some(Move::Normal {
                role,
                from,
                capture: board.role_at(to),
                to,
                promotion: promotes.then_some(Role::Queen),
            });
        }
    }
    let to = position
        .ep_square()
        .filter(|&to| color == position.turn() && fatal.contains(to))?;
    (attacks::pawn_attacks(!color, to) & board.by_piece(color.pawn()))
        .first()
        .map(|from| Move::EnPassant { from, to })
}

/// Calls `sink` with every pseudo-legal promotion to a queen that takes
/// nothing.
#[inline]
pub fn queen_promotions(position: &Position, mut sink: impl FnMut(Move)) {
    let us = position.turn();
    let seventh = Bitboard::from_rank(us.relative_rank(Rank::Seventh));
    let pawns = position.board().by_piece(us.pawn()) & seventh;
    if pawns.any() {
        for to in pawn_push(us, pawns) & !position.board().occupied() {
            if let Some(from) = to.offset(us.fold_wb(-8, 8)) {
                sink(pawn_move(from, to, None, Some(Role::Queen)));
            }
        }
    }
}

/// Calls `sink` with every other pseudo-legal move: quiet moves, castling,
/// promotions to other pieces that take nothing.
#[inline]
pub fn quiets(position: &Position, mut sink: impl FnMut(Move)) {
    let board = position.board();
    let empty = !board.occupied();
    pawn_steps(position, &PROMOTIONS[1..], &mut sink);
    pieces(
        position,
        |_| empty,
        |role, from, to| {
            sink(quiet(role, from, to));
        },
    );
    if let Some(king) = position.king(position.turn()) {
        king_moves(position, king, sink);
    }
}

/// Calls `sink` with every pseudo-legal pawn move that takes nothing.
#[inline]
pub fn pawn_advances(position: &Position, sink: impl FnMut(Move)) {
    pawn_steps(position, &PROMOTIONS, sink);
}

/// Calls `sink` with every pseudo-legal move of the king of the side to move,
/// which stands on `king`, castling included.
#[inline]
pub fn king_moves(position: &Position, king: Square, mut sink: impl FnMut(Move)) {
    let occupied = position.board().occupied();
    let us = position.turn();
    for to in attacks::king_attacks(king) & !occupied {
        sink(quiet(Role::King, king, to));
    }
    for side in CastlingSide::ALL {
        if let Some(rook) = position.castles().rook(us, side)
            && (position.castles().path(us, side) & occupied).is_empty()
        {
            sink(Move::Castle { king, rook });
        }
    }
}

/// Calls `sink` with the pseudo-legal quiet moves of men other than the king
/// to the squares that `targets` names for each kind, all of them empty.
/// Promotions are left out.
#[inline]
pub fn quiets_to(
    position: &Position,
    targets: impl Fn(Role) -> Bitboard,
    mut sink: impl FnMut(Move),
) {
    let board = position.board();
    let us = position.turn();
    let back = us.fold_wb(-8, 8);
    let single = pawn_push(us, board.by_piece(us.pawn())) & !board.occupied();
    let third = Bitboard::from_rank(us.relative_rank(Rank::Third));
    let last = Bitboard::from_rank(us.relative_rank(Rank::Eighth));
    for (pushed, step) in [
        (single & !last, back),
        (pawn_push(us, single & third), 2 * back),
    ] {
        for to in pushed & targets(Role::Pawn) {
            if let Some(from) = to.offset(step) {
                sink(pawn_move(from, to, None, None));
            }
        }
    }
    pieces(position, targets, |role, from, to| {
        sink(quiet(role, from, to))
    });
}

/// Calls `sink` with every pseudo-legal move.
#[inline]
pub fn all(position: &Position, mut sink: impl FnMut(Move)) {
    captures(position, &mut sink);
    queen_promotions(position, &mut sink);
    quiets(position, &mut sink);
}

/// The legal moves by this generator; none once a king is gone.
#[must_use]
pub fn legal_moves(position: &Position) -> MoveList {
    let legality = Legality::new(position);
    let mut moves = MoveList::new();
    all(position, |m| {
        if legality.allows(m) {
            moves.push(m);
        }
    });
    moves
}

/// Whether any move is legal.
#[must_use]
pub fn has_legal_move(position: &Position) -> bool {
    let legality = Legality::new(position);
    // Most kings can step somewhere.
    if let Some(king) = position.king(position.turn())
        && (attacks::king_attacks(king) & !position.board().occupied())
            .into_iter()
            .any(|to| legality.allows(quiet(Role::King, king, to)))
    {
        return true;
    }
    let mut found = false;
    quiets(position, |m| found = found || legality.allows(m));
    if !found {
        captures(position, |m| found = found || legality.allows(m));
        queen_promotions(position, |m| found = found || legality.allows(m));
    }
    found
}

/// Counts the leaves of the tree of legal moves `depth` plies deep.
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legality = Legality::new(position);
    let mut nodes = 0;
    if depth == 1 {
        all(position, |m| nodes += u64::from(legality.allows(m)));
    } else {
        all(position, |m| {
            if legality.allows(m) {
                nodes += perft(&position.after(m), depth - 1);
            }
        });
    }
    nodes
}

/// Pawn moves that take nothing, with promotions to `promotions`.
#[inline]
fn pawn_steps(position: &Position, promotions: &[Role], mut sink: impl FnMut(Move)) {
    let board = position.board();
    let us = position.turn();
    let empty = !board.occupied();
    let seventh = Bitboard::from_rank(us.relative_rank(Rank::Seventh));
    let pawns = board.by_piece(us.pawn());
    let single = pawn_push(us, pawns & !seventh) & empty;
    let third = Bitboard::from_rank(us.relative_rank(Rank::Third));
    let back = us.fold_wb(-8, 8);
    for to in single {
        if let Some(from) = to.offset(back) {
            sink(pawn_move(from, to, None, None));
        }
    }
    for to in pawn_push(us, single & third) & empty {
        if let Some(from) = to.offset(2 * back) {
            sink(pawn_move(from, to, None, None));
        }
    }
    if (pawns & seventh).any() {
        for to in pawn_push(us, pawns & seventh) & empty {
            if let Some(from) = to.offset(back) {
                for &promotion in promotions {
                    sink(pawn_move(from, to, None, Some(promotion)));
                }
            }
        }
    }
}

/// Moves of knights, bishops, rooks and queens to the `targets` of each.
#[inline]
fn pieces(
    position: &Position,
    targets: impl Fn(Role) -> Bitboard,
    mut sink: impl FnMut(Role, Square, Square),
) {
    let board = position.board();
    let us = position.us();
    let occupied = board.occupied();
    for from in board.knights() & us {
        for to in attacks::knight_attacks(from) & targets(Role::Knight) {
            sink(Role::Knight, from, to);
        }
    }
    for from in board.bishops() & us {
        for to in sliders::bishop_attacks(from, occupied) & targets(Role::Bishop) {
            sink(Role::Bishop, from, to);
        }
    }
    for from in board.rooks() & us {
        for to in sliders::rook_attacks(from, occupied) & targets(Role::Rook) {
            sink(Role::Rook, from, to);
        }
    }
    for from in board.queens() & us {
        for to in sliders::queen_attacks(from, occupied) & targets(Role::Queen) {
            sink(Role::Queen, from, to);
        }
    }
}

/// The squares one step ahead of `pawns`.
#[inline]
fn pawn_push(us: Color, pawns: Bitboard) -> Bitboard {
    Bitboard(us.fold_wb(pawns.0 << 8, pawns.0 >> 8))
}

/// A move of a piece that takes nothing.
#[inline]
#[must_use]
pub const fn quiet(role: Role, from: Square, to: Square) -> Move {
    Move::Normal {
        role,
        from,
        capture: None,
        to,
        promotion: None,
    }
}

#[inline]
const fn pawn_move(
    from: Square,
    to: Square,
    capture: Option<Role>,
    promotion: Option<Role>,
) -> Move {
    Move::Normal {
        role: Role::Pawn,
        from,
        capture,
        to,
        promotion,
    }
}
