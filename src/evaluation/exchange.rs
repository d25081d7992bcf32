//! The blast exchange: what one explosion gains and loses.
//!
//! It stands where chess has the static exchange evaluation. In atomic nothing
//! recaptures, since the capturer is gone too: a capture is worth what the
//! blast takes from the other side less what it takes from the mover. A quiet
//! move does not explode; it is worth what the opponent's best blast on or
//! beside its square would then cost.

use shakmaty::{Bitboard, Board, Color, Move, Rank, Role, Square, attacks};

use crate::rules::{Position, blast};

/// The value of a king in an exchange: more than everything else together.
pub const KING: i32 = 10_000;

/// The value of a man in an exchange, in centipawns.
#[inline]
#[must_use]
pub const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 100,
        Role::Knight => 190,
        Role::Bishop => 220,
        Role::Rook => 330,
        Role::Queen => 590,
        Role::King => KING,
    }
}

/// The men of `color` on `squares`, added up, the king left out.
#[inline]
fn material(board: &Board, color: Color, squares: Bitboard) -> i32 {
    let men = board.by_color(color) & squares;
    let worth = |role: Role| value(role) * (men & board.by_role(role)).count() as i32;
    worth(Role::Pawn)
        + worth(Role::Knight)
        + worth(Role::Bishop)
        + worth(Role::Rook)
        + worth(Role::Queen)
}

/// What the move is worth to the mover by explosions alone, in centipawns:
/// [`blast_value`] of a capture, the negated [`quiet_risk`] of any other move,
/// with what a promotion adds.
#[inline]
#[must_use]
pub fn exchange(position: &Position, m: Move) -> i32 {
    if m.is_capture() {
        return blast_value(position, m);
    }
    let promoted = m
        .promotion()
        .map_or(0, |role| value(role) - value(Role::Pawn));
    promoted - quiet_risk(position, m)
}

/// What a capture gains and loses, in centipawns from the mover's view: the
/// victim and the other side's bystanders, less the capturer and the mover's
/// own bystanders. A pawn that promotes by capturing counts as the pawn it
/// was. [`KING`] if the enemy king explodes; minus [`KING`], since the move is
/// illegal, if the own king does, alone or with the other. 0 for a move that
/// takes nothing.
#[inline]
#[must_use]
pub fn blast_value(position: &Position, m: Move) -> i32 {
    let (capturer, from, victim, center) = match m {
        Move::Normal {
            role,
            from,
            capture: Some(victim),
            to,
            ..
        } => (role, from, victim, to),
        Move::EnPassant { from, to } => (Role::Pawn, from, Role::Pawn, to),
        _ => return 0,
    };
    let board = position.board();
    let us = position.turn();
    let bystanders = blast::bystanders(board, center).without(from);
    let kings = bystanders & board.kings();
    if capturer == Role::King || (kings & board.by_color(us)).any() {
        return -KING;
    }
    if victim == Role::King || kings.any() {
        return KING;
    }
    let mut gain = value(victim) - value(capturer);
    if bystanders.any() {
        gain += material(board, !us, bystanders) - material(board, us, bystanders);
    }
    gain
}

/// What the opponent's best pseudo-legal blast that takes the man just moved
/// would cost the mover net, in centipawns, after a move that takes nothing; 0
/// if there is none or it would not pay. [`KING`] if it explodes the mover's
/// king. A pawn is lost only when taken itself, en passant included; a piece
/// also when a neighbour is taken.
#[must_use]
pub fn quiet_risk(position: &Position, m: Move) -> i32 {
    let (from, to, arriving) = match m {
        Move::Normal {
            role,
            from,
            to,
            promotion,
            ..
        } => (from, to, promotion.unwrap_or(role)),
        _ => return 0,
    };
    let board = position.board();
    let us = position.turn();
    let occupied = board.occupied().without(from).with(to);
    let ours = board.by_color(us).without(from).with(to);
    let king = if arriving == Role::King {
        Some(to)
    } else {
        board.king_of(us)
    };
    let forbidden = blast::fatal_centers(board, !us);
    let beside = if arriving == Role::Pawn {
        Bitboard::EMPTY
    } else {
        blast::zone(to)
    };
    let mut worst = 0;
    if arriving == Role::Pawn && from.distance(to) == 2 {
        worst = en_passant_risk(position, to);
    }
    for center in (beside.with(to) & ours) & !forbidden {
        let capturers = crate::rules::legality::attackers(board, center, !us, occupied) & occupied;
        if capturers.is_empty() {
            continue;
        }
        let hit = blast::zone(center).with(center);
        if king.is_some_and(|king| hit.contains(king)) {
            return KING;
        }
        let bystanders = blast::zone(center) & occupied & !(board.pawns());
        // The man moved is counted by hand: the board still has it on `from`.
        let mut lost = material(
            board,
            us,
            (bystanders | Bitboard::from_square(center))
                .without(from)
                .without(to),
        );
        lost += value(arriving);
        let spent = material(board, !us, bystanders);
        worst = worst.max(lost - spent - cheapest(board, capturers, bystanders));
    }
    worst
}

/// What it would cost the mover net that a pawn which went two squares is
/// taken en passant: the blast is on the square it passed.
fn en_passant_risk(position: &Position, to: Square) -> i32 {
    let board = position.board();
    let us = position.turn();
    let center = Square::from_coords(to.file(), us.relative_rank(Rank::Third));
    let capturers = attacks::pawn_attacks(us, center) & board.by_piece((!us).pawn());
    if capturers.is_empty() || blast::fatal_centers(board, !us).contains(center) {
        return 0;
    }
    if blast::fatal_centers(board, us).contains(center) {
        return KING;
    }
    let bystanders = blast::bystanders(board, center);
    (material(board, us, bystanders) - material(board, !us, bystanders)).max(0)
}

/// The least that a capturer adds to the price of a blast: nothing when it
/// stands among the bystanders anyway.
#[inline]
fn cheapest(board: &Board, capturers: Bitboard, bystanders: Bitboard) -> i32 {
    if (capturers & bystanders).any() {
        return 0;
    }
    [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ]
    .into_iter()
    .find(|&role| (capturers & board.by_role(role)).any())
    .map_or(0, value)
}
