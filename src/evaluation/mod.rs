//! What a position is worth without searching it.

pub mod classical;
pub mod exchange;
pub mod nnue;
