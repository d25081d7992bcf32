//! Random numbers for hash keys, the same on every machine.
//!
//! Keys are kept incrementally by [`Position`](super::Position), also through
//! blasts that take many men and a rook's castling right at once.

use shakmaty::{Bitboard, Board, Castles, Color, Piece, Role, Square};

/// One step of the SplitMix64 generator.
const fn split_mix(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

const fn table<const N: usize>(seed: u64) -> [u64; N] {
    let mut out = [0; N];
    let mut state = seed;
    let mut i = 0;
    while i < N {
        (state, out[i]) = split_mix(state);
        i += 1;
    }
    out
}

static PIECES: [u64; 12 * 64] = table(0x00a7_0311_c000_0001);
static CASTLING: [u64; 64] = table(0x00a7_0311_c000_0002);
static EN_PASSANT: [u64; 8] = table(0x00a7_0311_c000_0003);
/// Enters the key when Black is to move.
pub(super) const BLACK_TO_MOVE: u64 = table::<1>(0x00a7_0311_c000_0004)[0];

/// The key of one man on one square.
#[inline]
pub(super) fn piece(square: Square, piece: Piece) -> u64 {
    let kind = usize::from(piece.role) - 1 + 6 * usize::from(piece.color.is_black());
    PIECES[kind * 64 + usize::from(square)]
}

/// The key of a set of castling rights, given by rook squares.
#[inline]
pub(super) fn castling(rooks: Bitboard) -> u64 {
    rooks
        .into_iter()
        .fold(0, |key, rook| key ^ CASTLING[usize::from(rook)])
}

/// The key of a legal en-passant capture on this square.
#[inline]
pub(super) fn en_passant(square: Square) -> u64 {
    EN_PASSANT[usize::from(square.file())]
}

/// Hash keys of a position and of its parts.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct Keys {
    /// The whole position, as far as repetition is concerned.
    pub full: u64,
    /// The pawns of both sides.
    pub pawns: u64,
    /// Each side's pieces other than pawns: White's, then Black's.
    pub pieces: [u64; 2],
}

impl Keys {
    /// Adds or removes one man.
    #[inline]
    pub(super) fn toggle(&mut self, square: Square, man: Piece) {
        let key = piece(square, man);
        self.full ^= key;
        if man.role == Role::Pawn {
            self.pawns ^= key;
        } else {
            self.pieces[usize::from(man.color.is_black())] ^= key;
        }
    }

    /// Computes all keys from nothing.
    pub(super) fn fresh(
        board: &Board,
        castles: &Castles,
        ep_square: Option<Square>,
        turn: Color,
    ) -> Keys {
        let mut keys = Keys::default();
        for (square, man) in board {
            keys.toggle(square, man);
        }
        keys.full ^= castling(castles.castling_rights());
        if let Some(square) = ep_square {
            keys.full ^= en_passant(square);
        }
        if turn.is_black() {
            keys.full ^= BLACK_TO_MOVE;
        }
        keys
    }
}
