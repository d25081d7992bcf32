//! What a position is worth without searching it.

pub mod classical;
mod evaluator;
pub mod exchange;
pub mod nnue;

pub use evaluator::Evaluator;
