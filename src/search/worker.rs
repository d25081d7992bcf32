//! What one search thread owns, and what all threads of a search share.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    history::{Histories, PieceTo},
    limits::{Control, Limits},
    score::{Bound, DRAW, INFINITE, MAX_PLY, Score, UNKNOWN, mate_in},
    tables::Lookup,
    time::TimeManager,
    transposition::{Hit, Table},
};
use crate::{
    endgame,
    evaluation::Evaluator,
    rules::{
        MaterialRule, PackedMove, Position, insufficient_material,
        movegen::{has_legal_move, king_blast},
    },
};

/// A line of moves.
pub type Line = ArrayVec<Move, MAX_PLY>;

/// The stack reaches a little beyond the root on both sides, so that nodes may
/// look back without asking whether there is anything.
pub(super) const STACK_OFFSET: usize = 4;

/// The clock and the stop flag are looked at every so many nodes.
const CHECK_INTERVAL: u64 = 512;

/// What a node leaves for its descendants to look at.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The move being searched; `None` for a null move.
    pub(super) moved: Option<PieceTo>,
    pub(super) evaluation: Score,
    /// The move left out while it is tested for being the only good one.
    pub(super) excluded: Option<Move>,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            moved: None,
            evaluation: UNKNOWN,
            excluded: None,
        }
    }
}

/// A move at the root and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score in the current iteration.
    pub score: Score,
    /// Its score in the iteration before.
    pub previous_score: Score,
    /// What `score` says.
    pub bound: Bound,
    /// The line it leads to, itself first.
    pub pv: Line,
    /// The deepest ply reached below it.
    pub seldepth: usize,
    /// Nodes spent on it.
    pub nodes: u64,
    /// How endgame tables rank it: only the best are searched. The same for
    /// all moves if no tables know the root.
    pub rank: i32,
    /// Its score by the tables, which holds unless the search finds a mate.
    pub table_score: Option<Score>,
}

impl RootMove {
    pub(super) fn new(m: Move) -> RootMove {
        RootMove {
            m,
            score: -INFINITE,
            previous_score: -INFINITE,
            bound: Bound::None,
            pv: ArrayVec::from_iter([m]),
            seldepth: 0,
            nodes: 0,
            rank: 0,
            table_score: None,
        }
    }
}

/// What a search is asked to do, the same for all its threads.
pub(super) struct Task<'a> {
    pub(super) root: &'a Position,
    /// Keys of all positions before the root, the oldest first.
    pub(super) earlier_keys: &'a [u64],
    pub(super) root_moves: &'a [RootMove],
    pub(super) limits: &'a Limits,
    pub(super) control: &'a Control,
    pub(super) table: &'a Table,
    /// Nodes of all threads, up to date within [`CHECK_INTERVAL`] each.
    pub(super) nodes: &'a AtomicU64,
    /// Positions that all threads found in endgame tables, as up to date.
    pub(super) table_hits: &'a AtomicU64,
    /// Endgame tables to ask within the tree.
    pub(super) lookup: Option<Lookup<'a>>,
    pub(super) multi_pv: usize,
    pub(super) threads: usize,
    /// Whether only sound pruning is wanted.
    pub(super) analysing: bool,
}

/// Keeps one of the positions that a search evaluates, each as likely as any
/// other: what an evaluation has to be good at.
pub(super) struct Sampler {
    rng: fastrand::Rng,
    seen: u32,
    kept: Option<Position>,
}

impl Sampler {
    pub(super) fn new(rng: fastrand::Rng) -> Sampler {
        Sampler {
            rng,
            seen: 0,
            kept: None,
        }
    }

    fn offer(&mut self, position: &Position) {
        self.seen += 1;
        if self.rng.u32(..self.seen) == 0 {
            self.kept = Some(position.clone());
        }
    }

    pub(super) fn into_kept(self) -> Option<Position> {
        self.kept
    }
}

