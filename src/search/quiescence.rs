//! The search below the horizon, until no capture gains.
//!
//! Nothing recaptures in atomic, so lines are short and decided by who
//! explodes first: a king that can be exploded ends the search at once, and
//! captures are tried only when their blast gains. What wins most often comes
//! before the captures, though: a quiet move that threatens to explode the
//! king. So the first ply tries those, too, and searches the answer a ply deep.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    alphabeta::{Node, NonPv, Searcher, Window, usable},
    movepick::MovePicker,
    parameters::{quiescence_margin, threat_margin},
    score::{Bound, DRAW, INFINITE, MATE_BOUND, MAX_PLY, Score, TABLE_BOUND, mated_in},
    transposition::Hit,
};
use crate::{
    evaluation::exchange,
    rules::{Legality, PackedMove, Position, threats::ThreatSquares},
};

/// The most threats tried in one position.
const MAX_THREATS: usize = 16;

impl Searcher<'_> {
    /// The score of a position once all gainful captures are played out. At the
    /// `first` ply threats to the king are tried, too.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        first: bool,
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
        // Meanwhile the table's entry arrives from memory.
        let legality = Legality::new(position);
        let hit = self.task.table.probe(position.key(), ply);
        if !N::PV
            && let Some(hit) = hit
            && usable(hit, beta)
        {
            return hit.score;
        }

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
                if hit.is_none() {
                    self.task
                        .table
                        .store(position.key(), ply, Hit::evaluated(raw_evaluation));
                }
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
            let score = -self.quiescence::<N>(&child, Window::new(-beta, -alpha), ply + 1, false);
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
        if first
            && !in_check
            && !self.worker.tries_threat
            && bound != Bound::Lower
            && best_score > -MATE_BOUND
            && stand_pat + threat_margin() > alpha
            && let Some((score, m)) =
                self.quiet_threats::<N>(position, &legality, Window::new(alpha, beta), ply)
        {
            if self.worker.stopped {
                return DRAW;
            }
            best_score = score;
            best_move = PackedMove::new(m);
            if score >= beta {
                bound = Bound::Lower;
            }
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

    /// The best of the quiet moves that threaten to explode the enemy king, if
    /// its score is above alpha. Moves that let the man be exploded at a profit
    /// are left out, and no threats are tried within the search of one.
    fn quiet_threats<N: Node>(
        &mut self,
        position: &Position,
        legality: &Legality,
        window: Window,
        ply: usize,
    ) -> Option<(Score, Move)> {
        let Window { mut alpha, beta } = window;
        let mut threats: ArrayVec<Move, MAX_THREATS> = ArrayVec::new();
        ThreatSquares::new(position).moves(position, |m| {
            // More than there is room for hardly occur.
            let _ = threats.try_push(m);
        });
        let mut best = None;
        for m in threats {
            self.expect(position, m);
            if !legality.allows(m) || exchange::quiet_risk(position, m) > 0 {
                continue;
            }
            let child = self.worker.make(self.task, position, m, ply);
            self.worker.tries_threat = true;
            let window = Window::above(alpha).reversed();
            let score = -self.search::<NonPv>(&child, window, 1, ply + 1, true);
            self.worker.tries_threat = false;
            self.worker.unmake();
            if self.worker.stopped {
                return Some((DRAW, m));
            }
            if score > alpha {
                best = Some((score, m));
                if N::PV {
                    self.worker.update_line(ply, m);
                }
                if score >= beta {
                    break;
                }
                alpha = score;
            }
        }
        best
    }
}
