//! The tree search: principal variation search with all its prunings.
//!
//! A node on the principal variation (PV node) is searched with an open
//! window, every other with a null window that only asks whether the score
//! reaches beta. Of those, a cut node is expected to (its first move should
//! do), an all node is expected not to (all its moves will be tried).
//!
//! What atomic changes: a node where the king can be exploded at once needs no
//! search; a node whose side would be exploded on passing has no meaningful
//! static evaluation, so nothing is pruned on it; and a quiet move that attacks
//! something beside the enemy king is never left out as hopeless.

use arrayvec::ArrayVec;
use shakmaty::{Move, Role};

use super::{
    history::bonus,
    info::Report,
    movepick::MovePicker,
    parameters::*,
    parry::Parry,
    score::{
        Bound, DRAW, INFINITE, MAX_PLY, Score, TABLE_BOUND, UNKNOWN, is_decided, mate_in, mated_in,
    },
    time::TimeManager,
    transposition::Hit,
    worker::{Task, Worker},
};
use crate::{
    evaluation::exchange,
    rules::{
        Legality, PackedMove, Position,
        movegen::{has_legal_move, king_blast},
        threats::ThreatSquares,
    },
};

/// What kind of node is searched; the compiler makes a function of each.
pub(super) trait Node {
    /// Whether the node is on the principal variation.
    const PV: bool;
    /// Whether it is the root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node on the principal variation.
pub(super) struct Pv;
/// Any other node.
pub(super) struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Alpha and beta.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) struct Window {
    pub(super) alpha: Score,
    pub(super) beta: Score,
}

impl Window {
    pub(super) const fn new(alpha: Score, beta: Score) -> Window {
        Window { alpha, beta }
    }

    /// The null window that asks whether a score is above `alpha`.
    pub(super) const fn above(alpha: Score) -> Window {
        Window::new(alpha, alpha + 1)
    }

    /// The same window from the other side.
    pub(super) const fn reversed(self) -> Window {
        Window::new(-self.beta, -self.alpha)
    }
}

/// The search of one task by one worker, for as long as it runs.
pub(super) struct Searcher<'a> {
    pub(super) worker: &'a mut Worker,
    pub(super) task: &'a Task<'a>,
    pub(super) time: TimeManager,
    /// Where progress is told; helper threads tell nobody.
    pub(super) report: Option<&'a mut (dyn FnMut(&Report) + 'a)>,
}

/// Moves tried before the one that was best, to be punished.
struct Tried {
    quiets: ArrayVec<Move, 64>,
    captures: ArrayVec<Move, 32>,
}

impl Tried {
    fn remember(&mut self, m: Move) {
        // Beyond the capacity nothing is remembered: a move so late says little.
        if m.is_capture() {
            let _ = self.captures.try_push(m);
        } else {
            let _ = self.quiets.try_push(m);
        }
    }
}

