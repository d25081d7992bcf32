//! Alpha-beta search and all it needs.
//!
//! [`Pool`] is the way in: it owns the threads and the table, and searches one
//! position at a time under [`Limits`].

mod alphabeta;
mod deepening;
pub mod history;
pub mod info;
pub mod limits;
mod movepick;
pub mod parameters;
mod parry;
pub mod pool;
mod pruning;
mod quiescence;
pub mod score;
pub mod skill;
mod tables;
mod time;
pub mod transposition;
mod worker;

pub use info::{Info, Report, SearchResult};
pub use limits::{Clock, Control, Limits};
pub use pool::{Pool, SearchOptions};
pub use skill::Skill;
pub use tables::TableUse;
pub use worker::Line;
