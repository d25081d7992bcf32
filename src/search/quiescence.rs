//! The search below the horizon, until no capture gains.
//!
//! Nothing recaptures in atomic, so lines are short and decided by who
//! explodes first: a king that can be exploded ends the search at once, and
//! captures are tried only when their blast gains.

use super::{
    alphabeta::{Node, Searcher, Window, usable},
    movepick::MovePicker,
    parameters::quiescence_margin,
    score::{Bound, DRAW, INFINITE, MAX_PLY, Score, TABLE_BOUND, mated_in},
    transposition::Hit,
};
use crate::{
    evaluation::exchange,
    rules::{Legality, PackedMove, Position},
};

impl Searcher<'_> {
    /// The score of a position once all gainful captures are played out.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
    ) -> Score {
        let Window { mut alpha, beta } = window;
        self.worker.lines[ply].clear();
        if N::PV {
            self.worker.seldepth = self.worker.seldepth.max(ply);
        }
        if self.worker.must_stop(self.task, &self.time) {
            return DRAW;
        }
        if let Some((score, winning)) = self.worker.known_result(position, ply) {
            if let Some(m) = winning.filter(|_| N::PV) {
                self.worker.lines[ply].push(m);
            }
            return score;
        }
        if ply >= MAX_PLY - 1 {
            return self.worker.evaluate(position);
        }
        let hit = self.task.table.probe(position.key(), ply);
        if !N::PV
            && let Some(hit) = hit
            && usable(hit, beta)
        {
            return hit.score;
        }

        let legality = Legality::new(position);
        let in_check = legality.in_check();
        let raw_evaluation = self.worker.static_evaluation(position, in_check, hit);
        let mut best_score = -INFINITE;
        let mut stand_pat = -INFINITE;
        if !in_check {
            stand_pat = self.worker.histories.corrected(position, raw_evaluation);
            if let Some(hit) = hit
                && usable(hit, stand_pat)
                && hit.score.abs() < TABLE_BOUND
            {
                stand_pat = hit.score;
            }
            best_score = stand_pat;
            if best_score >= beta {
                return best_score;
            }
            alpha = alpha.max(best_score);
        }

        let table_move = hit.and_then(|hit| hit.best.unpack(position));
        let mut picker = if in_check {
            MovePicker::new(table_move)
        } else {
            MovePicker::noisy(table_move)
        };
        let before = self.worker.moves_before(ply);
        let mut best_move = PackedMove::NONE;
        let mut bound = Bound::Upper;
        let mut count = 0;
        while let Some(m) = picker.next(position, &legality, &self.worker.histories, &before) {
            count += 1;
            if !in_check && m.is_capture() {
                let gain = exchange::blast_value(position, m);
                if gain < 0 {
                    continue;
                }
                let hope = stand_pat + gain + quiescence_margin();
                if hope <= alpha {
                    best_score = best_score.max(hope);
                    continue;
                }
            }
            let child = self.worker.make(self.task, position, m, ply);
            let score = -self.quiescence::<N>(&child, Window::new(-beta, -alpha), ply + 1);
            self.worker.unmake();
            if self.worker.stopped {
                return DRAW;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = PackedMove::new(m);
                    if N::PV {
                        self.worker.update_line(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && count == 0 {
            return mated_in(ply);
        }
        self.task.table.store(
            position.key(),
            ply,
            Hit {
                best: best_move,
                score: best_score,
                evaluation: raw_evaluation,
                depth: 0,
                bound,
                was_pv: hit.is_some_and(|hit| hit.was_pv),
            },
        );
        best_score
    }
}
