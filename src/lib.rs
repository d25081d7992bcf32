//! Fission, an atomic chess engine as a library.
//!
//! ```
//! use fission::{
//!     rules::{Position, Ruleset},
//!     search::{Control, Limits, Pool, SearchOptions, score},
//! };
//!
//! // 1. Nf3 d5 2. Ne5 f6: White wins by force.
//! let fen = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
//! let position = Position::from_fen(fen, Ruleset::Lichess)?;
//! let limits = Limits::depth(6);
//! let result = Pool::default().search(
//!     &position,
//!     &[],
//!     &limits,
//!     &SearchOptions::default(),
//!     &Control::new(&limits),
//!     &mut |_| {},
//! );
//! let best = result.best.expect("a legal move");
//! assert_eq!(position.san(best), "Nd7");
//! assert_eq!(result.score().and_then(score::mate_distance), Some(2));
//! # Ok::<(), fission::rules::FenError>(())
//! ```

pub mod bench;
pub mod book;
pub mod data;
pub mod diagram;
pub mod endgame;
pub mod evaluation;
mod files;
pub mod games;
pub mod mate;
mod memory;
pub mod play;
pub mod puzzles;
pub mod report;
pub mod rules;
pub mod search;
pub mod tournament;
pub mod training;
pub mod traps;
#[cfg(feature = "tuning")]
pub mod tuning;
pub mod uci;
