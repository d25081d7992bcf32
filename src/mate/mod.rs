//! Forced wins, proved: the fastest way to explode or mate the king.
//!
//! A [`Solver`] answers "can the side to move win within so many moves?" with a
//! proof, not with a score: yes with the whole tree of replies, no only when
//! every move was tried. A search of threats alone comes first and finds most
//! wins. Short wins are proved shortest by trying every move, longer ones by
//! proof numbers, asked for one move more each time; a look far ahead in between
//! finds long, narrow wins. All share one table of bounded size.
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
mod threats;
mod tree;

pub use check::{is_checkmate, mate_in_one};
pub use epd::{EpdError, Problem, read_epd};
pub use play::search;
pub use solver::{Bounds, MAX_MOVES, Progress, Solution, Solver, Verdict};
pub use tree::TreeError;
