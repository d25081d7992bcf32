//! How the positions of an ending are numbered while its table is computed.
//!
//! Positions that a symmetry of the board carries into each other share a
//! number: without pawns all eight symmetries count, and White's king stays in
//! the triangle a1-d1-d4; with pawns only the reflection of left and right, and
//! the first pawn stays on the files a to d. Kings may touch, so no pair of
//! squares is left out. The numbers of one pawn structure are contiguous and
//! form a slice: within it no pawn moves.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Piece, Role, Square};

use crate::endgame::material::{MAX_MEN, Material};

/// The squares of all men, one a byte, the first man's in the lowest byte.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Squares(u64);

/// Every byte one.
const ONES: u64 = 0x0101_0101_0101_0101;

impl Squares {
    pub(super) const EMPTY: Squares = Squares(0);

    /// The square of one man.
    #[inline]
    pub fn get(self, man: usize) -> Square {
        Square::new(u32::from((self.0 >> (8 * man)) as u8 & 63))
    }

    /// The same with one man elsewhere.
    #[inline]
    pub fn with(self, man: usize, square: Square) -> Squares {
        let shift = 8 * man;
        Squares(self.0 & !(0xff << shift) | u64::from(u32::from(square)) << shift)
    }

    /// Left and right exchanged.
    #[inline]
    fn flip_horizontal(self) -> Squares {
        Squares(self.0 ^ (7 * ONES))
    }

    #[inline]
    fn flip_vertical(self) -> Squares {
        Squares(self.0 ^ (56 * ONES))
    }

    /// Reflected in the diagonal a1-h8.
    #[inline]
    fn flip_diagonal(self) -> Squares {
        Squares((self.0 >> 3 & (7 * ONES)) | (self.0 & (7 * ONES)) << 3)
    }
}

/// The square that a reflection in the diagonal a1-h8 makes of one.
#[inline]
pub(super) fn mirrored(square: Square) -> Square {
    let square = u32::from(square);
    Square::new(square >> 3 | (square & 7) << 3)
}

