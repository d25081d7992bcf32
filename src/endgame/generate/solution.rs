//! The exact value of every position of an ending.

use std::collections::HashMap;

use rayon::prelude::*;
use shakmaty::{Color, Piece, Square};

use super::{
    moves::Board,
    space::{Space, Squares},
};
use crate::endgame::material::Material;

/// The value of a number that stands for no legal position.
pub const ILLEGAL: i16 = i16::MIN;
/// The value of a draw.
pub const DRAW: i16 = 0;
/// Wins that take longer to the next capture or pawn move are draws by the
/// fifty-move rule, against a defence that claims it.
pub const FIFTY_MOVES: i16 = 100;

/// Who wins, with regard to the fifty-move rule, from the view of the side to
/// move: 2 a win, 1 a win that the rule makes a draw, 0 a draw, and the same
/// below zero for losses.
pub type Wdl = i8;

/// What the value of a position says about its result.
#[must_use]
pub const fn wdl_of(value: i16) -> Wdl {
    match value {
        ..=-101 => -1,
        -100..=-1 => -2,
        0 => 0,
        1..=FIFTY_MOVES => 2,
        _ => 1,
    }
}

/// The best results of the moves that reset the fifty-move count, for the side
/// that plays them; `None` if there is no such move.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct Resets {
    /// Captures and pawn moves.
    pub any: Option<Wdl>,
    /// Captures alone.
    pub capture: Option<Wdl>,
}

impl Resets {
    pub(super) fn pack(self) -> u8 {
        let nibble = |wdl: Option<Wdl>| wdl.map_or(0, |wdl| (wdl + 3) as u8);
        nibble(self.any) | nibble(self.capture) << 4
    }

    pub(super) fn unpack(byte: u8) -> Resets {
        let wdl = |nibble: u8| (nibble != 0).then(|| nibble as i8 - 3);
        Resets {
            any: wdl(byte & 15),
            capture: wdl(byte >> 4),
        }
    }
}

/// A computed table.
///
/// The value of a position counts plies to the next capture, pawn move or
/// mate, positive for the side to move if it wins: a win by capture is 1, a
/// mated side has -1. More than a hundred is a win or loss that the fifty-move
/// rule makes a draw; if a later phase of the game is to blame for that, a
/// hundred is added to the distance.
#[derive(Debug)]
pub struct Solution {
    /// The numbering.
    pub space: Space,
    /// Values, by the side to move and number.
    pub(super) values: [Vec<i16>; 2],
    /// Packed [`Resets`], likewise.
    pub(super) resets: [Vec<u8>; 2],
}

impl Solution {
    /// The value of a position, or [`ILLEGAL`].
    #[inline]
    #[must_use]
    pub fn value(&self, turn: Color, index: usize) -> i16 {
        self.values[usize::from(turn.is_black())][index]
    }

    /// The values for one side to move, by number.
    #[must_use]
    pub fn values(&self, turn: Color) -> &[i16] {
        &self.values[usize::from(turn.is_black())]
    }

    /// What captures and pawn moves lead to.
    #[inline]
    #[must_use]
    pub fn resets(&self, turn: Color, index: usize) -> Resets {
        Resets::unpack(self.resets[usize::from(turn.is_black())][index])
    }

    /// The results alone, which are all that other tables need.
    #[must_use]
    pub fn outcomes(&self) -> Outcomes {
        let results = |side: &Vec<i16>| {
            let pairs = side.par_chunks(2);
            let packed = pairs.map(|pair| {
                let results = pair.iter().rev().map(|&value| wdl_of(value) + 2);
                results.fold(0, |packed, result| packed << 4 | result as u8)
            });
            packed.collect()
        };
        Outcomes {
            space: self.space.clone(),
            results: [results(&self.values[0]), results(&self.values[1])],
        }
    }
}

/// The result of every position of an ending.
#[derive(Debug)]
pub struct Outcomes {
    space: Space,
    /// By the side to move and number, two in a byte, each with 2 added; of no
    /// meaning where no legal position is.
    results: [Vec<u8>; 2],
}

impl Outcomes {
    fn wdl(&self, turn: Color, index: usize) -> Wdl {
        let pair = self.results[usize::from(turn.is_black())][index / 2];
        (pair >> (4 * (index % 2)) & 15) as Wdl - 2
    }
}

/// The results of the endings computed so far.
#[derive(Debug, Default)]
pub struct Known {
    endings: HashMap<Material, Outcomes>,
}

impl Known {
    /// Adds an ending.
    pub fn insert(&mut self, outcomes: Outcomes) {
        self.endings.insert(outcomes.space.material, outcomes);
    }

    /// Forgets all endings but those that are wanted.
    pub fn retain(&mut self, wanted: impl Fn(Material) -> bool) {
        self.endings.retain(|&material, _| wanted(material));
    }

    /// The result of a legal position; `None` if its ending is not there.
    #[must_use]
    pub fn wdl(&self, board: &Board, turn: Color) -> Option<Wdl> {
        if board.len() == 2 {
            return Some(0);
        }
        let material = Material::from_men(board.iter().map(|(man, _)| *man));
        let swapped = material.is_swapped();
        let outcomes = self.endings.get(&material.normalized())?;
        let space = &outcomes.space;
        let mut rest = board.clone();
        let mut squares = Squares::EMPTY;
        for (place, &man) in space.men.iter().enumerate() {
            let wanted = Piece {
                color: man.color ^ swapped,
                role: man.role,
            };
            let found = rest.iter().position(|(man, _)| *man == wanted)?;
            let (_, square) = rest.swap_remove(found);
            squares = squares.with(place, turned(square, swapped));
        }
        Some(outcomes.wdl(turn ^ swapped, space.index(squares)))
    }
}

fn turned(square: Square, swapped: bool) -> Square {
    if swapped {
        square.flip_vertical()
    } else {
        square
    }
}
