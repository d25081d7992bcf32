//! A position as the reader of Syzygy files wants it.
//!
//! The reader asks for captures, legal moves and the positions after them.
//! Our own generator answers several times as fast as shakmaty's, and nothing
//! needs to be converted and checked before a probe, which counts in a search
//! that probes at every capture.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, Castles, Color, KnownOutcome, Move, MoveList, Outcome,
    Position as Rules, RemainingChecks, Role, Square, attacks,
};
use shakmaty_syzygy::{Syzygy, TableType};

use super::syzygy::file::Kind;
use crate::rules::{
    Legality, Position,
    legality::attackers,
    movegen::{self, captures},
};

/// A position under lichess rules.
#[derive(Clone, Debug)]
pub(super) struct TablePosition(Position);

impl TablePosition {
    /// `None` under rules that the tables do not hold for.
    pub(super) fn new(position: &Position) -> Option<TablePosition> {
        let ruleset = position.ruleset();
        ruleset.has_check().then(|| TablePosition(position.clone()))
    }
}

impl Syzygy for TablePosition {
    const TBW: TableType = TableType {
        ext: Kind::Wdl.extension(),
        magic: Kind::Wdl.magic(),
    };
    const TBZ: TableType = TableType {
        ext: Kind::Dtz.extension(),
        magic: Kind::Dtz.magic(),
    };
    const ONE_KING: bool = true;
    const CONNECTED_KINGS: bool = true;
    const CAPTURES_COMPULSORY: bool = false;
}

impl Rules for TablePosition {
    fn board(&self) -> &Board {
        self.0.board()
    }

    fn promoted(&self) -> Bitboard {
        Bitboard::EMPTY
    }

    fn pockets(&self) -> Option<&ByColor<ByRole<u8>>> {
        None
    }

    fn turn(&self) -> Color {
        self.0.turn()
    }

    fn castles(&self) -> &Castles {
        self.0.castles()
    }

    fn maybe_ep_square(&self) -> Option<Square> {
        self.0.ep_square()
    }

    fn remaining_checks(&self) -> Option<&ByColor<RemainingChecks>> {
        None
    }

    fn halfmoves(&self) -> u32 {
        self.0.halfmoves()
    }

    fn fullmoves(&self) -> NonZeroU32 {
        self.0.fullmoves()
    }

    fn legal_moves(&self) -> MoveList {
        movegen::legal_moves(&self.0)
    }

    fn capture_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        if !self.0.king_is_gone() {
            let legality = Legality::new(&self.0);
            captures(&self.0, |m| {
                if legality.allows(m) {
                    moves.push(m);
                }
            });
        }
        moves
    }

    fn king_attackers(&self, square: Square, attacker: Color, occupied: Bitboard) -> Bitboard {
        let touched = attacks::king_attacks(square);
        match self.0.king(attacker) {
            Some(king) if !touched.contains(king) => {
                attackers(self.board(), square, attacker, occupied)
            }
            _ => Bitboard::EMPTY,
        }
    }

    fn is_variant_end(&self) -> bool {
        self.0.king_is_gone()
    }

    /// Bare kings alone; other draws are for the tables to tell.
    fn has_insufficient_material(&self, color: Color) -> bool {
        self.board().by_color(color) == self.board().by_piece(Role::King.of(color))
    }

    fn variant_outcome(&self) -> Outcome {
        match Color::ALL.map(|color| self.0.king(color)) {
            [Some(_), Some(_)] => Outcome::Unknown,
            [white, _] => Outcome::Known(KnownOutcome::Decisive {
                winner: Color::from_white(white.is_some()),
            }),
        }
    }

    fn play_unchecked(&mut self, m: Move) {
        self.0.play(m);
    }
}