/// One search thread's own memory, kept from move to move. Aligned so that no
/// two threads write to the same cache line, or to one and its neighbour that
/// the processor fetches along with it.
#[repr(align(128))]
pub struct Worker {
    pub(super) id: usize,
    pub(super) evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) stack: Box<[Frame]>,
    pub(super) lines: Box<[Line]>,
    /// Keys of the positions on the way to the current node.
    pub(super) keys: Vec<u64>,
    /// Positions before this index cannot be repeated, a null move lies
    /// between.
    pub(super) repetition_floor: usize,
    pub(super) nodes: u64,
    nodes_reported: u64,
    /// Positions found in endgame tables.
    pub(super) table_hits: u64,
    table_hits_reported: u64,
    pub(super) seldepth: usize,
    pub(super) stopped: bool,
    pub(super) root_moves: Vec<RootMove>,
    /// Which principal variation is searched, from 0.
    pub(super) pv_index: usize,
    pub(super) completed_depth: i32,
    pub(super) root_depth: i32,
    /// Whether a quiet threat of quiescence is being searched.
    pub(super) tries_threat: bool,
    pub(super) sampler: Option<Sampler>,
}

impl Worker {
    pub(super) fn new(id: usize) -> Worker {
        Worker {
            id,
            evaluator: Evaluator::default(),
            histories: Histories::default(),
            stack: vec![Frame::default(); MAX_PLY + 2 * STACK_OFFSET].into_boxed_slice(),
            lines: vec![Line::new(); MAX_PLY + 2].into_boxed_slice(),
            keys: Vec::with_capacity(1024),
            repetition_floor: 0,
            nodes: 0,
            nodes_reported: 0,
            table_hits: 0,
            table_hits_reported: 0,
            seldepth: 0,
            stopped: false,
            root_moves: Vec::new(),
            pv_index: 0,
            completed_depth: 0,
            root_depth: 0,
            tries_threat: false,
            sampler: None,
        }
    }

    /// Forgets the last game.
    pub(super) fn clear(&mut self) {
        self.histories.clear();
    }

    /// Makes ready for a new search.
    pub(super) fn prepare(&mut self, task: &Task) {
        self.evaluator.reset();
        self.stack.fill(Frame::default());
        self.keys.clear();
        self.keys.extend_from_slice(task.earlier_keys);
        self.repetition_floor = 0;
        self.nodes = 0;
        self.nodes_reported = 0;
        self.table_hits = 0;
        self.table_hits_reported = 0;
        self.seldepth = 0;
        self.stopped = false;
        self.tries_threat = false;
        self.root_moves.clear();
        self.root_moves.extend_from_slice(task.root_moves);
        self.pv_index = 0;
        self.completed_depth = 0;
        self.root_depth = 0;
    }

    #[inline]
    pub(super) fn frame(&self, ply: usize) -> &Frame {
        &self.stack[ply + STACK_OFFSET]
    }

