//! The Polyglot file format: sixteen bytes an entry, sorted by key.
//!
//! An entry is, big-endian, the key (8 bytes), the move (2), a weight (2) and a
//! number for learning (4). Keys of atomic positions are those of chess: men,
//! castling rights, side to move, and the file of a pawn that just went two
//! squares past an enemy pawn, be the capture legal or not.

use shakmaty::{CastlingMode, CastlingSide, Color, Move, Role, Square, attacks};

use super::randoms::RANDOMS;
use crate::rules::Position;

const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;
/// Bytes of an entry.
const ENTRY: usize = 16;

/// A move as books write it: castling is king takes rook.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash, Ord, PartialOrd)]
pub struct PolyglotMove(pub u16);

impl PolyglotMove {
    /// The code of a move.
    #[must_use]
    pub fn new(m: Move) -> PolyglotMove {
        let (from, to) = match m {
            Move::Castle { king, rook } => (king, rook),
            _ => (m.from().unwrap_or(m.to()), m.to()),
        };
        let promotion = match m.promotion() {
            Some(Role::Knight) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Rook) => 3,
            Some(Role::Queen) => 4,
            _ => 0,
        };
        PolyglotMove(to as u16 | (from as u16) << 6 | promotion << 12)
    }

    /// Whether this is the king's own step of the castling move `m`, which some
    /// books write.
    pub(super) fn is_step_of(self, m: Move) -> bool {
        let Move::Castle { king, .. } = m else {
            return false;
        };
        let uci = m.to_uci(CastlingMode::Standard);
        uci.to()
            .is_some_and(|to| self.0 == to as u16 | (king as u16) << 6)
    }
}

/// One line of a book.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    /// The position.
    pub key: u64,
    /// The move.
    pub m: PolyglotMove,
    /// How often to play it, beside the others.
    pub weight: u16,
    /// What a learning program noted.
    pub learn: u32,
}

/// The square that `m` passes over, if it is a pawn's double step.
#[must_use]
pub fn passed_square(m: Move) -> Option<Square> {
    match m {
        Move::Normal {
            role: Role::Pawn,
            from,
            to,
            ..
        } if from.distance(to) == 2 && from.file() == to.file() => {
            Some(Square::new((u32::from(from) + u32::from(to)) / 2))
        }
        _ => None,
    }
}

/// The key of a position. `passed` is the square that the last move, a pawn's
/// double step, passed over; without it the position's own en-passant square
/// counts, which is there only if the capture is legal.
#[must_use]
pub fn key(position: &Position, passed: Option<Square>) -> u64 {
    let board = position.board();
    let mut key = 0;
    for (square, man) in board.iter() {
        let kind = 2 * (man.role as usize - 1) + usize::from(man.color.is_white());
        key ^= RANDOMS[64 * kind + square as usize];
    }
    let rights = [
        (Color::White, CastlingSide::KingSide),
        (Color::White, CastlingSide::QueenSide),
        (Color::Black, CastlingSide::KingSide),
        (Color::Black, CastlingSide::QueenSide),
    ];
    for (index, (color, side)) in rights.into_iter().enumerate() {
        if position.castles().has(color, side) {
            key ^= RANDOMS[CASTLING + index];
        }
    }
    let us = position.turn();
    if let Some(square) = passed.or(position.ep_square())
        && (attacks::pawn_attacks(!us, square) & board.by_piece(us.pawn())).any()
    {
        key ^= RANDOMS[EN_PASSANT + square.file() as usize];
    }
    if us.is_white() {
        key ^= RANDOMS[WHITE_TO_MOVE];
    }
    key
}

/// Reads a file; `None` if it does not consist of whole entries.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<Vec<Entry>> {
    let (entries, rest) = bytes.as_chunks::<ENTRY>();
    rest.is_empty().then(|| {
        entries
            .iter()
            .map(|bytes| {
                let word = u128::from_be_bytes(*bytes);
                Entry {
                    key: (word >> 64) as u64,
                    m: PolyglotMove((word >> 48) as u16),
                    weight: (word >> 32) as u16,
                    learn: word as u32,
                }
            })
            .collect()
    })
}

/// Puts entries into the order of a file: by key, heavier moves first.
pub fn sort(entries: &mut [Entry]) {
    entries.sort_unstable_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight), entry.m));
}

/// The bytes of a file, sorted.
#[must_use]
pub fn write(entries: &[Entry]) -> Vec<u8> {
    let mut sorted = entries.to_vec();
    sort(&mut sorted);
    sorted
        .iter()
        .flat_map(|entry| {
            let word = u128::from(entry.key) << 64
                | u128::from(entry.m.0) << 48
                | u128::from(entry.weight) << 32
                | u128::from(entry.learn);
            word.to_be_bytes()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn keys_are_those_of_the_format() {
        // Published with the format: positions and their keys.
        for (moves, expected) in [
            ("", 0x463b_9618_1691_fc9c_u64),
            ("e2e4", 0x823c_9b50_fd11_4196),
            ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
            ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ] {
            let mut position = Position::startpos(Ruleset::Lichess);
            let mut passed = None;
            for text in moves.split_whitespace() {
                let m = position.parse_uci(text).expect("legal");
                passed = passed_square(m);
                position.play(m);
            }
            assert_eq!(key(&position, passed), expected, "{moves}");
        }
    }

    #[test]
    fn files_come_back_as_written_and_torn_ones_are_refused() {
        let entry = |key, m, weight| Entry {
            key,
            m: PolyglotMove(m),
            weight,
            learn: 7,
        };
        let entries = [entry(9, 1, 2), entry(3, 4, 5), entry(3, 6, 50)];
        let bytes = write(&entries);
        assert_eq!(
            read(&bytes).expect("whole"),
            [entries[2], entries[1], entries[0]]
        );
        assert_eq!(read(&bytes[1..]), None);
    }
}
