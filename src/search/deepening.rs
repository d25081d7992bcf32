//! Iterative deepening with aspiration windows.

use std::{sync::atomic::Ordering::Relaxed, time::Duration};

use shakmaty::Move;

use super::{
    alphabeta::{Root, Searcher, Window},
    info::{Info, Report},
    parameters::{ASPIRATION_DEPTH, aspiration},
    score::{Bound, INFINITE, MATE, MAX_PLY, Score, is_decided, is_mate, mate_distance},
    time::Signs,
    worker::RootMove,
};

/// Single lines about root moves and failed windows are told from here on.
const TALKATIVE: Duration = Duration::from_secs(3);

/// A forced move is played after this iteration when a clock runs.
const FORCED_DEPTH: i32 = 6;

impl Searcher<'_> {
    /// Searches deeper and deeper until a limit is reached. The worker's root
    /// moves then hold what was found, the best first.
    pub(super) fn deepen(&mut self) {
        let limits = self.task.limits;
        let last = limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1) as i32;
        let lines = self.task.multi_pv.clamp(1, self.worker.root_moves.len());
        let mut previous: Option<(Move, Score)> = None;
        for depth in 1..=last {
            self.worker.root_depth = depth;
            for root in &mut self.worker.root_moves {
                root.previous_score = root.score;
            }
            let before = (lines > 1 && depth > 1).then(|| self.worker.root_moves.clone());
            for index in 0..lines {
                self.worker.pv_index = index;
                self.worker.seldepth = 0;
                self.aspire(depth);
                sort(&mut self.worker.root_moves[index..]);
                if self.worker.stopped {
                    break;
                }
                sort(&mut self.worker.root_moves[..=index]);
            }
            if self.worker.stopped {
                // Scores of two iterations do not compare: the last whole one
                // ranks the variations.
                if let Some(before) = before {
                    self.worker.root_moves = before;
                    self.worker.root_depth = depth - 1;
                }
                break;
            }
            self.worker.completed_depth = depth;
            self.report_lines(lines);
            if self.worker.id == 0 && self.is_done(depth, &mut previous) {
                break;
            }
        }
        self.worker.report_nodes(self.task);
    }

    /// Whether the main worker need not begin another iteration.
    fn is_done(&mut self, depth: i32, previous: &mut Option<(Move, Score)>) -> bool {
        let limits = self.task.limits;
        let Some(best) = self.worker.best() else {
            return true;
        };
        let (m, score) = (best.m, best.score);
        let by_tables = best.table_score.is_some_and(is_decided);
        let second = self.worker.root_moves.get(1);
        let only = second.is_none_or(|second| second.rank < best.rank);
        let effort = best.nodes as f64 / self.worker.nodes.max(1) as f64;
        if self.task.control.is_stopped() {
            return true;
        }
        if let (Some(goal), Some(distance)) = (limits.mate, mate_distance(score))
            && distance > 0
            && distance as u32 <= goal
        {
            return true;
        }
        if limits
            .soft_nodes
            .is_some_and(|soft| self.task.nodes.load(Relaxed) >= soft)
        {
            return true;
        }
        let (same_move, drop) =
            previous.map_or((false, 0), |(old, old_score)| (old == m, old_score - score));
        *previous = Some((m, score));
        let enough = self.time.is_enough(Signs {
            same_move,
            drop,
            effort,
        });
        if self.task.control.is_pondering() {
            if enough {
                self.time.settle();
            }
            return false;
        }
        let forced = (only || by_tables) && depth >= FORCED_DEPTH;
        // A mate is proved once the search is deeper than the mate is long.
        let proved = is_mate(score) && depth > 2 * (MATE - score.abs()) + 2;
        enough || (self.time.is_clocked() && (forced || proved))
    }

    /// Searches one variation with a window around its last score, widened
    /// until the score lies inside.
    fn aspire(&mut self, depth: i32) {
        let index = self.worker.pv_index;
        let expected = self.worker.root_moves[index].previous_score;
        let mut delta = aspiration();
        let mut window = Window::new(-INFINITE, INFINITE);
        if depth >= ASPIRATION_DEPTH && !is_decided(expected) && expected.abs() < MATE {
            window = Window::new(expected - delta, expected + delta);
        }
        let mut reduction = 0;
        loop {
            let score =
                self.search::<Root>(self.task.root, window, (depth - reduction).max(1), 0, false);
            sort(&mut self.worker.root_moves[index..]);
            if self.worker.stopped {
                return;
            }
            if score <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = (score - delta).max(-INFINITE);
                reduction = 0;
            } else if score >= window.beta {
                window.beta = (score + delta).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            if is_decided(score) {
                window = Window::new(-INFINITE, INFINITE);
            }
            delta += delta / 2;
            if self.task.multi_pv == 1 && self.time.elapsed() >= TALKATIVE {
                self.report_line(index);
            }
        }
    }

    /// Tells all variations of the iteration just completed.
    fn report_lines(&mut self, lines: usize) {
        for index in 0..lines {
            self.report_line(index);
        }
    }

    fn report_line(&mut self, index: usize) {
        if self.report.is_none() {
            return;
        }
        self.worker.report_nodes(self.task);
        let info = self.info(index, &self.worker.root_moves[index]);
        if let Some(report) = &mut self.report {
            report(&Report::Info(Box::new(info)));
        }
    }

    /// Tells which root move comes now, if the search has taken long.
    pub(super) fn report_current_move(&mut self, m: Move, count: i32) {
        if self.report.is_none() || self.time.elapsed() < TALKATIVE {
            return;
        }
        let depth = self.worker.root_depth as usize;
        let number = count as usize + self.worker.pv_index;
        if let Some(report) = &mut self.report {
            report(&Report::CurrentMove { depth, m, number });
        }
    }

    /// What is known of one root move, as a line of progress.
    pub(super) fn info(&self, index: usize, root: &RootMove) -> Info {
        // A move that this iteration did not reach still has its old score.
        let (score, bound, depth) = if root.score == -INFINITE {
            (
                root.previous_score,
                Bound::Exact,
                (self.worker.root_depth - 1).max(1),
            )
        } else {
            (root.score, root.bound, self.worker.root_depth)
        };
        let (score, bound) = match root.table_score {
            Some(known) if !is_mate(score) => (known, Bound::Exact),
            _ => (score, bound),
        };
        Info {
            depth: depth as usize,
            seldepth: root.seldepth,
            multi_pv: index + 1,
            score,
            bound,
            nodes: self.task.nodes.load(Relaxed),
            time: self.time.elapsed(),
            hashfull: self.task.table.hashfull(),
            table_hits: self.task.table_hits.load(Relaxed),
            pv: root.pv.clone(),
        }
    }
}

/// The best first, those that tables rank higher before all; moves of equal
/// score keep their order.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|root| std::cmp::Reverse((root.rank, root.score, root.previous_score)));
}
