//! Attacks of sliding men without large tables.
//!
//! The tables of magic multiplication take 700 KB, more than the fast caches
//! hold beside a network. Here diagonals and files are worked out by
//! subtraction (hyperbola quintessence), and ranks are looked up in half a
//! kilobyte.

use shakmaty::{Bitboard, Square};

/// The lines through a square, without it.
#[derive(Copy, Clone)]
struct Lines {
    diagonal: u64,
    antidiagonal: u64,
    file: u64,
}

const fn ray(square: i32, file_step: i32, rank_step: i32) -> u64 {
    let (mut file, mut rank) = (square % 8 + file_step, square / 8 + rank_step);
    let mut squares = 0;
    while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
        squares |= 1 << (8 * rank + file);
        file += file_step;
        rank += rank_step;
    }
    squares
}

static LINES: [Lines; 64] = {
    let mut lines = [Lines {
        diagonal: 0,
        antidiagonal: 0,
        file: 0,
    }; 64];
    let mut square = 0;
    while square < 64 {
        let s = square as i32;
        lines[square] = Lines {
            diagonal: ray(s, 1, 1) | ray(s, -1, -1),
            antidiagonal: ray(s, 1, -1) | ray(s, -1, 1),
            file: ray(s, 0, 1) | ray(s, 0, -1),
        };
        square += 1;
    }
    lines
};

/// The squares attacked along a rank, by the file of the slider and which of
/// the six inner squares are occupied.
static RANK: [[u8; 64]; 8] = {
    let mut attacks = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = inner << 1;
            let mut reached = 0;
            let mut to = file;
            while to < 7 {
                to += 1;
                reached |= 1 << to;
                if occupied & 1 << to != 0 {
                    break;
                }
            }
            to = file;
            while to > 0 {
                to -= 1;
                reached |= 1 << to;
                if occupied & 1 << to != 0 {
                    break;
                }
            }
            attacks[file][inner] = reached as u8;
            inner += 1;
        }
        file += 1;
    }
    attacks
};

/// The attacks along a line that has at most one square on each rank.
#[inline]
fn along(line: u64, square: u64, occupied: u64) -> u64 {
    let blockers = occupied & line;
    let upwards = blockers.wrapping_sub(square);
    let downwards = blockers.swap_bytes().wrapping_sub(square.swap_bytes());
    (upwards ^ downwards.swap_bytes()) & line
}

/// What a bishop on `square` attacks.
#[inline]
#[must_use]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[usize::from(square)];
    let bit = 1 << u32::from(square);
    Bitboard(along(lines.diagonal, bit, occupied.0) | along(lines.antidiagonal, bit, occupied.0))
}

/// What a rook on `square` attacks.
#[inline]
#[must_use]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let index = u32::from(square);
    let first = index & 56;
    let inner = (occupied.0 >> (first + 1)) as usize & 63;
    let rank = u64::from(RANK[(index & 7) as usize][inner]) << first;
    Bitboard(rank | along(LINES[index as usize].file, 1 << index, occupied.0))
}

/// What a queen on `square` attacks.
#[inline]
#[must_use]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliders_attack_what_those_of_shakmaty_do() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..2000 {
            let occupied = Bitboard(rng.u64(..) & rng.u64(..));
            for square in Square::ALL {
                assert_eq!(
                    bishop_attacks(square, occupied),
                    shakmaty::attacks::bishop_attacks(square, occupied)
                );
                assert_eq!(
                    rook_attacks(square, occupied),
                    shakmaty::attacks::rook_attacks(square, occupied)
                );
            }
        }
    }
}
