//! How the positions of a table file are numbered.
//!
//! Men are numbered in groups. The first, leading group is reduced by the
//! symmetries of the board: three men of which there is one each, or else the
//! two kings (which may touch in atomic chess, so there are 518 pairs), or in
//! tables with pawns those pawns that come first; the file of the pawn nearest
//! to the edge selects a part of the table. Every other group holds like men
//! and is numbered by combinations of the squares that earlier groups left.

use arrayvec::ArrayVec;
use shakmaty::{Piece, Role, Square};

use crate::endgame::material::{MAX_MEN, Material};

/// Ways to choose `k` of `n`.
pub(super) const fn binomial(n: u64, k: u64) -> u64 {
    let mut result = 1;
    let mut i = 0;
    while i < k {
        if n <= i {
            return 0;
        }
        result = result * (n - i) / (i + 1);
        i += 1;
    }
    result
}

/// [`binomial`] for up to five of up to 64.
const CHOICES: [[u64; 65]; MAX_MEN + 1] = {
    let mut table = [[0; 65]; MAX_MEN + 1];
    let mut k = 0;
    while k <= MAX_MEN {
        let mut n = 0;
        while n <= 64 {
            table[k][n] = binomial(n as u64, k as u64);
            n += 1;
        }
        k += 1;
    }
    table
};

#[inline]
const fn choices(n: u64, k: u64) -> u64 {
    CHOICES[k as usize][n as usize]
}

/// Pairs of squares for the two kings, without symmetries.
const KINGS: u64 = 518;
/// Triples of squares for three unlike men, without symmetries.
const TRIPLES: u64 = 31_332;

/// Squares for pawns, a part a file.
pub const FILES: usize = 4;

/// Squares of the triangle a1-d1-d4, those off its diagonal first.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// The place of each square in [`TRIANGLE`]; 0 outside.
const IN_TRIANGLE: [u8; 64] = {
    let mut table = [0; 64];
    let mut number = 0;
    while number < TRIANGLE.len() {
        table[TRIANGLE[number] as usize] = number as u8;
        number += 1;
    }
    table
};

#[inline]
const fn in_triangle(square: u64) -> u64 {
    IN_TRIANGLE[square as usize] as u64
}

/// The number of a square below the diagonal a1-h8 among such squares.
const fn below_diagonal(square: u64) -> u64 {
    let (file, rank) = (square & 7, square >> 3);
    rank * 7 - rank * rank.saturating_sub(1) / 2 + file - rank - 1
}

/// How near the edge a pawn stands: the leading pawn has the highest number.
const fn pawn_number(square: u64) -> u64 {
    let (file, rank) = (square & 7, square >> 3);
    let (column, right) = if file < 4 { (file, 0) } else { (7 - file, 1) };
    47 - 2 * (6 * column + rank - 1) - right
}

/// The number of arrangements of `pawns` like pawns whose leading pawn stands
/// on earlier squares of the file than `rank`.
fn lead_pawns_before(pawns: u64, file: u64, rank: u64) -> u64 {
    (1..rank)
        .map(|rank| choices(pawn_number(8 * rank + file), pawns - 1))
        .sum()
}

/// The order of men in a table and the numbering that follows from it.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// The men as the file lists them.
    pub men: ArrayVec<Piece, MAX_MEN>,
    /// How many men each group has.
    lens: ArrayVec<usize, MAX_MEN>,
    /// Places of the leading group, and of the other side's pawns if both
    /// have some, in the order from the fastest to the slowest.
    pub order: [u8; 2],
    /// For each part, what a step in each group counts.
    factors: [ArrayVec<u64, MAX_MEN>; FILES],
    /// The size of each part.
    sizes: [u64; FILES],
    lead_pawns: usize,
    other_pawns: usize,
}

impl Numbering {
    /// Numbers the positions of men in this order. `lead_place` counts the
    /// other groups that vary faster than the leading one.
    #[must_use]
    pub fn new(men: &[Piece], lead_place: usize) -> Numbering {
        let men: ArrayVec<Piece, MAX_MEN> = men.iter().copied().collect();
        let material = Material::from_men(men.iter().copied());
        let first = men[0];
        let pawns = |man: Piece| men.iter().filter(|&&other| other == man).count();
        let (lead_pawns, other_pawns) = if first.role == Role::Pawn {
            (pawns(first), material.pawns() - pawns(first))
        } else {
            (0, 0)
        };
        let mut lens = ArrayVec::new();
        let lead = if lead_pawns > 0 {
            lead_pawns
        } else {
            unlike_men(&men).min(3)
        };
        lens.push(lead);
        for group in men[lead..].chunk_by(Piece::eq) {
            lens.push(group.len());
        }
        let order = if other_pawns > 0 {
            [lead_place as u8, lead_place as u8 + 1]
        } else {
            [lead_place as u8, 15]
        };
        let mut numbering = Numbering {
            men,
            lens,
            order,
            factors: Default::default(),
            sizes: [0; FILES],
            lead_pawns,
            other_pawns,
        };
        for part in 0..numbering.parts() {
            numbering.measure(part);
        }
        numbering
    }

    /// How many parts the table has: one a file of the leading pawn.
    #[must_use]
    pub fn parts(&self) -> usize {
        if self.lead_pawns > 0 { FILES } else { 1 }
    }

    /// How many groups there are beside the leading one and the other pawns:
    /// the most that `lead_place` may be.
    #[must_use]
    pub fn other_groups(&self) -> usize {
        self.lens.len() - 1 - usize::from(self.other_pawns > 0)
    }

