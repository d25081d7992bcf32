//! What a search tells while it runs, and what it has found at the end.

use std::time::Duration;

use shakmaty::Move;

use super::{
    score::{Bound, Score},
    worker::Line,
};

/// One line of progress: what is known of one principal variation.
#[derive(Clone, Debug)]
pub struct Info {
    /// The iteration.
    pub depth: usize,
    /// The deepest ply reached.
    pub seldepth: usize,
    /// The rank of this variation, from 1.
    pub multi_pv: usize,
    /// Its score for the side to move.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Moves played so far by all threads.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the hash table is, in thousandths.
    pub hashfull: usize,
    /// Positions found in endgame tables.
    pub table_hits: u64,
    /// The variation, legal to its end.
    pub pv: Line,
}

impl Info {
    /// Nodes per second.
    #[must_use]
    pub fn nps(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// What a running search reports.
#[derive(Clone, Debug)]
pub enum Report {
    /// A variation is known to a new depth or with a new score.
    Info(Box<Info>),
    /// After the first seconds: which root move is searched now.
    CurrentMove {
        /// The iteration.
        depth: usize,
        /// The move.
        m: Move,
        /// Its number in the order of trial, from 1.
        number: usize,
    },
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal move.
    pub best: Option<Move>,
    /// The answer expected, to think about meanwhile.
    pub ponder: Option<Move>,
    /// The variations of the last iteration, the best first; empty when there
    /// is no legal move.
    pub variations: Vec<Info>,
    /// Moves played in the search by all threads.
    pub nodes: u64,
}

impl SearchResult {
    /// The score of the best move for the side to move.
    #[must_use]
    pub fn score(&self) -> Option<Score> {
        self.variations.first().map(|info| info.score)
    }
}
