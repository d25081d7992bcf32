//! Finding traps: mistakes that lose by force and do not look like it.

use std::collections::{HashMap, HashSet};

use shakmaty::Move;

use super::Proof;
pub use super::text::Found;
use crate::{
    mate::{Bounds, Solver, Verdict},
    rules::{Position, Ruleset, movegen},
    search::{Control, Limits, Pool, SearchOptions, SearchResult, score::Score},
};

/// How much work goes into one position.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The longest win looked for, in moves.
    pub moves: u8,
    /// Nodes of the solver.
    pub proof_nodes: u64,
    /// Nodes of the search where the solver finds nothing; none for 0.
    pub search_nodes: u64,
}

/// A score at which a search's verdict counts as decisive, in centipawns.
const DECISIVE: Score = 1_000;
/// A side that stands worse than this before its move has lost already.
const LOST: Score = -350;
/// Nodes to judge how a position stands before the mistake.
const JUDGE_NODES: u64 = 20_000;
/// Moves up to this much worse than the best are walked along.
const PLAYABLE: Score = 90;
/// How many moves of a position are considered on a walk.
const CANDIDATES: usize = 4;
/// A mistake is deceptive if a search of this depth thinks it holds.
const SHALLOW: usize = 3;
/// Traps alike, by mistake and refutation, that are worth keeping.
const ALIKE: usize = 2;
/// Replies shown beside the longest.
const REPLIES: usize = 3;

/// Looks for traps.
pub struct Finder<'a> {
    solver: Solver,
    pool: Pool,
    effort: Effort,
    is_stopped: &'a dyn Fn() -> bool,
    seen: HashSet<u64>,
    alike: HashMap<(String, String), usize>,
}

