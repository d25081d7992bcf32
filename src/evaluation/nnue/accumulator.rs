//! The first layer along the line that is searched.
//!
//! [`push`](Accumulators::push) only notes that the line goes on. Sums are made
//! when a position is evaluated: its inputs are compared with those of the
//! nearest earlier ply that has sums for the same view, and only what differs
//! is added and taken away, be it a quiet move or an explosion of ten men. A
//! king that changes its bucket or its wing changes all inputs of its side;
//! then the sums come from the last position seen with the king there.

use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Color, Square};

use super::{
    Network, Scene, View,
    inputs::{PLACES, Place},
    simd::{Level, Lines, Rows},
};
use crate::rules::Position;

/// Plies for which there is room without asking for memory.
const PLIES: usize = 256;
/// Room for a man on every square.
type Places = ArrayVec<Place, 64>;

/// The men that came and went since an earlier ply.
#[derive(Default)]
struct Changes {
    /// That ply, if it is one of the line.
    since: Option<usize>,
    came: Places,
    gone: Places,
}

/// A ply of the line.
#[derive(Clone, Debug, Default)]
struct Ply {
    scene: Scene,
    /// How each side saw it when its sums were made, if they are.
    views: [Option<View>; 2],
}

/// The last position seen by one side with its king in one bucket.
#[derive(Clone, Debug)]
struct Seen {
    scene: Scene,
    sums: Lines,
}

/// The first layer of the network for one searching thread.
///
/// ```
/// # use std::sync::Arc;
/// use fission::{evaluation::nnue::{Accumulators, Network}, rules::{Position, Ruleset}};
///
/// if let Some(network) = Network::embedded() {
///     let mut accumulators = Accumulators::new(network);
///     let before = Position::startpos(Ruleset::Lichess);
///     let m = before.parse_uci("e2e4")?;
///     accumulators.push();
///     let centipawns = accumulators.evaluate(&before.after(m));
///     accumulators.pop();
///     # assert!(centipawns.abs() < 2_000);
/// }
/// # Ok::<(), fission::rules::MoveError>(())
/// ```
///
/// Aligned so that no two threads write to the same or to neighbouring cache lines.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub struct Accumulators {
    network: Arc<Network>,
    level: Level,
    plies: Vec<Ply>,
    /// The current ply.
    top: usize,
    /// For each ply the sums of White and of Black.
    sums: Lines,
    /// For each side and each of its views.
    seen: [Vec<Seen>; 2],
}

impl Accumulators {
    /// Empty sums for `network`; [`reset`](Accumulators::reset) comes first.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Accumulators {
        let shape = *network.architecture();
        let unseen = Seen {
            scene: Scene::default(),
            sums: Lines::from(network.feature_biases()),
        };
        let views = vec![unseen; 2 * shape.king_bucket_count()];
        Accumulators {
            level: Level::best(),
            plies: vec![Ply::default(); PLIES],
            top: 0,
            sums: Lines::zeros(PLIES * 2 * shape.width()),
            seen: [views.clone(), views],
            network,
        }
    }

    /// The same with the loops of one instruction set, which must be available.
    #[must_use]
    pub fn with_level(mut self, level: Level) -> Accumulators {
        if level.is_available() {
            self.level = level;
        }
        self
    }

    /// The network that is evaluated.
    #[must_use]
    pub const fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts a line anew.
    pub fn reset(&mut self) {
        self.top = 0;
        self.plies[0].views = [None; 2];
    }

    /// Goes a ply on, by a move or by passing the turn.
    #[inline]
    pub fn push(&mut self) {
        self.top += 1;
        if self.top == self.plies.len() {
            self.grow();
        }
        self.plies[self.top].views = [None; 2];
    }

    /// Goes a ply back.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "pop at the start of the line");
        self.top = self.top.saturating_sub(1);
    }

    /// The value of `position`, which must be the one the line has reached, in
    /// centipawns from the view of the side to move.
    #[must_use]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        if self.plies[self.top].views == [None; 2] {
            self.plies[self.top].scene = Scene::of(position.board());
            let mut changes = Changes::default();
            for color in Color::ALL {
                self.make(color, position.king(color), &mut changes);
            }
        }
        let us = position.turn();
        let men = position.board().occupied().count();
        let own = &self.sums[self.range(self.top, us)];
        let other = &self.sums[self.range(self.top, !us)];
        self.network.output(self.level, own, other, men)
    }

    #[cold]
    fn grow(&mut self) {
        let plies = 2 * self.plies.len();
        self.plies.resize(plies, Ply::default());
        let mut sums = Lines::zeros(plies * 2 * self.network.architecture().width());
        sums[..self.sums.len()].copy_from_slice(&self.sums);
        self.sums = sums;
    }

    #[inline]
    fn range(&self, ply: usize, side: Color) -> std::ops::Range<usize> {
        let width = self.network.architecture().width();
        let start = (2 * ply + side as usize) * width;
        start..start + width
    }

    /// Makes the sums of one side, whose king stands on `king`, on the current
    /// ply. `changes` is what changed since an earlier ply, which is the same
    /// for both sides.
    fn make(&mut self, side: Color, king: Option<Square>, changes: &mut Changes) {
        let view = self.network.architecture().view(side, king);
        let range = self.range(self.top, side);
        let (earlier, now) = self.plies.split_at_mut(self.top);
        let now = &mut now[0];
        now.views[side as usize] = Some(view);
        let made = |ply: &Ply| ply.views[side as usize] == Some(view);
        let base = earlier.iter().rposition(made);
        let seen = &mut self.seen[side as usize][view.index()];
        if base.is_none() || base != changes.since {
            changes.since = base;
            let Changes { came, gone, .. } = changes;
            came.clear();
            gone.clear();
            let before = base.map_or(&seen.scene, |ply| &earlier[ply].scene);
            (now.scene).changes(before, |place| came.push(place), |place| gone.push(place));
        }
        let bucket = PLACES * range.len();
        let rows = Rows {
            weights: &self.network.feature_weights()[view.bucket() * bucket..][..bucket],
            sight: view.sight(side),
            added: &changes.came,
            removed: &changes.gone,
        };
        if let Some(ply) = base {
            let before = self.range(ply, side);
            let (earlier, later) = self.sums.split_at_mut(range.start);
            self.level
                .update(&mut later[..range.len()], &earlier[before], rows);
        } else {
            self.level.update_in_place(&mut seen.sums, rows);
            self.sums[range].copy_from_slice(&seen.sums);
            seen.scene = now.scene.clone();
        }
    }
}