/// The squares a1-d1-d4 in the order of their numbers.
const TRIANGLE: [u32; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

/// The place of each square in [`TRIANGLE`], 255 outside.
const IN_TRIANGLE: [u8; 64] = {
    let mut table = [255; 64];
    let mut index = 0;
    while index < TRIANGLE.len() {
        table[TRIANGLE[index] as usize] = index as u8;
        index += 1;
    }
    table
};

/// Squares on which the first pawn may stand.
const FIRST_PAWN: u32 = 24;
/// Squares on which any pawn may stand.
const PAWN: u32 = 48;

/// The men of an ending in the order of the numbering, and the numbering.
#[derive(Clone, Debug)]
pub struct Space {
    /// What is on the board, the stronger side as White.
    pub material: Material,
    /// Pawns first, then White's king, Black's king and the others.
    pub men: ArrayVec<Piece, MAX_MEN>,
    /// How many of `men` are pawns.
    pub pawns: usize,
    /// Positions with the same pawns.
    pub slice_len: usize,
    /// Pawn structures; 1 without pawns.
    pub slices: usize,
}

impl Space {
    /// The numbering of the positions of `material`.
    #[must_use]
    pub fn new(material: Material) -> Space {
        let rank = |man: &Piece| match man.role {
            Role::Pawn => 0,
            Role::King => 1,
            _ => 2,
        };
        let mut men: ArrayVec<Piece, MAX_MEN> = material.pieces().collect();
        men.sort_by_key(rank);
        let pawns = material.pawns();
        let others = men.len() - pawns;
        let (slices, slice_len) = if pawns == 0 {
            (1, TRIANGLE.len() << (6 * (others - 1)))
        } else {
            let structures = FIRST_PAWN * PAWN.pow(pawns as u32 - 1);
            (structures as usize, 1 << (6 * others))
        };
        Space {
            material,
            men,
            pawns,
            slice_len,
            slices,
        }
    }

    /// How many numbers there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.slices * self.slice_len
    }

    /// The place of a king among the men.
    #[inline]
    #[must_use]
    pub fn king(&self, color: Color) -> usize {
        self.pawns + usize::from(color.is_black())
    }

    /// The number of a position.
    #[inline]
    #[must_use]
    pub fn index(&self, squares: Squares) -> usize {
        self.number(self.reduced(squares))
    }

    /// The number of a position, and a second one if a symmetry leaves White's
    /// king where it is.
    #[inline]
    #[must_use]
    pub fn indices(&self, squares: Squares) -> (usize, Option<usize>) {
        let squares = self.reduced(squares);
        (self.number(squares), self.twin(squares))
    }

    /// The second number of a position that is given by its first.
    #[inline]
    #[must_use]
    pub fn twin(&self, squares: Squares) -> Option<usize> {
        let king = squares.get(0);
        let on_diagonal = self.pawns == 0 && u32::from(king) % 9 == 0;
        on_diagonal.then(|| self.number(squares.flip_diagonal()))
    }

    /// The lowest of the six bits in which a number holds the square of a man;
    /// `None` for the first man and for pawns, which are reduced.
    #[inline]
    #[must_use]
    pub fn shift(&self, man: usize) -> Option<u32> {
        (man >= self.pawns.max(1)).then(|| 6 * (self.men.len() - 1 - man) as u32)
    }

    /// The squares of the men in the position with this number.
    #[inline]
    #[must_use]
    pub fn squares(&self, index: usize) -> Squares {
        let mut rest = index;
        let mut squares = Squares::EMPTY;
        let first_piece = self.pawns.max(1);
        for man in (first_piece..self.men.len()).rev() {
            squares = squares.with(man, Square::new(rest as u32 & 63));
            rest >>= 6;
        }
        let mut rest = rest as u32;
        for man in (1..self.pawns).rev() {
            squares = squares.with(man, Square::new(8 + rest % PAWN));
            rest /= PAWN;
        }
        let first = if self.pawns == 0 {
            TRIANGLE[rest as usize]
        } else {
            8 + rest / 4 * 8 + rest % 4
        };
        squares.with(0, Square::new(first))
    }

    /// The squares that are taken.
    #[inline]
    #[must_use]
    pub fn occupied(&self, squares: Squares) -> Bitboard {
        (0..self.men.len()).map(|man| squares.get(man)).collect()
    }

    /// How far the pawns of a slice have come, in ranks: no pawn move leads to
    /// a lower value.
    #[must_use]
    pub fn advancement(&self, slice: usize) -> u32 {
        let squares = self.squares(slice * self.slice_len);
        (0..self.pawns)
            .map(|man| {
                let rank = u32::from(squares.get(man)) / 8;
                self.men[man].color.fold_wb(rank, 7 - rank)
            })
            .sum()
    }

    /// The representative of the positions that are the same by symmetry.
    #[inline]
    fn reduced(&self, mut squares: Squares) -> Squares {
        let first = u32::from(squares.get(0));
        if first & 4 != 0 {
            squares = squares.flip_horizontal();
        }
        if self.pawns == 0 {
            if first & 32 != 0 {
                squares = squares.flip_vertical();
            }
            let first = u32::from(squares.get(0));
            if first >> 3 > first & 7 {
                squares = squares.flip_diagonal();
            }
        }
        squares
    }

    #[inline]
    fn number(&self, squares: Squares) -> usize {
        let first = u32::from(squares.get(0));
        let mut index = if self.pawns == 0 {
            usize::from(IN_TRIANGLE[first as usize])
        } else {
            ((first / 8 - 1) * 4 + first % 8) as usize
        };
        for man in 1..self.pawns {
            index = index * PAWN as usize + usize::from(squares.get(man)) - 8;
        }
        for man in self.pawns.max(1)..self.men.len() {
            index = index << 6 | usize::from(squares.get(man));
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_positions_fit_each_other() {
        for name in ["KQvK", "KRvKB", "KPvKP", "KPPvK", "KQPvK"] {
            let space = Space::new(name.parse().expect("a name"));
            for index in (0..space.size()).step_by(97) {
                let squares = space.squares(index);
                assert_eq!(space.index(squares), index, "{name}");
                assert_eq!(space.index(squares.flip_horizontal()), index, "{name}");
                let (first, second) = space.indices(squares);
                assert_eq!((first, second), (index, space.twin(squares)), "{name}");
            }
        }
    }
}
