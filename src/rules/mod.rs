//! What is legal in atomic chess and who has won.
//!
//! shakmaty's `Atomic` is the authority: it reads and checks positions and
//! lists the legal moves wherever speed does not matter, and the tests hold
//! this module's own generator to it move by move.

pub mod blast;
pub mod legality;
pub mod movegen;
mod notation;
mod outcome;
mod packed;
mod position;
mod ruleset;
pub mod sliders;
pub mod threats;
mod zobrist;

pub use legality::Legality;
pub use notation::{FenError, MoveError, SetupFault};
pub use outcome::{GameResult, MaterialRule, Termination, insufficient_material, result};
pub use packed::PackedMove;
pub use position::Position;
pub use ruleset::{Ruleset, UnknownRuleset};
pub use zobrist::Keys;
