//! Piece-square tables.
//!
//! A knight in the enemy camp is the usual executioner, since men beside the
//! enemy king cannot be captured by it nor by its neighbours. A king is safest
//! in a corner, where its zone has three squares.

use shakmaty::{Color, Role, Square};

use super::score::Score;

/// The bonus of a man of `color` on `square`.
#[inline]
pub fn placement(color: Color, role: Role, square: Square) -> Score {
    TABLES[color as usize][role as usize - 1][square.to_usize()]
}

/// Ranks from the eighth to the first, files from a to d; the other half of
/// the board mirrors it.
type Half = [[i32; 4]; 8];

const PAWN: [Half; 2] = [
    [
        [0, 0, 0, 0],
        [70, 70, 70, 70],
        [30, 34, 36, 36],
        [12, 16, 18, 22],
        [2, 6, 8, 14],
        [0, 2, 8, 8],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ],
    [
        [0, 0, 0, 0],
        [95, 95, 90, 85],
        [55, 55, 50, 50],
        [28, 28, 26, 26],
        [12, 12, 10, 10],
        [4, 4, 4, 4],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ],
];

const KNIGHT: [Half; 2] = [
    [
        [-30, -10, 0, 0],
        [-25, -5, 10, 15],
        [-10, 10, 20, 25],
        [0, 15, 25, 28],
        [-8, 5, 15, 15],
        [-15, 0, 8, 5],
        [-22, -12, -4, -2],
        [-30, -20, -14, -12],
    ],
    [
        [-24, -14, -8, -6],
        [-14, -6, 0, 2],
        [-8, 0, 6, 8],
        [-6, 2, 8, 12],
        [-6, 2, 8, 12],
        [-8, 0, 6, 8],
        [-14, -6, 0, 2],
        [-24, -14, -8, -6],
    ],
];

const BISHOP: [Half; 2] = [
    [
        [-10, -8, -6, -6],
        [-8, 0, 2, 2],
        [-4, 4, 6, 8],
        [0, 8, 8, 10],
        [0, 6, 8, 10],
        [2, 6, 6, 6],
        [0, 6, 2, 2],
        [-8, -4, -8, -6],
    ],
    [
        [-8, -6, -4, -4],
        [-6, 0, 0, 2],
        [-4, 0, 4, 4],
        [-2, 2, 4, 6],
        [-2, 2, 4, 6],
        [-4, 0, 4, 4],
        [-6, 0, 0, 2],
        [-8, -6, -4, -4],
    ],
];

const ROOK: [Half; 2] = [
    [
        [8, 8, 10, 10],
        [12, 14, 16, 16],
        [4, 4, 6, 8],
        [0, 0, 4, 6],
        [-4, 0, 2, 4],
        [-6, -2, 0, 2],
        [-10, -6, -2, 0],
        [-8, -4, 0, 4],
    ],
    [
        [6, 6, 6, 6],
        [8, 8, 8, 8],
        [4, 4, 4, 4],
        [2, 2, 2, 2],
        [0, 0, 0, 0],
        [-2, -2, -2, -2],
        [-4, -4, -4, -4],
        [-4, -4, -4, -4],
    ],
];

const QUEEN: [Half; 2] = [
    [
        [0, 2, 4, 4],
        [4, 6, 8, 8],
        [4, 8, 10, 12],
        [2, 6, 10, 12],
        [2, 6, 8, 10],
        [0, 4, 4, 4],
        [-4, 0, 2, 2],
        [-6, -4, -2, 0],
    ],
    [
        [-6, -2, 0, 2],
        [-2, 4, 8, 10],
        [0, 8, 14, 16],
        [2, 10, 16, 20],
        [2, 10, 16, 20],
        [0, 8, 12, 14],
        [-4, 0, 6, 8],
        [-8, -4, 0, 2],
    ],
];

const KING: [Half; 2] = [
    [
        [-60, -60, -70, -80],
        [-60, -60, -70, -80],
        [-60, -60, -70, -80],
        [-60, -60, -70, -80],
        [-50, -55, -65, -75],
        [-30, -35, -50, -60],
        [4, 0, -16, -24],
        [24, 20, 4, 0],
    ],
    [
        [-8, -4, -2, 0],
        [-4, 0, 4, 4],
        [0, 4, 8, 10],
        [0, 6, 10, 12],
        [0, 6, 10, 12],
        [0, 4, 8, 10],
        [-2, 0, 4, 4],
        [-4, -2, -2, 0],
    ],
];

static TABLES: [[[Score; 64]; 6]; 2] = {
    let halves = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING];
    let mut tables = [[[Score::ZERO; 64]; 6]; 2];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            let file = square % 8;
            let file = if file < 4 { file } else { 7 - file };
            let [middlegame, endgame] = &halves[role];
            let black_rank = square / 8;
            tables[Color::White as usize][role][square] = Score::new(
                middlegame[7 - black_rank][file],
                endgame[7 - black_rank][file],
            );
            tables[Color::Black as usize][role][square] =
                Score::new(middlegame[black_rank][file], endgame[black_rank][file]);
            square += 1;
        }
        role += 1;
    }
    tables
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_from_each_sides_own_point_of_view() {
        let seventh = placement(Color::White, Role::Pawn, Square::A7);
        assert_eq!(seventh, Score::new(70, 95));
        assert_eq!(seventh, placement(Color::Black, Role::Pawn, Square::H2));
        assert_eq!(
            placement(Color::White, Role::King, Square::H1),
            placement(Color::Black, Role::King, Square::A8)
        );
    }
}