impl Searcher<'_> {
    /// Searches a node `depth` plies deep and returns its score.
    pub(super) fn search<N: Node>(
        &mut self,
        position: &Position,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 && !N::ROOT {
            return self.quiescence::<N>(position, window, ply, true);
        }
        let Window {
            mut alpha,
            mut beta,
        } = window;
        let mut depth = depth.min(MAX_PLY as i32 - 1);
        self.worker.lines[ply].clear();
        if N::PV {
            self.worker.seldepth = self.worker.seldepth.max(ply);
        }
        if self.worker.must_stop(self.task, &self.time) {
            return DRAW;
        }
        let excluded = self.worker.frame(ply).excluded;
        if !N::ROOT {
            if excluded.is_none()
                && let Some((score, winning)) = self.worker.known_result(position, ply)
            {
                if let Some(m) = winning.filter(|_| N::PV) {
                    self.worker.lines[ply].push(m);
                }
                return score;
            }
            if ply >= MAX_PLY - 1 {
                return self.worker.evaluate(position);
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let us = position.turn();
        let legality = Legality::new(position);
        let in_check = legality.in_check();
        let hit = if excluded.is_none() {
            self.task.table.probe(position.key(), ply)
        } else {
            None
        };
        if !N::PV
            && let Some(hit) = hit
            && hit.depth >= depth
            && position.halfmoves() < 90
            && usable(hit, beta)
        {
            return hit.score;
        }
        let table_move = if N::ROOT {
            Some(self.worker.root_moves[self.worker.pv_index].m)
        } else {
            hit.and_then(|hit| hit.best.unpack(position))
        };
        let was_pv = N::PV || hit.is_some_and(|hit| hit.was_pv);

        let (mut best_score, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
            && let Some((score, known)) = self.table_bound(position, depth, ply)
        {
            let decides = match known {
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                _ => true,
            };
            if decides {
                self.task.table.store(
                    position.key(),
                    ply,
                    Hit {
                        best: PackedMove::NONE,
                        score,
                        evaluation: UNKNOWN,
                        depth: (depth + TABLE_DEPTH_BONUS).min(MAX_PLY as i32 - 1),
                        bound: known,
                        was_pv: false,
                    },
                );
                return score;
            }
            // On the principal variation the search looks on for the way.
            if N::PV && known == Bound::Lower {
                best_score = score;
                alpha = alpha.max(score);
            } else if N::PV {
                ceiling = score;
            }
        }

        // Who would be exploded on a pass must answer the threat, as in check;
        // under ICC rules, which know no check, this is the only such threat.
        let danger = king_blast(position, !us);
        let in_danger = in_check || danger.is_some();
        let raw_evaluation = self.worker.static_evaluation(position, in_check, hit);
        if hit.is_none() && excluded.is_none() && !in_check {
            // However the node ends, nobody need evaluate it again.
            self.task
                .table
                .store(position.key(), ply, Hit::evaluated(raw_evaluation));
        }
        let static_evaluation = if in_check {
            UNKNOWN
        } else {
            self.worker.histories.corrected(position, raw_evaluation)
        };
        self.worker.frame_mut(ply).evaluation = static_evaluation;
        // A score from the table is the better estimate where its bound allows.
        let estimate = match hit {
            Some(hit)
                if !in_check
                    && hit.score != UNKNOWN
                    && (if hit.score > static_evaluation {
                        hit.bound.is_lower()
                    } else {
                        hit.bound.is_upper()
                    }) =>
            {
                hit.score
            }
            _ => static_evaluation,
        };
        let improving = !in_check && ply >= 2 && {
            let before = self.worker.frame(ply - 2).evaluation;
            before == UNKNOWN || static_evaluation > before
        };

        if !N::PV && !in_danger && excluded.is_none() {
            if let Some(score) = self.reverse_futility(estimate, beta, depth, improving) {
                return score;
            }
            if let Some(score) = self.null_move(
                position,
                estimate,
                static_evaluation,
                beta,
                depth,
                ply,
                cut_node,
            ) {
                return score;
            }
        }
        if depth >= 4 && table_move.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        let threats = ThreatSquares::new(position);
        let before = self.worker.moves_before(ply);
        // At the end of the fifty moves any quiet move draws.
        let parry = danger
            .filter(|_| position.halfmoves() < 99)
            .and_then(Parry::new);
        let mut picker = MovePicker::new(table_move).parrying(parry);
        let mut root_index = self.worker.pv_index;
        let mut tried = Tried {
            quiets: ArrayVec::new(),
            captures: ArrayVec::new(),
        };
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut count = 0;
        let reduced = |count: i32| (depth - reduction(depth, count) / 1024).max(0);
        // Whether quiet moves that threaten nothing are given up at this count.
        let hopeless = |count: i32, alpha: Score, analysing: bool| {
            let reduced = reduced(count);
            (count >= move_count_limit(depth, improving) && !(N::PV && analysing))
                || (reduced <= futility_depth()
                    && static_evaluation + futility_base() + futility_margin() * reduced <= alpha)
        };
        let analysing = self.task.analysing;

        loop {
            if !N::ROOT
                && !in_danger
                && picker.is_before_quiets()
                && best_score > -TABLE_BOUND
                && hopeless(count + 1, alpha, analysing)
            {
                picker.skip_quiets(threats);
            }
            let next = if N::ROOT {
                let next = self.worker.root_move(root_index).map(|root| root.m);
                root_index += 1;
                next
            } else {
                picker.next(position, &legality, &self.worker.histories, &before)
            };
            let Some(m) = next else { break };
            if Some(m) == excluded {
                continue;
            }
            count += 1;
            self.expect(position, m);
            let quiet = !m.is_capture() && m.promotion() != Some(Role::Queen);
            let history = if quiet {
                self.worker.histories.quiets(us, &before).of(m)
            } else {
                self.worker.histories.capture(us, m)
            };
            let threatens = quiet && threats.reached_by(m);

            if !N::ROOT && best_score > -TABLE_BOUND {
                let reduced = reduced(count);
                if quiet && !threatens && !in_danger {
                    if hopeless(count, alpha, analysing) {
                        picker.skip_quiets(threats);
                        continue;
                    }
                    if reduced <= history_depth() && history < -history_margin() * depth {
                        continue;
                    }
                }
                let risky = if m.is_capture() {
                    depth <= exchange_depth()
                        && exchange::blast_value(position, m) < -capture_loss_margin() * depth
                } else if quiet && !in_danger {
                    let (plies, free) = if threatens {
                        (depth, threat_risk())
                    } else {
                        (reduced.max(1), 0)
                    };
                    plies <= exchange_depth()
                        && exchange::quiet_risk(position, m) > free + quiet_risk_margin() * plies
                } else {
                    false
                };
                if risky {
                    continue;
                }
            }

            let extension = match hit {
                Some(hit)
                    if !N::ROOT
                        && Some(m) == table_move
                        && excluded.is_none()
                        && depth >= singular_depth()
                        && ply < 2 * self.worker.root_depth as usize
                        && hit.depth >= depth - 3
                        && hit.bound.is_lower()
                        && !is_decided(hit.score) =>
                {
                    match self.singular::<N>(position, m, hit, window, depth, ply, cut_node) {
                        Ok(extension) => extension,
                        Err(score) => return score,
                    }
                }
                _ => 0,
            };
            if N::ROOT {
                self.report_current_move(m, count);
            }
            let nodes_before = self.worker.nodes;
            let child = self.worker.make(self.task, position, m, ply);
            let new_depth = depth - 1 + extension;
            let mut score = -INFINITE;
            if child.king_is_gone() {
                // Only at the root: elsewhere an explosion was seen before.
                self.worker.lines[ply + 1].clear();
                score = mate_in(ply + 1);
            } else {
                let mut full = !N::PV || count > 1;
                if depth >= 2 && count > 1 + i32::from(N::ROOT) {
                    let mut r = reduction(depth, count);
                    r -= reduction_pv() * i32::from(N::PV);
                    r -= reduction_was_pv() * i32::from(was_pv);
                    r += reduction_cut_node() * i32::from(cut_node);
                    r += reduction_not_improving() * i32::from(!improving);
                    r -= reduction_threat() * i32::from(threatens);
                    r -= reduction_danger() * i32::from(in_danger);
                    r -= if quiet {
                        history / reduction_history()
                    } else {
                        history / reduction_capture_history()
                    };
                    if !quiet {
                        r -= reduction_noisy();
                    }
                    let reduced = (new_depth - r / 1024).clamp(1, new_depth.max(1));
                    score = -self.search::<NonPv>(
                        &child,
                        Window::above(alpha).reversed(),
                        reduced,
                        ply + 1,
                        true,
                    );
                    full = score > alpha && reduced < new_depth;
                }
                if full {
                    score = -self.search::<NonPv>(
                        &child,
                        Window::above(alpha).reversed(),
                        new_depth,
                        ply + 1,
                        !cut_node,
                    );
                }
                if N::PV && (count == 1 || score > alpha) {
                    score = -self.search::<Pv>(
                        &child,
                        Window::new(alpha, beta).reversed(),
                        new_depth,
                        ply + 1,
                        false,
                    );
                }
            }
            self.worker.unmake();
            if self.worker.stopped {
                return DRAW;
            }
            if N::ROOT {
                self.record_root_move(m, score, Window::new(alpha, beta), count, nodes_before);
            }

            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.worker.update_line(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    bound = Bound::Exact;
                    alpha = score;
                }
            }
            tried.remember(m);
        }

        if count == 0 {
            return if excluded.is_some() {
                alpha
            } else if parry.is_some() && has_legal_move(position) {
                mated_in(ply + 2)
            } else if in_check {
                mated_in(ply)
            } else {
                DRAW
            };
        }
        best_score = best_score.min(ceiling);
        if let Some(m) = best_move.filter(|_| bound == Bound::Lower) {
            self.learn(position, m, &tried, depth, ply);
        }
        if excluded.is_none() && !(N::ROOT && self.worker.pv_index > 0) {
            self.task.table.store(
                position.key(),
                ply,
                Hit {
                    best: best_move.map_or(PackedMove::NONE, PackedMove::new),
                    score: best_score,
                    evaluation: raw_evaluation,
                    depth,
                    bound,
                    was_pv,
                },
            );
            let says_more = match bound {
                Bound::Lower => best_score > static_evaluation,
                Bound::Upper => best_score < static_evaluation,
                _ => true,
            };
            if !in_check
                && !is_decided(best_score)
                && !best_move.is_some_and(|m| m.is_capture() || m.is_promotion())
                && says_more
            {
                self.worker.histories.update_correction(
                    position,
                    depth,
                    best_score - static_evaluation,
                );
            }
        }
        best_score
    }

    /// Lets the processor fetch what the table knows of the position after a
    /// quiet move that will probably be searched, while it is still judged.
    #[inline]
    pub(super) fn expect(&self, position: &Position, m: Move) {
        if let Some(key) = position.likely_key_after(m) {
            self.task.table.prefetch(key);
        }
    }

    /// Rewards the move that was best and punishes those tried before it.
    fn learn(&mut self, position: &Position, best: Move, tried: &Tried, depth: i32, ply: usize) {
        let us = position.turn();
        let before = self.worker.moves_before(ply);
        let bonus = bonus(depth);
        let malus = bonus * punishment() / 1024;
        let histories = &mut self.worker.histories;
        if best.is_capture() {
            histories.update_capture(us, best, bonus);
        } else {
            histories.update_quiet(us, best, &before, bonus);
            for &m in &tried.quiets {
                histories.update_quiet(us, m, &before, -malus);
            }
        }
        for &m in &tried.captures {
            histories.update_capture(us, m, -malus);
        }
    }

    /// Notes what the search found about a move at the root.
    fn record_root_move(
        &mut self,
        m: Move,
        score: Score,
        window: Window,
        count: i32,
        nodes_before: u64,
    ) {
        let nodes = self.worker.nodes - nodes_before;
        let seldepth = self.worker.seldepth;
        let line = self.worker.lines[1].clone();
        let Some(root) = self.worker.root_moves.iter_mut().find(|root| root.m == m) else {
            return;
        };
        root.nodes += nodes;
        if count > 1 && score <= window.alpha {
            // A null window only says that it is no better.
            root.score = -INFINITE;
            return;
        }
        root.score = score;
        root.seldepth = seldepth;
        root.bound = if score <= window.alpha {
            Bound::Upper
        } else if score >= window.beta {
            Bound::Lower
        } else {
            Bound::Exact
        };
        root.pv.clear();
        root.pv.push(m);
        let room = root.pv.remaining_capacity();
        root.pv.extend(line.into_iter().take(room));
    }
}

/// Whether the score from the table decides a null window at `beta`.
#[inline]
pub(super) fn usable(hit: Hit, beta: Score) -> bool {
    hit.score != UNKNOWN
        && if hit.score >= beta {
            hit.bound.is_lower()
        } else {
            hit.bound.is_upper()
        }
}
