//! Compares what table files say with a fresh computation.

use std::fmt;

use rayon::prelude::*;
use shakmaty::{Board, Color, Setup, fen::Fen};

use super::{
    Tables,
    generate::{
        Solution,
        solution::{ILLEGAL, wdl_of},
    },
};
use crate::rules::{Position, Ruleset};

/// What a comparison found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Difference {
    /// Positions compared.
    pub compared: usize,
    /// Positions that the files do not know.
    pub unknown: usize,
    /// Positions with another result.
    pub wdl: usize,
    /// Positions with another distance, beyond what the format rounds.
    pub dtz: usize,
    /// A position in which they differ.
    pub example: Option<String>,
}

impl Difference {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unknown + self.wdl + self.dtz == 0
    }

    fn with(mut self, other: Difference) -> Difference {
        self.compared += other.compared;
        self.unknown += other.unknown;
        self.wdl += other.wdl;
        self.dtz += other.dtz;
        self.example = self.example.or(other.example);
        self
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} positions: ", self.compared)?;
        if self.is_clean() {
            return f.write_str("right");
        }
        write!(
            f,
            "{} with a wrong result, {} with a wrong distance, {} not found",
            self.wdl, self.dtz, self.unknown
        )?;
        match &self.example {
            Some(fen) => write!(f, ", such as {fen}"),
            None => Ok(()),
        }
    }
}

/// Compares random legal positions of an ending. The tables must have it.
#[must_use]
pub fn compare(solution: &Solution, tables: &Tables, positions: usize, seed: u64) -> Difference {
    let mut rng = fastrand::Rng::with_seed(seed);
    let chosen = std::iter::repeat_with(|| {
        let turn = Color::from_white(rng.bool());
        (turn, rng.usize(0..solution.space.size()))
    });
    let legal = chosen.filter(|&(turn, index)| solution.value(turn, index) != ILLEGAL);
    let legal: Vec<_> = legal.take(positions).collect();
    legal
        .into_par_iter()
        .map(|(turn, index)| difference(solution, tables, turn, index))
        .reduce(Difference::default, Difference::with)
}

fn difference(solution: &Solution, tables: &Tables, turn: Color, index: usize) -> Difference {
    let mut difference = Difference {
        compared: 1,
        ..Difference::default()
    };
    let value = solution.value(turn, index);
    let position = position(solution, turn, index);
    let known = |position: &Position| tables.wdl(position).zip(tables.dtz(position));
    match position.as_ref().and_then(known) {
        Some((wdl, dtz)) => {
            let (wdl, dtz) = (wdl as i8, dtz.ignore_rounding().0);
            let short = i32::from(value.abs()) - dtz.abs();
            difference.wdl = usize::from(wdl != wdl_of(value));
            let right = dtz.signum() == i32::from(value.signum()) && (0..=1).contains(&short);
            difference.dtz = usize::from(!right);
        }
        None => difference.unknown = 1,
    }
    if !difference.is_clean() {
        difference.example = position.map(|position| position.fen());
    }
    difference
}

/// A position of an ending by its number; `None` if that stands for no legal
/// one.
#[must_use]
pub fn position(solution: &Solution, turn: Color, index: usize) -> Option<Position> {
    let squares = solution.space.squares(index);
    let mut board = Board::empty();
    for (place, &man) in solution.space.men.iter().enumerate() {
        board.set_piece_at(squares.get(place), man);
    }
    let setup = Setup {
        board,
        turn,
        ..Setup::empty()
    };
    let fen = Fen::try_from(setup).ok()?;
    Position::from_fen(&fen.to_string(), Ruleset::Lichess).ok()
}
