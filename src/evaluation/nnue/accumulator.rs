//! The first layer along the line that is searched.
//!
//! [`push`](Accumulators::push) only notes which men a move takes off and puts
//! on the board: one and one for a quiet move, up to ten and none for an
//! explosion. Sums are made when a position is evaluated, from the nearest
//! earlier ply that has them. A king that changes its bucket or its wing
//! changes all inputs of its side; then the sums come from the last position
//! seen with the king there, by the men that differ.

use std::sync::Arc;

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Role, Square};

use super::{
    Network, View,
    simd::{Level, Lines, Rows},
};
use crate::rules::{Position, blast};

/// Plies for which there is room without asking for memory.
const PLIES: usize = 256;
/// The most men that an explosion takes: capturer, victim, eight bystanders.
const MAX_REMOVED: usize = 10;

type Man = (Piece, Square);

/// A ply of the line.
#[derive(Clone, Debug, Default)]
struct Ply {
    removed: ArrayVec<Man, MAX_REMOVED>,
    added: ArrayVec<Man, 2>,
    views: [View; 2],
    /// Whether the sums of each side are made.
    made: [bool; 2],
}

/// The last position seen by one side with its king in one bucket.
#[derive(Clone, Debug)]
struct Seen {
    men: [[Bitboard; 6]; 2],
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
///     accumulators.reset(&before);
///     let m = before.parse_uci("e2e4")?;
///     accumulators.push(&before, m);
///     let centipawns = accumulators.evaluate(&before.after(m));
///     accumulators.pop();
///     # assert!(centipawns.abs() < 2_000);
/// }
/// # Ok::<(), fission::rules::MoveError>(())
/// ```
#[derive(Clone, Debug)]
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
            men: [[Bitboard::EMPTY; 6]; 2],
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

    /// Starts a line at `position`.
    pub fn reset(&mut self, position: &Position) {
        let mut views = [View::default(); 2];
        for color in Color::ALL {
            let king = position.king(color);
            views[color as usize] = self.network.architecture().view(color, king);
        }
        self.top = 0;
        self.plies[0] = Ply {
            views,
            ..Ply::default()
        };
    }

    /// Goes a ply on by `m`, which is played in `before`.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move) {
        let ply = self.next();
        let us = before.turn();
        let mut own_king = None;
        match m {
            Move::Normal {
                role,
                from,
                to,
                capture: None,
                promotion,
            } => {
                ply.removed.push((role.of(us), from));
                ply.added.push((promotion.unwrap_or(role).of(us), to));
                if role == Role::King {
                    own_king = Some(to);
                }
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                ply.removed.push((us.king(), king));
                ply.removed.push((us.rook(), rook));
                ply.added.push((us.king(), side.king_to(us)));
                ply.added.push((us.rook(), side.rook_to(us)));
                own_king = Some(side.king_to(us));
            }
            Move::Normal { .. } | Move::EnPassant { .. } => {
                let board = before.board();
                for square in blast::removed(board, m) {
                    if let Some(man) = board.piece_at(square) {
                        ply.removed.push((man, square));
                    }
                }
            }
            Move::Put { .. } => {}
        }
        if own_king.is_some() {
            let view = self.network.architecture().view(us, own_king);
            self.plies[self.top].views[us as usize] = view;
        }
    }

    /// Goes a ply on by passing the turn.
    #[inline]
    pub fn push_null(&mut self) {
        self.next();
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
        for color in Color::ALL {
            self.make(color, position);
        }
        let us = position.turn();
        let men = position.board().occupied().count();
        let own = &self.sums[self.range(self.top, us)];
        let other = &self.sums[self.range(self.top, !us)];
        self.network.output(self.level, own, other, men)
    }

    /// A new ply on top, with nothing changed yet.
    #[inline]
    fn next(&mut self) -> &mut Ply {
        let views = self.plies[self.top].views;
        self.top += 1;
        if self.top == self.plies.len() {
            self.grow();
        }
        let ply = &mut self.plies[self.top];
        ply.removed.clear();
        ply.added.clear();
        ply.views = views;
        ply.made = [false; 2];
        ply
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

    /// Makes the sums of one side on the current ply.
    fn make(&mut self, side: Color, position: &Position) {
        let index = side as usize;
        let view = self.plies[self.top].views[index];
        let mut from = self.top;
        while !self.plies[from].made[index] {
            if from == 0 || self.plies[from - 1].views[index] != view {
                self.refresh(side, view, position);
                return;
            }
            from -= 1;
        }
        for ply in from + 1..=self.top {
            self.step(ply, side, view);
        }
    }

    /// Makes the sums of a ply from those of the ply before.
    fn step(&mut self, ply: usize, side: Color, view: View) {
        let (before, after) = (self.range(ply - 1, side), self.range(ply, side));
        let index = |&(man, square): &Man| view.feature(side, man, square);
        let changed = &mut self.plies[ply];
        changed.made[side as usize] = true;
        let removed: ArrayVec<usize, MAX_REMOVED> = changed.removed.iter().map(index).collect();
        let added: ArrayVec<usize, 2> = changed.added.iter().map(index).collect();
        let (earlier, later) = self.sums.split_at_mut(after.start);
        self.level.update(
            &mut later[..after.len()],
            &earlier[before],
            Rows {
                weights: self.network.feature_weights(),
                added: &added,
                removed: &removed,
            },
        );
    }

    /// Makes the sums of the current ply from the last position seen so.
    fn refresh(&mut self, side: Color, view: View, position: &Position) {
        let range = self.range(self.top, side);
        let seen = &mut self.seen[side as usize][view.index()];
        let mut added: ArrayVec<usize, 64> = ArrayVec::new();
        let mut removed: ArrayVec<usize, 64> = ArrayVec::new();
        for color in Color::ALL {
            for role in Role::ALL {
                let man = role.of(color);
                let now = position.board().by_piece(man);
                let before = std::mem::replace(
                    &mut seen.men[color as usize][role as usize - Role::Pawn as usize],
                    now,
                );
                added.extend(
                    (now & !before)
                        .into_iter()
                        .map(|s| view.feature(side, man, s)),
                );
                removed.extend(
                    (before & !now)
                        .into_iter()
                        .map(|s| view.feature(side, man, s)),
                );
            }
        }
        let rows = Rows {
            weights: self.network.feature_weights(),
            added: &added,
            removed: &removed,
        };
        self.level.update_in_place(&mut seen.sums, rows);
        self.sums[range].copy_from_slice(&seen.sums);
        self.plies[self.top].made[side as usize] = true;
    }
}
