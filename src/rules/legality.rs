//! Whether a pseudo-legal move is legal, judged by the position after it.
//!
//! The verdict is on the board as it will be, but without playing the move:
//! only the occupied squares and the surviving attackers matter. What is the
//! same for all moves of a position is worked out once.

use shakmaty::{Bitboard, Board, CastlingSide, Color, Move, Role, Square, attacks};

use super::{blast, position::Position, sliders};

/// The legality test for one position.
#[derive(Clone, Debug)]
pub struct Legality<'a> {
    position: &'a Position,
    /// The king of the side to move, and the one of the other side; the test
    /// is void once either is gone.
    kings: Option<(Square, Square)>,
    /// Men that give check now.
    checkers: Bitboard,
    /// Own men that alone stand between the own king and an enemy slider.
    pinned: Bitboard,
    /// All squares between the own king and enemy sliders that look its way.
    lines: Bitboard,
    /// Whether the kings touch before the move.
    touching: bool,
    /// Centres at which a capture would explode the own king.
    fatal: Bitboard,
}

impl<'a> Legality<'a> {
    /// Prepares the test.
    #[inline]
    #[must_use]
    pub fn new(position: &'a Position) -> Legality<'a> {
        let board = position.board();
        let us = position.turn();
        let mut legality = Legality {
            position,
            kings: None,
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            lines: Bitboard::EMPTY,
            touching: false,
            fatal: Bitboard::EMPTY,
        };
        let (Some(king), Some(their_king)) = (board.king_of(us), board.king_of(!us)) else {
            return legality;
        };
        legality.kings = Some((king, their_king));
        legality.fatal = blast::zone(king).with(king);
        if !position.ruleset().has_check() {
            return legality;
        }
        legality.touching = legality.fatal.contains(their_king);
        if legality.touching {
            return legality;
        }
        let them = board.by_color(!us);
        legality.checkers = them
            & ((attacks::pawn_attacks(us, king) & board.pawns())
                | (attacks::knight_attacks(king) & board.knights()));
        let snipers = them
            & ((sliders::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens())
                | (sliders::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens()));
        for sniper in snipers {
            let line = attacks::between(king, sniper);
            legality.lines |= line;
            let between = line & board.occupied();
            if between.is_empty() {
                legality.checkers.add(sniper);
            } else if !between.more_than_one() {
                legality.pinned |= between & board.by_color(us);
            }
        }
        legality
    }

    /// The men that give check to the side to move.
    #[inline]
    #[must_use]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Own men that shield the own king from a slider.
    #[inline]
    #[must_use]
    pub const fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Whether the pseudo-legal move `m` is legal.
    #[inline(always)]
    #[must_use]
    pub fn allows(&self, m: Move) -> bool {
        match m {
            Move::Normal {
                capture: None,
                role,
                from,
                to,
                ..
            } if role != Role::King => self.allows_quiet(from, to),
            _ => self.allows_rare(m),
        }
    }

    /// Captures and moves of the king.
    fn allows_rare(&self, m: Move) -> bool {
        let Some((king, their_king)) = self.kings else {
            return false;
        };
        match m {
            Move::Normal {
                capture: None, to, ..
            } => self.allows_king_step(king, their_king, to),
            Move::Normal {
                role: Role::King, ..
            }
            | Move::Put { .. } => false,
            Move::Normal { to, .. } | Move::EnPassant { to, .. } => {
                let removed = blast::removed(self.position.board(), m);
                self.allows_blast(king, their_king, to, removed)
            }
            Move::Castle { king, rook } => self.allows_castling(king, rook),
        }
    }

    /// A move of a man other than the king that takes nothing.
    #[inline(always)]
    fn allows_quiet(&self, from: Square, to: Square) -> bool {
        let hindered = self.checkers.any() || self.pinned.contains(from);
        self.kings
            .is_some_and(|(king, _)| !hindered || self.allows_hindered(king, from, to))
    }

    /// The same in check or by a pinned man.
    fn allows_hindered(&self, king: Square, from: Square, to: Square) -> bool {
        if self.checkers.any() {
            let Some(checker) = self.checkers.single_square() else {
                return false;
            };
            if !attacks::between(king, checker).contains(to) {
                return false;
            }
        }
        !self.pinned.contains(from) || attacks::aligned(from, to, king)
    }

    #[inline]
    fn allows_king_step(&self, king: Square, their_king: Square, to: Square) -> bool {
        if !self.position.ruleset().has_check() || blast::zone(their_king).contains(to) {
            return true;
        }
        let board = self.position.board();
        let occupied = board.occupied().without(king);
        (attackers(board, to, !self.position.turn(), occupied)).is_empty()
    }

    /// A capture on `center` that empties the squares `removed`.
    #[inline]
    fn allows_blast(
        &self,
        king: Square,
        their_king: Square,
        center: Square,
        removed: Bitboard,
    ) -> bool {
        if self.fatal.contains(center) {
            return false;
        }
        if removed.contains(their_king) || self.touching || !self.position.ruleset().has_check() {
            return true;
        }
        if self.checkers.is_empty() && (removed & self.lines).is_empty() {
            // Only lines that the blast opens could bring new checks.
            return true;
        }
        let board = self.position.board();
        let occupied = board.occupied() & !removed;
        (attackers(board, king, !self.position.turn(), occupied) & occupied).is_empty()
    }

    /// The king leaves, passes and reaches its squares out of check, each
    /// square judged by where the kings would then stand; the last one with
    /// the rook already moved.
    fn allows_castling(&self, king: Square, rook: Square) -> bool {
        if !self.position.ruleset().has_check() {
            return true;
        }
        let board = self.position.board();
        let us = self.position.turn();
        let side = CastlingSide::from_queen_side(rook < king);
        let king_to = side.king_to(us);
        let safe = |square: Square, occupied: Bitboard| {
            board
                .king_of(!us)
                .is_some_and(|their_king| blast::zone(their_king).contains(square))
                || attackers(board, square, !us, occupied).is_empty()
        };
        let occupied = board.occupied().without(king);
        attacks::between(king, king_to)
            .with(king)
            .into_iter()
            .all(|square| safe(square, occupied))
            && safe(king_to, occupied.without(rook).with(side.rook_to(us)))
    }
}

/// The men of `color`, its king left out, that attack `square` when `occupied`
/// squares block sliders.
#[inline]
#[must_use]
pub fn attackers(board: &Board, square: Square, color: Color, occupied: Bitboard) -> Bitboard {
    board.by_color(color)
        & ((sliders::rook_attacks(square, occupied) & board.rooks_and_queens())
            | (sliders::bishop_attacks(square, occupied) & board.bishops_and_queens())
            | (attacks::knight_attacks(square) & board.knights())
            | (attacks::pawn_attacks(!color, square) & board.pawns()))
}