impl<'a> Finder<'a> {
    /// A finder that puts `effort` into each position.
    #[must_use]
    pub fn new(effort: Effort, is_stopped: &'a dyn Fn() -> bool) -> Finder<'a> {
        Finder {
            solver: Solver::new(64),
            pool: Pool::default(),
            effort,
            is_stopped,
            seen: HashSet::new(),
            alike: HashMap::new(),
        }
    }

    /// Every reply to every first move of White that loses by force.
    pub fn first_replies(&mut self, take: &mut dyn FnMut(Found)) {
        let start = Position::startpos(Ruleset::Lichess);
        for first in start.legal_moves() {
            let position = start.after(first);
            for reply in position.legal_moves() {
                if (self.is_stopped)() {
                    return;
                }
                let line = vec![first, reply];
                if let Some(found) = self.refute(&line) {
                    take(found);
                }
            }
        }
    }

    /// Walks through playable openings by chance and looks at each position for
    /// mistakes that do not look like it. Walks end after `plies`.
    pub fn walk(&mut self, plies: usize, rng: &mut fastrand::Rng, take: &mut dyn FnMut(Found)) {
        let mut position = Position::startpos(Ruleset::Lichess);
        let mut line = Vec::new();
        while line.len() < plies && !(self.is_stopped)() {
            let found = self.search(&position, Limits::nodes(JUDGE_NODES), CANDIDATES);
            let Some(best) = found.score().filter(|&score| score > LOST) else {
                return;
            };
            let fresh = self.seen.insert(position.key());
            if fresh && line.len() >= 2 {
                self.mistakes(&position, &line, take);
            }
            let playable = Vec::from_iter(
                found
                    .variations
                    .iter()
                    .filter(|info| info.score >= best - PLAYABLE)
                    .filter_map(|info| info.pv.first().copied()),
            );
            let moves = if line.is_empty() {
                Vec::from_iter(position.legal_moves())
            } else {
                playable
            };
            let m = moves[rng.usize(..moves.len())];
            line.push(m);
            position.play(m);
        }
    }

    /// Looks through the first `plies` of a game for mistakes that lose by
    /// force.
    pub fn game(&mut self, moves: &[Move], plies: usize, take: &mut dyn FnMut(Found)) {
        let mut position = Position::startpos(Ruleset::Lichess);
        for (index, &m) in moves.iter().take(plies).enumerate() {
            if (self.is_stopped)() {
                return;
            }
            let before = position.clone();
            position.play(m);
            if !self.seen.insert(position.key()) {
                continue;
            }
            if let Some(found) = self.refute(&moves[..=index]) {
                let judged = self.search(&before, Limits::nodes(JUDGE_NODES), 1);
                if judged.score().is_some_and(|score| score > LOST) {
                    take(found);
                }
                return;
            }
        }
    }

    /// The most deceptive of the moves that lose by force in a position.
    fn mistakes(&mut self, position: &Position, line: &[Move], take: &mut dyn FnMut(Found)) {
        let mut lost = Vec::new();
        for m in position.legal_moves() {
            let next = position.after(m);
            if !self.seen.contains(&next.key()) && self.proved_win(&next).is_some() {
                let shallow = self.search(&next, Limits::depth(SHALLOW), 1);
                let looks = -shallow.score().unwrap_or(0);
                if looks > LOST {
                    lost.push((looks, m));
                }
            }
        }
        lost.sort_by_key(|&(looks, _)| -looks);
        for (_, m) in lost.into_iter().take(2) {
            let line = [line, &[m]].concat();
            let Some(found) = self.refute(&line) else {
                continue;
            };
            let after = position.after(m);
            let answer = found.refutation.first().map(|&m| after.san(m));
            let kind = (position.san(m), answer.unwrap_or_default());
            let count = self.alike.entry(kind).or_default();
            *count += 1;
            if *count <= ALIKE {
                self.seen.insert(after.key());
                take(found);
            }
        }
    }

    /// The number of moves in which the side to move is proved to win.
    fn proved_win(&mut self, position: &Position) -> Option<u8> {
        let bounds = Bounds {
            nodes: Some(self.effort.proof_nodes),
            ..Bounds::moves(self.effort.moves)
        };
        let solution = self
            .solver
            .solve(position, &[], &bounds, self.is_stopped, &mut |_| {});
        match solution.verdict {
            Verdict::Win { moves, .. } => Some(moves),
            _ => None,
        }
    }

    /// The refutation of the last move of `line`, if it loses by force.
    fn refute(&mut self, line: &[Move]) -> Option<Found> {
        let position = line
            .iter()
            .fold(Position::startpos(Ruleset::Lichess), |position, &m| {
                position.after(m)
            });
        let bounds = Bounds {
            nodes: Some(self.effort.proof_nodes),
            ..Bounds::moves(self.effort.moves)
        };
        let solution = self
            .solver
            .solve(&position, &[], &bounds, self.is_stopped, &mut |_| {});
        if let Verdict::Win { moves, .. } = solution.verdict {
            let &first = solution.line.first()?;
            let replies = self.replies(&position.after(first), solution.line.get(1), moves);
            return Some(Found {
                line: line.to_vec(),
                refutation: solution.line,
                replies,
                proof: Proof::Win(moves),
            });
        }
        self.verdict(&position, line)
    }

    /// Other replies that hold out longest, and how they lose.
    fn replies(&mut self, position: &Position, main: Option<&Move>, moves: u8) -> Vec<Vec<Move>> {
        if moves < 2 {
            return Vec::new();
        }
        let mut lines = Vec::new();
        for m in movegen::legal_moves(position) {
            if Some(&m) == main {
                continue;
            }
            let next = position.after(m);
            let solution = self.solver.solve(
                &next,
                &[],
                &Bounds {
                    nodes: Some(self.effort.proof_nodes),
                    ..Bounds::moves(moves - 1)
                },
                self.is_stopped,
                &mut |_| {},
            );
            lines.push([&[m], solution.line.as_slice()].concat());
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.len()));
        lines.truncate(REPLIES);
        lines
    }

    /// A decisive score of a long search.
    fn verdict(&mut self, position: &Position, line: &[Move]) -> Option<Found> {
        let nodes = self.effort.search_nodes;
        if nodes == 0 {
            return None;
        }
        let mut found = self.search(position, Limits::nodes(nodes / 4), 1);
        if found.score()? < DECISIVE / 2 {
            return None;
        }
        found = self.search(position, Limits::nodes(nodes), 1);
        let info = found.variations.first()?;
        (info.score >= DECISIVE).then(|| Found {
            line: line.to_vec(),
            refutation: Vec::from_iter(info.pv.iter().copied().take(9)),
            replies: Vec::new(),
            proof: Proof::Score {
                centipawns: info.score.min(DECISIVE),
                nodes,
            },
        })
    }

    fn search(&mut self, position: &Position, limits: Limits, multi_pv: usize) -> SearchResult {
        let options = SearchOptions {
            multi_pv,
            ..SearchOptions::default()
        };
        let control = Control::new(&limits);
        self.pool
            .search(position, &[], &limits, &options, &control, &mut |_| {})
    }
}
