//! Fission, an atomic chess engine as a library.

pub mod evaluation;
pub mod rules;
pub mod tournament;
