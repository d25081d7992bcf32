//! A game between a person and the engine: clocks, offers, take-backs, and the
//! file in which it is kept.
//!
//! Nothing here talks to anybody; the command `play` does. Special to atomic
//! chess is the flag: who runs out of time against a bare king draws.

pub mod clock;
pub mod command;
pub mod game;
pub mod save;
mod shared_file;

pub use clock::{Clock, ClockSetting};
pub use command::Command;
pub use game::{End, Game, Offer};
