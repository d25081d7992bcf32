//! Computes endgame tables.

pub mod moves;
pub mod solution;
pub mod solver;
pub mod space;

pub use solution::{Known, Solution};
pub use solver::solve;
