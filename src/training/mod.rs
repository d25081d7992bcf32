//! Fits the evaluation network to games of our own, on the processor.
//!
//! The network is small and its first layer sparse: a position has at most 32
//! men, and in atomic chess soon far fewer, so a forward and a backward pass
//! touch some forty rows of weights. Positions are unpacked from the games
//! once, filtered and kept in 32 bytes each; every thread gathers gradients of
//! its own, and one AdamW step a batch brings them together.
//!
//! Only quiet positions teach: the network values positions for a search that
//! works out explosions by itself, so positions in check and those whose best
//! move takes or promotes are left out.

mod adam;
mod checkpoint;
mod dataset;
mod gradient;
mod model;
mod plot;
mod sample;
mod target;
mod trainer;

pub use adam::{AdamW, Schedule};
pub use checkpoint::CheckpointError;
pub use dataset::{Dataset, Filter, FilterCounts};
pub use gradient::Gradients;
pub use model::{KING_BUCKET_LAYOUTS, Model, king_bucket_layout};
pub use sample::{CERTAIN, Sample};
pub use target::{SCORE_SCALE, Target};
pub use trainer::{Plan, Progress, TrainError, Trainer};
