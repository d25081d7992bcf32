//! Whether what a trap claims is true.

use std::time::Duration;

use super::{Proof, Trap};
use crate::{
    mate::{Bounds, Solver, Verdict},
    rules::Position,
    search::{
        Control, Limits, Pool, Report, SearchOptions,
        score::{Bound, MATE_BOUND, Score},
    },
};

/// A search that says this much and keeps saying it has seen the refutation of
/// a trap that was proved move by move.
const SEEN: Score = MATE_BOUND;

/// What the check of one trap found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The claim was proved again; `None` where it is a search's verdict.
    pub proved: Option<bool>,
    /// How long the proof took.
    pub proof_time: Duration,
    /// After what time the search alone saw the win, if it did in the time
    /// allowed.
    pub seen_after: Option<Duration>,
    /// The move that the search then meant to play.
    pub found: Option<String>,
}

impl Outcome {
    /// Whether everything that the trap claims holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.proved != Some(false) && self.seen_after.is_some()
    }
}

/// Proves the win again and lets the search alone, on one thread, find it
/// within `patience`.
pub fn check(
    trap: &Trap,
    solver: &mut Solver,
    pool: &mut Pool,
    patience: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Outcome {
    let position = trap.position();
    let mut outcome = Outcome {
        proved: None,
        proof_time: Duration::ZERO,
        seen_after: None,
        found: None,
    };
    if let Proof::Win(moves) = trap.proof {
        let bounds = Bounds {
            first_moves: vec![trap.refutation()],
            any_length: true,
            ..Bounds::moves(moves)
        };
        let solution = solver.solve(&position, &[], &bounds, is_stopped, &mut |_| {});
        outcome.proved = Some(matches!(solution.verdict, Verdict::Win { .. }));
        outcome.proof_time = solution.time;
    }
    let wanted = match trap.proof {
        Proof::Win(_) => SEEN,
        Proof::Score { centipawns, .. } => centipawns.min(SEEN),
    };
    if let Some((time, found)) = seen(&position, wanted, pool, patience, is_stopped) {
        outcome.seen_after = Some(time);
        outcome.found = Some(found);
    }
    outcome
}

/// When the search first scores the position at `wanted` or more, and by which
/// move.
fn seen(
    position: &Position,
    wanted: Score,
    pool: &mut Pool,
    patience: Duration,
    is_stopped: &dyn Fn() -> bool,
) -> Option<(Duration, String)> {
    let limits = Limits {
        movetime: Some(patience),
        ..Limits::default()
    };
    let control = Control::new(&limits);
    let mut seen = None;
    pool.clear();
    pool.search(
        position,
        &[],
        &limits,
        &SearchOptions::default(),
        &control,
        &mut |report| {
            if let Report::Info(info) = report
                && seen.is_none()
                && info.score >= wanted
                && info.bound != Bound::Upper
            {
                let m = info.pv.first().map(|&m| position.san(m));
                seen = Some((info.time, m.unwrap_or_default()));
                control.stop();
            }
            if is_stopped() {
                control.stop();
            }
        },
    );
    seen
}
