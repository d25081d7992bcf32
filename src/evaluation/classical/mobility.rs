//! Mobility, and on the way every attack set of the other terms.
//!
//! A square that an enemy pawn attacks counts for nothing: a pawn that takes
//! there gives itself for a piece, and all pieces beside.

use shakmaty::{Bitboard, Board, Color, Role, attacks};

use super::{placement::placement, score::Score, view::Side};
use crate::rules::sliders;

const KNIGHT: Score = Score::new(10, 8);
const BISHOP: Score = Score::new(8, 8);
const ROOK: Score = Score::new(6, 8);
const QUEEN: Score = Score::new(4, 8);

/// What one walk over a side's men gives.
pub struct Walk {
    /// The sum of the piece-square tables.
    pub placement: Score,
    /// The squares that the pieces reach.
    pub mobility: Score,
}

/// Visits every man of `side` once and fills in the squares it attacks.
#[inline]
pub fn walk(board: &Board, side: &mut Side, enemy_pawn_attacks: Bitboard) -> Walk {
    let occupied = board.occupied();
    let area = !(side.men | enemy_pawn_attacks);
    let color = side.color;
    let mut walk = Walk {
        placement: placement(color, Role::King, side.king),
        mobility: Score::ZERO,
    };
    for square in side.pawns {
        walk.placement += placement(color, Role::Pawn, square);
    }
    for square in board.knights() & side.men {
        let attacked = attacks::knight_attacks(square);
        side.attacks.knights |= attacked;
        side.attacks.add(attacked);
        walk.visit(color, Role::Knight, square, KNIGHT, attacked & area);
    }
    for square in board.bishops() & side.men {
        let attacked = sliders::bishop_attacks(square, occupied);
        side.attacks.bishops |= attacked;
        side.attacks.add(attacked);
        walk.visit(color, Role::Bishop, square, BISHOP, attacked & area);
    }
    for square in board.rooks() & side.men {
        let attacked = sliders::rook_attacks(square, occupied);
        side.attacks.rooks |= attacked;
        side.attacks.add(attacked);
        walk.visit(color, Role::Rook, square, ROOK, attacked & area);
    }
    for square in board.queens() & side.men {
        let attacked = sliders::queen_attacks(square, occupied);
        side.attacks.queens |= attacked;
        side.attacks.add(attacked);
        walk.visit(color, Role::Queen, square, QUEEN, attacked & area);
    }
    walk
}

impl Walk {
    #[inline]
    fn visit(
        &mut self,
        color: Color,
        role: Role,
        square: shakmaty::Square,
        weight: Score,
        reached: Bitboard,
    ) {
        self.placement += placement(color, role, square);
        self.mobility += weight * reached.count() as i32;
    }
}
