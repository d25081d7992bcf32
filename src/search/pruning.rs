//! What is decided about a whole node before its moves are tried, and how deep
//! the table's move is worth searching.
//!
//! All of it trusts that a side to move is better off than one that passes,
//! which fails in atomic whenever kings touch: then nothing is pruned by
//! passing.

use shakmaty::Move;

use super::{
    alphabeta::{Node, NonPv, Searcher, Window},
    parameters::*,
    score::{DRAW, EVALUATION_BOUND, Score, TABLE_BOUND, is_decided},
    transposition::Hit,
    worker::Line,
};
use crate::rules::{Position, blast};

impl Searcher<'_> {
    /// The position is so good that a margin for each ply left still stands.
    pub(super) fn reverse_futility(
        &self,
        estimate: Score,
        beta: Score,
        depth: i32,
        improving: bool,
    ) -> Option<Score> {
        let margin = reverse_futility_margin() * (depth - i32::from(improving)).max(0);
        (depth <= reverse_futility_depth()
            && !self.task.analysing
            && estimate - margin >= beta
            && beta.abs() < TABLE_BOUND
            && estimate <= EVALUATION_BOUND)
            .then_some((estimate + beta) / 2)
    }

    /// If even passing keeps the score above beta, some move will. Not while
    /// kings touch or men are few, when passing is often best.
    #[expect(clippy::too_many_arguments, reason = "what the node knows already")]
    pub(super) fn null_move(
        &mut self,
        position: &Position,
        estimate: Score,
        static_evaluation: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<Score> {
        let board = position.board();
        let pieces = position.us() & !board.pawns() & !board.kings();
        if depth < 2
            || estimate < beta
            || static_evaluation < beta - null_evaluation_margin() * depth
            || beta <= -TABLE_BOUND
            || blast::kings_touch(board)
            || pieces.count() < NULL_MIN_PIECES
            || (ply > 0 && self.worker.frame(ply - 1).moved.is_none())
        {
            return None;
        }
        let reduction = (null_reduction() + null_depth_reduction() * depth) / 1024
            + ((estimate - beta) / null_evaluation_divisor()).min(2);
        let child = position.after_null();
        self.task.table.prefetch(child.key());
        let floor = self.worker.repetition_floor;
        self.worker.keys.push(position.key());
        self.worker.repetition_floor = self.worker.keys.len();
        self.worker.evaluator.push();
        self.worker.frame_mut(ply).moved = None;
        let score = -self.search::<NonPv>(
            &child,
            Window::above(beta - 1).reversed(),
            depth - reduction,
            ply + 1,
            !cut_node,
        );
        self.worker.unmake();
        self.worker.repetition_floor = floor;
        if self.worker.stopped {
            return Some(DRAW);
        }
        (score >= beta).then_some(if is_decided(score) { beta } else { score })
    }

    /// Searches without the table's move: if all others fail low, it is the
    /// only good one and is searched deeper. `Err` if even without it the
    /// node fails high.
    #[expect(clippy::too_many_arguments, reason = "what the node knows already")]
    pub(super) fn singular<N: Node>(
        &mut self,
        position: &Position,
        m: Move,
        hit: Hit,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Result<i32, Score> {
        let threshold = hit.score - singular_margin() * depth / 16;
        self.worker.frame_mut(ply).excluded = Some(m);
        let line: Line = std::mem::take(&mut self.worker.lines[ply]);
        let score = self.search::<NonPv>(
            position,
            Window::above(threshold - 1),
            (depth - 1) / 2,
            ply,
            cut_node,
        );
        self.worker.lines[ply] = line;
        self.worker.frame_mut(ply).excluded = None;
        if self.worker.stopped {
            return Err(DRAW);
        }
        if score < threshold {
            Ok(1 + i32::from(!N::PV && score < threshold - double_extension_margin()))
        } else if threshold >= window.beta && !is_decided(score) {
            Err(threshold)
        } else if hit.score >= window.beta {
            Ok(-1)
        } else {
            Ok(0)
        }
    }
}
