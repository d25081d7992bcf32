//! What a network is told of a position: the men on their squares.

use shakmaty::{Bitboard, Board, Color, Role};

/// Kinds of men: six of each side.
const KINDS: usize = 12;
/// Inputs of one king bucket: a kind of man, own or not, on a square.
pub const PLACES: usize = KINDS * 64;

/// The men of a position as sets of squares: Black's from pawn to king, then
/// White's.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scene([Bitboard; KINDS]);

/// A man on a square: 64 times its kind, plus the square. Below [`PLACES`].
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) struct Place(u16);

/// How one side sees the board: which king bucket, and whether mirrored.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct View {
    pub(super) bucket: u8,
    pub(super) mirrored: bool,
}

/// How one side numbers the men on their squares.
#[derive(Copy, Clone, Debug)]
pub(super) struct Sight {
    white: bool,
    /// Which bits of a square are turned round.
    flip: u16,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene([Bitboard::EMPTY; KINDS])
    }
}

impl Scene {
    /// What `board` shows.
    #[inline]
    #[must_use]
    pub fn of(board: &Board) -> Scene {
        let (roles, colors) = board.clone().into_bitboards();
        let mut men = [Bitboard::EMPTY; KINDS];
        for color in Color::ALL {
            for role in Role::ALL {
                men[kind(color, role)] = *roles.get(role) & *colors.get(color);
            }
        }
        Scene(men)
    }

    /// The same from the squares of each kind of man.
    pub(crate) const fn from_men(men: [Bitboard; KINDS]) -> Scene {
        Scene(men)
    }

    /// Calls `visit` with each man.
    pub(crate) fn for_each(&self, visit: impl FnMut(Place)) {
        self.changes(&Scene::default(), visit, |_| {});
    }

    /// Calls `came` with each man that is on a square here and was not there
    /// `before`, and `gone` with each that was and is not.
    #[inline]
    pub(super) fn changes(
        &self,
        before: &Scene,
        mut came: impl FnMut(Place),
        mut gone: impl FnMut(Place),
    ) {
        let mut changed = 0u16;
        for (kind, (now, before)) in self.0.iter().zip(&before.0).enumerate() {
            changed |= u16::from(now != before) << kind;
        }
        while changed != 0 {
            let kind = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let (now, before) = (self.0[kind], before.0[kind]);
            let place = |square| Place((64 * kind) as u16 + square as u16);
            (now & !before).into_iter().map(place).for_each(&mut came);
            (before & !now).into_iter().map(place).for_each(&mut gone);
        }
    }
}

/// The number of a kind of man.
#[inline]
pub(crate) const fn kind(color: Color, role: Role) -> usize {
    color as usize * 6 + role as usize - Role::Pawn as usize
}

impl View {
    /// A number below twice the number of king buckets.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.bucket as usize * 2 + self.mirrored as usize
    }

    /// The king bucket.
    #[inline]
    #[must_use]
    pub const fn bucket(self) -> usize {
        self.bucket as usize
    }

    /// The input of a man on a square, for `perspective`.
    #[inline]
    pub(crate) const fn input(self, place: Place, perspective: Color) -> usize {
        self.bucket() * PLACES + self.sight(perspective).place(place)
    }

    /// How `perspective` numbers the men on their squares.
    #[inline]
    pub(super) const fn sight(self, perspective: Color) -> Sight {
        let mirror = if self.mirrored { 7 } else { 0 };
        match perspective {
            Color::White => Sight {
                white: true,
                flip: mirror,
            },
            Color::Black => Sight {
                white: false,
                flip: mirror ^ 56,
            },
        }
    }
}

impl Sight {
    /// The number of an input within a king bucket, below [`PLACES`]: own men
    /// come first, and both sides look from their own end.
    #[inline]
    pub(super) const fn place(self, place: Place) -> usize {
        const HALF: u16 = PLACES as u16 / 2;
        let Place(place) = place;
        let own_first = if !self.white {
            place
        } else if place < HALF {
            place + HALF
        } else {
            place - HALF
        };
        (own_first ^ self.flip) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::nnue::Architecture;
    use shakmaty::fen::Fen;

    fn board(fen: &str) -> Board {
        fen.parse::<Fen>().expect("test FEN").into_setup().board
    }

    fn shape() -> Architecture {
        let buckets = std::array::from_fn(|square| square as u8);
        Architecture::new(32, 1, buckets).expect("shape")
    }

    fn inputs(board: &Board, perspective: Color, shape: &Architecture) -> Vec<usize> {
        let view = shape.view(perspective, board.king_of(perspective));
        let mut inputs = Vec::new();
        Scene::of(board).for_each(|place| inputs.push(view.input(place, perspective)));
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn colours_and_wings_mirror_each_other() {
        let shape = shape();
        let mut board = board("r3k2r/pp3ppp/2n5/3q4/1b1P4/2N2Q2/PP3PPP/R1B1K2R");
        let here = inputs(&board, Color::White, &shape);
        assert_ne!(here, inputs(&board, Color::Black, &shape));
        board.flip_horizontal();
        assert_eq!(here, inputs(&board, Color::White, &shape));
        board.flip_vertical();
        let (roles, mut colors) = board.into_bitboards();
        std::mem::swap(&mut colors.white, &mut colors.black);
        let swapped = Board::try_from_bitboards(roles, colors).expect("board");
        assert_eq!(here, inputs(&swapped, Color::Black, &shape));
    }
}
