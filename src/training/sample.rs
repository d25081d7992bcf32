//! A training position in 32 bytes.

use shakmaty::{Bitboard, Color, Piece, Role, Square};

use crate::{
    evaluation::nnue::{Architecture, Scene, kind},
    rules::Position,
};

/// The most men on a board.
pub(super) const MAX_MEN: usize = 32;

/// A position seen as if White were to move, and what it is worth.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Sample {
    occupied: u64,
    /// Four bits a man in the order of squares, the low half first: pawn to
    /// king of the side to move 0 to 5, of the other 6 to 11.
    men: [u8; MAX_MEN / 2],
    /// The points that the side to move should expect, 0 to [`CERTAIN`].
    pub expected: u16,
}

/// The expected points of a side that surely wins.
pub const CERTAIN: u16 = 60_000;

const _: () = assert!(size_of::<Sample>() == 32);

/// The inputs of a position, for the side to move and for the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Inputs {
    pub own: Vec<u32>,
    pub other: Vec<u32>,
}

impl Sample {
    /// Packs a position; `None` if it has more men than a board can have.
    #[must_use]
    pub fn new(position: &Position, expected: u16) -> Option<Sample> {
        let us = position.turn();
        let flip = us.fold_wb(0, 56);
        let board = position.board();
        let occupied = if us.is_white() {
            board.occupied()
        } else {
            board.occupied().flip_vertical()
        };
        if occupied.count() > MAX_MEN {
            return None;
        }
        let mut men = [0; MAX_MEN / 2];
        for (i, square) in occupied.into_iter().enumerate() {
            let man = board.piece_at(Square::new(square as u32 ^ flip))?;
            let code = man.role as u8 - Role::Pawn as u8 + if man.color == us { 0 } else { 6 };
            men[i / 2] |= code << (4 * (i % 2));
        }
        Some(Sample {
            occupied: occupied.0,
            men,
            expected,
        })
    }

    /// The points that the side to move should expect, 0 to 1.
    #[must_use]
    pub fn points(&self) -> f32 {
        f32::from(self.expected) / f32::from(CERTAIN)
    }

    /// How many men there are.
    #[must_use]
    pub const fn men(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The men, those of the side to move as White.
    fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        Bitboard(self.occupied)
            .into_iter()
            .enumerate()
            .map(|(i, square)| {
                let code = self.men[i / 2] >> (4 * (i % 2)) & 15;
                let role = Role::ALL[usize::from(code % 6)];
                (square, role.of(Color::from_white(code < 6)))
            })
    }

    /// The inputs of `shape` that are on. King buckets of one man on one square
    /// lie next to each other, as [`Model`](super::Model) keeps its rows.
    pub(super) fn inputs(&self, shape: &Architecture, inputs: &mut Inputs) {
        let mut men = [Bitboard::EMPTY; 12];
        for (square, man) in self.pieces() {
            men[kind(man.color, man.role)].add(square);
        }
        let scene = Scene::from_men(men);
        let Inputs { own, other } = inputs;
        for (side, inputs) in [(Color::White, own), (Color::Black, other)] {
            inputs.clear();
            let view = shape.view(side, men[kind(side, Role::King)].first());
            scene.for_each(|place| {
                let input = view.input(place, side);
                inputs.push(super::model::row(input, shape) as u32);
            });
        }
    }
}
