//! What the terms look at: for each side its men, its king's blast zone, and
//! every square its men attack. Each attack set is computed once.

use shakmaty::{Bitboard, Board, Color, Square};

use crate::rules::blast;

/// Squares attacked by the men of one side. A king attacks nothing in atomic
/// chess: it never captures.
#[derive(Copy, Clone, Default)]
pub struct Attacks {
    pub pawns: Bitboard,
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    /// Attacked by anything.
    pub all: Bitboard,
    /// Attacked by at least two men.
    pub twice: Bitboard,
}

impl Attacks {
    /// Counts `squares` as attacked by one more man.
    #[inline]
    pub fn add(&mut self, squares: Bitboard) {
        self.twice |= self.all & squares;
        self.all |= squares;
    }
}

/// One side of the board.
#[derive(Copy, Clone)]
pub struct Side {
    pub color: Color,
    pub king: Square,
    /// The squares around the king.
    pub zone: Bitboard,
    /// Where a capture explodes the king: its square and the zone.
    pub fatal: Bitboard,
    pub men: Bitboard,
    pub pawns: Bitboard,
    /// Filled in by [`mobility`](super::mobility), which visits every piece.
    pub attacks: Attacks,
}

impl Side {
    /// The side of `color`; `None` when its king has exploded.
    #[inline]
    pub fn new(board: &Board, color: Color) -> Option<Side> {
        let king = board.king_of(color)?;
        let men = board.by_color(color);
        let pawns = board.pawns() & men;
        let (west, east) = pawn_captures(color, pawns);
        let attacks = Attacks {
            pawns: west | east,
            all: west | east,
            twice: west & east,
            ..Attacks::default()
        };
        let zone = blast::zone(king);
        Some(Side {
            color,
            king,
            zone,
            fatal: zone.with(king),
            men,
            pawns,
            attacks,
        })
    }

    /// The squares one step ahead of `squares`.
    #[inline]
    pub fn forward(&self, squares: Bitboard) -> Bitboard {
        Bitboard(self.color.fold_wb(squares.0 << 8, squares.0 >> 8))
    }
}

/// Squares that `pawns` of `color` attack towards the a-file and towards the
/// h-file.
#[inline]
pub fn pawn_captures(color: Color, pawns: Bitboard) -> (Bitboard, Bitboard) {
    let west = pawns & !Bitboard::from_file(shakmaty::File::A);
    let east = pawns & !Bitboard::from_file(shakmaty::File::H);
    color.fold_wb(
        (Bitboard(west.0 << 7), Bitboard(east.0 << 9)),
        (Bitboard(west.0 >> 9), Bitboard(east.0 >> 7)),
    )
}

/// The squares from which a knight attacks one of `targets`.
#[inline]
pub fn knight_origins(targets: Bitboard) -> Bitboard {
    let t = targets.0;
    let one_west = (t >> 1) & NOT_FILE_H;
    let two_west = (t >> 2) & 0x3f3f_3f3f_3f3f_3f3f;
    let one_east = (t << 1) & NOT_FILE_A;
    let two_east = (t << 2) & 0xfcfc_fcfc_fcfc_fcfc;
    let one = one_west | one_east;
    let two = two_west | two_east;
    Bitboard((one << 16) | (one >> 16) | (two << 8) | (two >> 8))
}

/// The squares from which a rook attacks one of `targets` when only `empty`
/// squares can be crossed.
#[inline]
pub fn rook_origins(targets: Bitboard, empty: Bitboard) -> Bitboard {
    slide(targets, empty, [(8, !0, !0), (1, NOT_FILE_A, NOT_FILE_H)])
}

/// As [`rook_origins`], for bishops.
#[inline]
pub fn bishop_origins(targets: Bitboard, empty: Bitboard) -> Bitboard {
    slide(
        targets,
        empty,
        [(9, NOT_FILE_A, NOT_FILE_H), (7, NOT_FILE_H, NOT_FILE_A)],
    )
}

const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Slides from all `targets` at once along two lines, both ways: parallel
/// prefix fills, cheaper than a table lookup for every target. Each line is
/// the distance of an upward step, then the squares that a step up and a step
/// down reach without running over the edge.
#[inline]
fn slide(targets: Bitboard, empty: Bitboard, lines: [(u32, u64, u64); 2]) -> Bitboard {
    let mut reached = 0;
    for (shift, up_mask, down_mask) in lines {
        let (mut up, mut down) = (targets.0, targets.0);
        let (mut up_free, mut down_free) = (empty.0 & up_mask, empty.0 & down_mask);
        for step in [shift, 2 * shift, 4 * shift] {
            up |= up_free & (up << step);
            up_free &= up_free << step;
            down |= down_free & (down >> step);
            down_free &= down_free >> step;
        }
        reached |= ((up << shift) & up_mask) | ((down >> shift) & down_mask);
    }
    Bitboard(reached)
}

#[cfg(test)]
mod tests {
    use shakmaty::attacks;

    use super::*;

    #[test]
    fn origins_are_the_union_of_attacks_from_each_target() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..2_000 {
            let occupied = Bitboard(rng.u64(..) & rng.u64(..));
            let targets = occupied & Bitboard(rng.u64(..) & rng.u64(..));
            let union = |attack: &dyn Fn(Square) -> Bitboard| {
                targets
                    .into_iter()
                    .fold(Bitboard::EMPTY, |all, square| all | attack(square))
            };
            assert_eq!(
                rook_origins(targets, !occupied),
                union(&|square| attacks::rook_attacks(square, occupied))
            );
            assert_eq!(
                bishop_origins(targets, !occupied),
                union(&|square| attacks::bishop_attacks(square, occupied))
            );
            assert_eq!(knight_origins(targets), union(&attacks::knight_attacks));
            for color in Color::ALL {
                let (west, east) = pawn_captures(color, targets);
                assert_eq!(
                    west | east,
                    union(&|square| attacks::pawn_attacks(color, square))
                );
            }
        }
    }
}
