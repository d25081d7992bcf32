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
        [126, 126, 126, 126],
        [54, 61, 65, 65],
        [22, 29, 32, 40],
        [4, 11, 14, 25],
        [0, 4, 14, 14],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ],
    [
        [0, 0, 0, 0],
        [171, 171, 162, 153],
        [99, 99, 90, 90],
        [50, 50, 47, 47],
        [22, 22, 18, 18],
        [7, 7, 7, 7],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ],
];

const KNIGHT: [Half; 2] = [
    [
        [-54, -18, 0, 0],
        [-45, -9, 18, 27],
        [-18, 18, 36, 45],
        [0, 27, 45, 50],
        [-14, 9, 27, 27],
        [-27, 0, 14, 9],
        [-40, -22, -7, -4],
        [-54, -36, -25, -22],
    ],
    [
        [-43, -25, -14, -11],
        [-25, -11, 0, 4],
        [-14, 0, 11, 14],
        [-11, 4, 14, 22],
        [-11, 4, 14, 22],
        [-14, 0, 11, 14],
        [-25, -11, 0, 4],
        [-43, -25, -14, -11],
    ],
];

const BISHOP: [Half; 2] = [
    [
        [-18, -14, -11, -11],
        [-14, 0, 4, 4],
        [-7, 7, 11, 14],
        [0, 14, 14, 18],
        [0, 11, 14, 18],
        [4, 11, 11, 11],
        [0, 11, 4, 4],
        [-14, -7, -14, -11],
    ],
    [
        [-14, -11, -7, -7],
        [-11, 0, 0, 4],
        [-7, 0, 7, 7],
        [-4, 4, 7, 11],
        [-4, 4, 7, 11],
        [-7, 0, 7, 7],
        [-11, 0, 0, 4],
        [-14, -11, -7, -7],
    ],
];

const ROOK: [Half; 2] = [
    [
        [14, 14, 18, 18],
        [22, 25, 29, 29],
        [7, 7, 11, 14],
        [0, 0, 7, 11],
        [-7, 0, 4, 7],
        [-11, -4, 0, 4],
        [-18, -11, -4, 0],
        [-14, -7, 0, 7],
    ],
    [
        [11, 11, 11, 11],
        [14, 14, 14, 14],
        [7, 7, 7, 7],
        [4, 4, 4, 4],
        [0, 0, 0, 0],
        [-4, -4, -4, -4],
        [-7, -7, -7, -7],
        [-7, -7, -7, -7],
    ],
];

const QUEEN: [Half; 2] = [
    [
        [0, 4, 7, 7],
        [7, 11, 14, 14],
        [7, 14, 18, 22],
        [4, 11, 18, 22],
        [4, 11, 14, 18],
        [0, 7, 7, 7],
        [-7, 0, 4, 4],
        [-11, -7, -4, 0],
    ],
    [
        [-11, -4, 0, 4],
        [-4, 7, 14, 18],
        [0, 14, 25, 29],
        [4, 18, 29, 36],
        [4, 18, 29, 36],
        [0, 14, 22, 25],
        [-7, 0, 11, 14],
        [-14, -7, 0, 4],
    ],
];

const KING: [Half; 2] = [
    [
        [-108, -108, -126, -144],
        [-108, -108, -126, -144],
        [-108, -108, -126, -144],
        [-108, -108, -126, -144],
        [-90, -99, -117, -135],
        [-54, -63, -90, -108],
        [7, 0, -29, -43],
        [43, 36, 7, 0],
    ],
    [
        [-14, -7, -4, 0],
        [-7, 0, 7, 7],
        [0, 7, 14, 18],
        [0, 11, 18, 22],
        [0, 11, 18, 22],
        [0, 7, 14, 18],
        [-4, 0, 7, 7],
        [-7, -4, -4, 0],
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
        assert_eq!(seventh, Score::new(126, 171));
        assert_eq!(seventh, placement(Color::Black, Role::Pawn, Square::H2));
        assert_eq!(
            placement(Color::White, Role::King, Square::H1),
            placement(Color::Black, Role::King, Square::A8)
        );
    }
}
