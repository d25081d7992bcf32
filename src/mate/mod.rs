//! Forced wins, proved: the fastest way to explode or mate the king.
//!
//! A [`Solver`] answers "can the side to move win within so many moves?" with a
//! proof, not with a score: yes with the whole tree of replies, no only when
//! every move was tried. Two searches share one table. The exhaustive one
//! ([`searcher`](self)) finds the shortest win, the proof-number search finds
//! long, narrow ones and so tells the exhaustive one where it may end.
//!
//! Most atomic wins are blasts: the threat to take a man beside the king must
//! be answered at once, check or not, which makes long wins narrow. A threefold
//! repetition, the fifty-move rule and stalemate are no wins.

mod check;
mod epd;
mod play;
mod proof;
mod searcher;
mod solver;
mod table;
mod tree;

pub use check::{is_checkmate, mate_in_one};
pub use epd::{EpdError, Problem, read_epd};
pub use play::search;
pub use solver::{Bounds, MAX_MOVES, Progress, Solution, Solver, Verdict};
pub use tree::TreeError;