    /// How many numbers a part has.
    #[must_use]
    pub fn size(&self, part: usize) -> u64 {
        self.sizes[part]
    }

    /// Works out the factors and the size of a part.
    fn measure(&mut self, part: usize) {
        let lead = self.lens[0] as u64;
        let mut factors: ArrayVec<u64, MAX_MEN> = self.lens.iter().map(|_| 0).collect();
        let mut free = 64 - lead - self.other_pawns as u64;
        let mut size = 1;
        let mut next = 1 + usize::from(self.other_pawns > 0);
        let mut place = 0;
        while next < self.lens.len() || self.order.contains(&place) {
            if place == self.order[0] {
                factors[0] = size;
                size *= match lead {
                    _ if self.lead_pawns > 0 => lead_pawns_before(lead, part as u64, 7),
                    3 => TRIPLES,
                    _ => KINGS,
                };
            } else if place == self.order[1] {
                factors[1] = size;
                size *= binomial(48 - lead, self.other_pawns as u64);
            } else {
                let len = self.lens[next] as u64;
                factors[next] = size;
                size *= binomial(free, len);
                free -= len;
                next += 1;
            }
            place += 1;
        }
        self.factors[part] = factors;
        self.sizes[part] = size;
    }

    /// The part and the number of a position: the squares of the men in the
    /// table's order, with the stronger side as White.
    #[must_use]
    pub fn number(&self, squares: &[Square]) -> (usize, u64) {
        let mut on = [0; MAX_MEN];
        let on = &mut on[..squares.len()];
        for (on, &square) in on.iter_mut().zip(squares) {
            *on = u64::from(square);
        }
        let (part, lead) = if self.lead_pawns > 0 {
            self.number_lead_pawns(on)
        } else {
            (0, number_lead_pieces(on, self.lens[0]))
        };
        let factors = &self.factors[part];
        let mut number = lead * factors[0];
        let mut begin = self.lens[0];
        for (group, &len) in self.lens.iter().enumerate().skip(1) {
            let (before, rest) = on.split_at_mut(begin);
            let squares = &mut rest[..len];
            squares.sort_unstable();
            let unavailable = if group == 1 && self.other_pawns > 0 {
                8
            } else {
                0
            };
            for (i, &square) in squares.iter().enumerate() {
                let taken = before.iter().filter(|&&other| other < square).count() as u64;
                let free = square - taken - unavailable;
                number += choices(free, i as u64 + 1) * factors[group];
            }
            begin += len;
        }
        (part, number)
    }

    fn number_lead_pawns(&self, on: &mut [u64]) -> (usize, u64) {
        let count = self.lead_pawns;
        let leading = (0..count).max_by_key(|&i| pawn_number(on[i]));
        on.swap(0, leading.unwrap_or(0));
        if on[0] & 4 != 0 {
            on.iter_mut().for_each(|square| *square ^= 7);
        }
        let (file, rank) = (on[0] & 7, on[0] >> 3);
        on[1..count].sort_unstable_by_key(|&square| pawn_number(square));
        let others = on[1..count].iter().enumerate();
        let number: u64 = others
            .map(|(i, &square)| choices(pawn_number(square), i as u64 + 1))
            .sum();
        (
            file as usize,
            lead_pawns_before(count as u64, file, rank) + number,
        )
    }
}

/// How many of the men there are just once.
pub(super) fn unlike_men(men: &[Piece]) -> usize {
    men.iter()
        .filter(|&man| men.iter().filter(|&other| other == man).count() == 1)
        .count()
}

/// Reduces all squares by the symmetries, and numbers those of the first
/// `count` men.
fn number_lead_pieces(on: &mut [u64], count: usize) -> u64 {
    let off_diagonal = |square: u64| square >> 3 != square & 7;
    if on[0] & 4 != 0 {
        on.iter_mut().for_each(|square| *square ^= 7);
    }
    if on[0] & 32 != 0 {
        on.iter_mut().for_each(|square| *square ^= 56);
    }
    if let Some(&first) = on[..count].iter().find(|&&square| off_diagonal(square))
        && first >> 3 > first & 7
    {
        for square in on.iter_mut() {
            *square = *square >> 3 | (*square & 7) << 3;
        }
    }
    let (a, b) = (on[0], on[1]);
    let b_free = b - u64::from(b > a);
    // The second man on the diagonal, counted along it.
    let b_diagonal = || (b >> 3) - u64::from(b > a);
    if count == 2 {
        return if off_diagonal(a) {
            in_triangle(a) * 63 + b_free
        } else if off_diagonal(b) {
            6 * 63 + (a >> 3) * 28 + below_diagonal(b)
        } else {
            6 * 63 + 4 * 28 + (a >> 3) * 7 + b_diagonal()
        };
    }
    let c = on[2];
    let taken = u64::from(c > a) + u64::from(c > b);
    if off_diagonal(a) {
        in_triangle(a) * 63 * 62 + b_free * 62 + c - taken
    } else if off_diagonal(b) {
        6 * 63 * 62 + (a >> 3) * 28 * 62 + below_diagonal(b) * 62 + c - taken
    } else if off_diagonal(c) {
        (6 * 63 + 4 * 28) * 62 + (a >> 3) * 7 * 28 + b_diagonal() * 28 + below_diagonal(c)
    } else {
        (6 * 63 + 4 * 28) * 62
            + 4 * 7 * 28
            + (a >> 3) * 7 * 6
            + b_diagonal() * 6
            + ((c >> 3) - taken)
    }
}
