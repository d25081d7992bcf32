//! `go mate`: the solver in front of the ordinary search.

use std::time::{Duration, Instant};

use super::solver::{Bounds, MAX_MOVES, Solution, Solver, Verdict};
use crate::{
    rules::Position,
    search::{
        Clock, Control, Info, Limits, Line, Pool, Report, SearchOptions, SearchResult,
        score::{Bound, MAX_PLY, mate_in},
    },
};

/// The largest table that the solver takes for itself, in MiB.
const MAX_TABLE: usize = 64;
/// How long the solver works when nothing but the number of moves is given.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the ordinary search then thinks about a move.
const AFTERWARDS: Duration = Duration::from_millis(500);
/// Nodes to find some move after a stop.
const HURRIED: u64 = 10_000;

/// Searches as [`Pool::search`] does, but when the limits ask for a mate, the
/// solver comes first: it takes up to half of the time and nodes allowed. What
/// it proves is reported with its line; if it finds nothing, the ordinary
/// search uses the rest.
pub fn search(
    pool: &mut Pool,
    root: &Position,
    earlier_keys: &[u64],
    limits: &Limits,
    options: &SearchOptions,
    control: &Control,
    report: &mut dyn FnMut(&Report),
) -> SearchResult {
    let plain = limits.ponder || options.multi_pv > 1 || options.skill.is_some();
    let Some(moves) = limits.mate.filter(|_| !plain) else {
        return pool.search(root, earlier_keys, limits, options, control, report);
    };
    let start = Instant::now();
    let bounds = share(limits, root, moves);
    let solution = Solver::new(pool.hash().min(MAX_TABLE)).solve(
        root,
        earlier_keys,
        &bounds,
        &|| control.is_stopped(),
        &mut |_| {},
    );
    if let Verdict::Win { moves, .. } = solution.verdict
        && let Some(&best) = solution.line.first()
    {
        let info = info(&solution, moves);
        report(&Report::Info(Box::new(info.clone())));
        control.wait_for_release(limits.infinite);
        return SearchResult {
            best: Some(best),
            ponder: solution.line.get(1).copied(),
            nodes: solution.nodes,
            variations: vec![info],
        };
    }
    if control.is_stopped() {
        let hurried = Limits {
            search_moves: limits.search_moves.clone(),
            ..Limits::nodes(HURRIED)
        };
        let control = Control::new(&hurried);
        return pool.search(root, earlier_keys, &hurried, options, &control, report);
    }
    let rest = rest(limits, root, &solution, start.elapsed());
    pool.search(root, earlier_keys, &rest, options, control, report)
}

/// The solver's share of the limits.
fn share(limits: &Limits, root: &Position, moves: u32) -> Bounds {
    let depth = limits.depth.unwrap_or(usize::MAX);
    let moves = usize::try_from(moves)
        .unwrap_or(usize::MAX)
        .min(depth.div_ceil(2))
        .min(usize::from(MAX_MOVES))
        .min(MAX_PLY / 2);
    let clock = limits.clock(root.turn());
    let unbounded = limits.nodes.is_none() && !limits.infinite;
    let time = match (limits.movetime, clock) {
        (Some(time), _) => Some(time / 2),
        (None, Some(Clock { left, increment })) => Some(left / 50 + increment / 4),
        (None, None) => unbounded.then_some(PATIENCE),
    };
    Bounds {
        nodes: limits.nodes.map(|nodes| nodes.div_ceil(2)),
        time,
        first_moves: limits.search_moves.clone(),
        any_length: true,
        ..Bounds::moves(moves as u8)
    }
}

/// What the solver leaves to the ordinary search.
fn rest(limits: &Limits, root: &Position, solution: &Solution, used: Duration) -> Limits {
    let refuted = solution.verdict == Verdict::NoWin;
    let bounded = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.movetime.is_some()
        || limits.clock(root.turn()).is_some()
        || limits.infinite;
    let clocks = limits.clocks.map(|clock| {
        clock.map(|clock| Clock {
            left: clock.left.saturating_sub(used),
            ..clock
        })
    });
    Limits {
        // A mate that does not exist is not worth waiting for.
        mate: limits.mate.filter(|_| !refuted),
        nodes: limits
            .nodes
            .map(|nodes| nodes.saturating_sub(solution.nodes).max(1)),
        movetime: match limits.movetime {
            Some(time) => Some(time.saturating_sub(used)),
            None if refuted && !bounded => Some(AFTERWARDS),
            None => None,
        },
        clocks,
        ..limits.clone()
    }
}

/// A proved win as the search reports one.
fn info(solution: &Solution, moves: u8) -> Info {
    let plies = 2 * usize::from(moves) - 1;
    let pv: Line = solution
        .line
        .iter()
        .copied()
        .take(MAX_PLY)
        .collect::<Line>();
    Info {
        depth: plies,
        seldepth: pv.len(),
        multi_pv: 1,
        score: mate_in(plies),
        bound: Bound::Exact,
        nodes: solution.nodes,
        time: solution.time,
        hashfull: 0,
        table_hits: 0,
        pv,
    }
}
