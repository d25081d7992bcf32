//! The numbers of the search, gathered so that a reader and a tuner see them
//! at once. Depths in plies, margins in centipawns.

use std::sync::LazyLock;

use super::score::Score;

/// First half-width of the aspiration window.
pub const ASPIRATION: Score = 18;
/// Windows are used from this depth on.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Reverse futility: how far above beta, for each ply left.
pub const REVERSE_FUTILITY_MARGIN: Score = 85;
/// Reverse futility is tried up to this depth.
pub const REVERSE_FUTILITY_DEPTH: i32 = 7;

/// Null move: plies taken off, before what depth and evaluation add.
pub const NULL_REDUCTION: i32 = 2;
/// Null move: men besides king and pawns that the side to move must have.
pub const NULL_MIN_PIECES: usize = 2;

/// Futility of quiet moves: base and margin for each ply left.
pub const FUTILITY_BASE: Score = 110;
/// See [`FUTILITY_BASE`].
pub const FUTILITY_MARGIN: Score = 95;
/// Futility is tried up to this depth.
pub const FUTILITY_DEPTH: i32 = 8;

/// A quiet move may risk this much for each ply left.
pub const QUIET_RISK_MARGIN: Score = 70;
/// A capture may lose this much by its blast for each ply left.
pub const CAPTURE_LOSS_MARGIN: Score = 110;
/// Both exchange prunings are tried up to this depth.
pub const EXCHANGE_DEPTH: i32 = 8;

/// Quiet moves with worse history than this for each ply left are left out.
pub const HISTORY_MARGIN: i32 = -4_000;
/// History pruning is tried up to this depth.
pub const HISTORY_DEPTH: i32 = 4;

/// The table's move is tested for being the only good one from here on.
pub const SINGULAR_DEPTH: i32 = 7;

/// Quiescence: captures must come within this of alpha by their blast.
pub const QUIESCENCE_MARGIN: Score = 130;

/// How many quiet moves are tried at a depth before the rest is left out.
#[inline]
#[must_use]
pub const fn move_count_limit(depth: i32, improving: bool) -> i32 {
    (5 + depth * depth) / (3 - improving as i32)
}

const REDUCTIONS: usize = 64;

static REDUCTION_TABLE: LazyLock<Box<[[i32; REDUCTIONS]; REDUCTIONS]>> = LazyLock::new(|| {
    let mut table = Box::new([[0; REDUCTIONS]; REDUCTIONS]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, reduction) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (count as f64).ln();
            *reduction = (1024.0 * (0.6 + product / 2.3)) as i32;
        }
    }
    table
});

/// Plies, times 1024, by which the `count`th move at `depth` is reduced.
#[inline]
#[must_use]
pub fn reduction(depth: i32, count: i32) -> i32 {
    let index = |n: i32| (n.max(0) as usize).min(REDUCTIONS - 1);
    REDUCTION_TABLE[index(depth)][index(count)]
}
