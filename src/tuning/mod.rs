//! Better numbers for the search, found by games against itself (SPSA).
//!
//! All chosen numbers are moved a little at once, each up or down by the toss
//! of a coin, and a pair of games is played between the engine with these and
//! with the opposite changes. Then every number goes a step towards the side
//! that won. A pair says next to nothing; thousands say where to go.

mod game;
mod path;
mod spsa;

pub use game::Duel;
pub use spsa::{Spsa, Subject, TuneError};
