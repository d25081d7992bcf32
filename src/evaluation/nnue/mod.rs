//! The evaluation network: a perspective network on atomic chess positions.
//!
//! Each side looks at the board from its own end, mirrored so that its own king
//! stands on the files a to d. The inputs are the men on their squares, apart
//! for each bucket of own king squares: what a man is worth in atomic chess
//! depends on how near it stands to a king, since any capture beside a king
//! explodes it. The first layer is kept up to date move by move; an explosion is one
//! update that takes away up to ten men. Clipped, squared and weighted, the two
//! halves of the first layer give one number, directly and through a hidden
//! layer, by weights that depend on how many men are left.

mod accumulator;
mod architecture;
mod file;
mod hidden;
mod inputs;
mod network;
pub mod simd;

pub use accumulator::Accumulators;
pub use architecture::{Architecture, ArchitectureError};
pub use file::NetworkError;
pub use hidden::{HIDDEN, MAX_HIDDEN_WEIGHT, QH, QO, QS};
pub(crate) use inputs::kind;
pub use inputs::{PLACES, Scene, View};
pub use network::{Network, Parameters};

/// What 1.0 of the first layer is in whole numbers.
pub const QA: i32 = 255;
/// What 1.0 of an output weight is in whole numbers.
pub const QB: i32 = 64;
/// Centipawns for 1.0 of output. A network that cannot know for sure keeps to
/// the middle: the scores of searches are 1.3 times as far from zero as what it
/// says, measured in the units of its training, so its word counts that much
/// more. Then it speaks of the same centipawns as the classical evaluation.
pub const SCALE: i32 = 364;