    #[inline]
    pub(super) fn frame_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.stack[ply + STACK_OFFSET]
    }

    /// The moves one, two and four plies before the node at `ply`.
    #[inline]
    pub(super) fn moves_before(&self, ply: usize) -> [Option<PieceTo>; 3] {
        let at = ply + STACK_OFFSET;
        [
            self.stack[at - 1].moved,
            self.stack[at - 2].moved,
            self.stack[at - 4].moved,
        ]
    }

    /// The static evaluation, uncorrected.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        if let Some(sampler) = &mut self.sampler {
            sampler.offer(position);
        }
        self.evaluator.evaluate(position)
    }

    /// The static evaluation of a node, uncorrected: from the table if it knows
    /// it, [`UNKNOWN`] in check, where it would say nothing.
    #[inline]
    pub(super) fn static_evaluation(
        &mut self,
        position: &Position,
        in_check: bool,
        hit: Option<Hit>,
    ) -> Score {
        if in_check {
            return UNKNOWN;
        }
        hit.map(|hit| hit.evaluation)
            .filter(|&evaluation| evaluation != UNKNOWN)
            .unwrap_or_else(|| self.evaluate(position))
    }

    /// Plays a move on a copy and keeps the books.
    #[inline]
    pub(super) fn make(
        &mut self,
        task: &Task,
        position: &Position,
        m: Move,
        ply: usize,
    ) -> Position {
        let next = position.after(m);
        task.table.prefetch(next.key());
        self.histories.prefetch_corrections(&next);
        self.evaluator.push();
        self.keys.push(position.key());
        self.frame_mut(ply).moved = Some(PieceTo::new(position.turn(), m));
        self.nodes += 1;
        next
    }

    /// Takes the books back to before the last move.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.evaluator.pop();
        self.keys.pop();
    }

    /// Whether to leave the search now. Once true it stays true.
    #[inline]
    pub(super) fn must_stop(&mut self, task: &Task, time: &TimeManager) -> bool {
        if self.stopped {
            return true;
        }
        let exact = task.threads == 1 && task.limits.nodes.is_some_and(|limit| self.nodes >= limit);
        if exact {
            self.stopped = true;
        } else if self.nodes >= self.nodes_reported + CHECK_INTERVAL {
            self.report_nodes(task);
            self.stopped = task.control.is_stopped()
                || (self.id == 0
                    && ((time.is_over() && !task.control.is_pondering())
                        || task
                            .limits
                            .nodes
                            .is_some_and(|limit| task.nodes.load(Relaxed) >= limit)));
        }
        // The first iteration always ends, so that there is a move to play.
        self.stopped &= self.root_depth > 1;
        self.stopped
    }

    /// Adds the nodes and table hits since the last call to the common counts.
    pub(super) fn report_nodes(&mut self, task: &Task) {
        task.nodes
            .fetch_add(self.nodes - self.nodes_reported, Relaxed);
        self.nodes_reported = self.nodes;
        let hits = self.table_hits - self.table_hits_reported;
        if hits > 0 {
            task.table_hits.fetch_add(hits, Relaxed);
            self.table_hits_reported = self.table_hits;
        }
    }

    /// The root move at `index` if it is to be searched for the current
    /// variation: tables rank it as high as the variation's first.
    #[inline]
    pub(super) fn root_move(&self, index: usize) -> Option<&RootMove> {
        let first = self.root_moves.get(self.pv_index)?;
        let root = self.root_moves.get(index)?;
        (root.rank == first.rank).then_some(root)
    }

    /// The score of a node that needs no search: a draw by rule or known
    /// material, or a king that can be exploded at once. `Some` also with the
    /// winning move.
    #[inline]
    pub(super) fn known_result(
        &self,
        position: &Position,
        ply: usize,
    ) -> Option<(Score, Option<Move>)> {
        if self.is_repetition(position, ply) {
            return Some((DRAW, None));
        }
        if position.halfmoves() >= 100 && (!position.is_check() || has_legal_move(position)) {
            return Some((DRAW, None));
        }
        if position.board().occupied().count() <= 4
            && (insufficient_material(
                position.board(),
                position.ruleset(),
                MaterialRule::NoWinPossible,
            ) || endgame::is_dead_draw(position))
        {
            return Some((DRAW, None));
        }
        king_blast(position, position.turn()).map(|m| (mate_in(ply + 1), Some(m)))
    }

    /// Whether the position occurred before: once within the search, or twice
    /// in the game.
    #[inline]
    fn is_repetition(&self, position: &Position, ply: usize) -> bool {
        let reach = (position.halfmoves() as usize).min(self.keys.len() - self.repetition_floor);
        let mut seen = false;
        let mut back = 4;
        while back <= reach {
            if self.keys[self.keys.len() - back] == position.key() {
                if back <= ply || seen {
                    return true;
                }
                seen = true;
            }
            back += 2;
        }
        false
    }

    /// Makes `m` and the line below it the line at `ply`.
    #[inline]
    pub(super) fn update_line(&mut self, ply: usize, m: Move) {
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(m);
        let room = line.remaining_capacity();
        line.extend(lower[0].iter().copied().take(room));
    }

    /// The best root move so far.
    pub(super) fn best(&self) -> Option<&RootMove> {
        self.root_moves.first()
    }
}

/// The legal answer to `best` that the table knows, to ponder on when the
/// variation is too short to have one.
pub(super) fn ponder_move(table: &Table, root: &Position, best: Move) -> Option<Move> {
    let after = root.after(best);
    let packed: PackedMove = table.probe(after.key(), 0)?.best;
    packed
        .unpack(&after)
        .filter(|m| crate::rules::Legality::new(&after).allows(*m))
}
