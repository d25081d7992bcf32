//! The order in which moves are tried, generated stage by stage.
//!
//! First the table's move, then captures that gain by their blast and queen
//! promotions, then quiet moves by history, last the captures that lose.
//! Only legal moves come out.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    history::{Histories, PieceTo},
    parry::Parry,
};
use crate::{
    evaluation::exchange,
    rules::{Legality, Position, movegen, threats::ThreatSquares},
};

/// The most moves of one node.
const MAX_MOVES: usize = 450;

/// The score of a move above, its index in the list below, so that one number
/// orders moves and finds them again.
#[derive(Copy, Clone, Eq, PartialEq)]
struct Ranked(i64);

impl Ranked {
    const INDEX_BITS: u32 = 16;
    /// A move that was picked already.
    const PICKED: Ranked = Ranked(i64::MIN);

    #[inline]
    fn new(score: i32, index: usize) -> Ranked {
        Ranked(i64::from(score) << Ranked::INDEX_BITS | index as i64)
    }

    #[inline]
    fn score(self) -> i32 {
        (self.0 >> Ranked::INDEX_BITS) as i32
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 & ((1 << Ranked::INDEX_BITS) - 1)) as usize
    }
}

#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Stage {
    Table,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Yields the legal moves of one node, the most promising first.
pub struct MovePicker {
    stage: Stage,
    table_move: Option<Move>,
    moves: ArrayVec<Move, MAX_MOVES>,
    ranks: ArrayVec<Ranked, MAX_MOVES>,
    /// Moves from here on belong to the stage.
    first: usize,
    /// Losing captures, for the end.
    bad: ArrayVec<Move, MAX_MOVES>,
    next_bad: usize,
    with_quiets: bool,
    /// Set when only quiet moves that threaten the king are left to try.
    only_threats: Option<ThreatSquares>,
    /// What the quiet moves must parry.
    parry: Option<Parry>,
}

/// Captures are ordered by blast first; history decides among equals.
const BLAST_WEIGHT: i32 = 32;

impl MovePicker {
    /// All moves. `table_move` must be pseudo-legal.
    #[inline]
    #[must_use]
    pub fn new(table_move: Option<Move>) -> MovePicker {
        MovePicker {
            stage: Stage::Table,
            table_move,
            moves: ArrayVec::new(),
            ranks: ArrayVec::new(),
            first: 0,
            bad: ArrayVec::new(),
            next_bad: 0,
            with_quiets: true,
            only_threats: None,
            parry: None,
        }
    }

    /// The same without the quiet moves that do not parry.
    #[inline]
    #[must_use]
    pub(super) fn parrying(self, parry: Option<Parry>) -> MovePicker {
        MovePicker { parry, ..self }
    }

    /// Captures that do not lose by their blast, and queen promotions.
    #[inline]
    #[must_use]
    pub fn noisy(table_move: Option<Move>) -> MovePicker {
        MovePicker {
            with_quiets: false,
            ..MovePicker::new(table_move.filter(|m| m.is_capture() || m.is_promotion()))
        }
    }

    /// Whether no quiet move has come yet but perhaps the table's.
    #[inline]
    #[must_use]
    pub fn is_before_quiets(&self) -> bool {
        matches!(
            self.stage,
            Stage::Table | Stage::GenerateNoisy | Stage::GoodNoisy | Stage::GenerateQuiet
        )
    }

    /// Leaves out the quiet moves that have not come yet, but for those that
    /// threaten to explode the enemy king.
    #[inline]
    pub fn skip_quiets(&mut self, threats: ThreatSquares) {
        if self.only_threats.replace(threats).is_none() && self.stage == Stage::Quiet {
            let mut kept = self.first;
            for i in self.first..self.ranks.len() {
                let (rank, m) = (self.ranks[i], self.moves[i]);
                if rank != Ranked::PICKED && threats.reached_by(m) {
                    self.ranks[kept] = Ranked::new(rank.score(), kept);
                    self.moves[kept] = m;
                    kept += 1;
                }
            }
            self.ranks.truncate(kept);
            self.moves.truncate(kept);
        }
    }

    /// The next legal move.
    #[inline]
    pub fn next(
        &mut self,
        position: &Position,
        legality: &Legality,
        histories: &Histories,
        before: &[Option<PieceTo>; 3],
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::GenerateNoisy;
                    if let Some(m) = self.table_move
                        && legality.allows(m)
                    {
                        return Some(m);
                    }
                }
                Stage::GenerateNoisy => {
                    self.generate_noisy(position, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    let Some(m) = self.pick_best() else {
                        self.stage = if self.with_quiets {
                            Stage::GenerateQuiet
                        } else {
                            Stage::Done
                        };
                        continue;
                    };
                    if Some(m) == self.table_move || !legality.allows(m) {
                        continue;
                    }
                    if m.is_capture() && exchange::blast_value(position, m) < 0 {
                        self.bad.push(m);
                        continue;
                    }
                    return Some(m);
                }
                Stage::GenerateQuiet => {
                    self.generate_quiet(position, histories, before);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    let Some(m) = self.pick_best() else {
                        self.stage = Stage::BadNoisy;
                        continue;
                    };
                    if Some(m) != self.table_move && legality.allows(m) {
                        return Some(m);
                    }
                }
                Stage::BadNoisy => match self.bad.get(self.next_bad) {
                    Some(&m) => {
                        self.next_bad += 1;
                        return Some(m);
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    // Generating and picking stay apart, so that the path between fits the
    // instruction cache.

    #[inline(never)]
    fn generate_noisy(&mut self, position: &Position, histories: &Histories) {
        let us = position.turn();
        movegen::captures(position, |m| {
            let score =
                exchange::blast_value(position, m) * BLAST_WEIGHT + histories.capture(us, m);
            self.push(m, score);
        });
        movegen::queen_promotions(position, |m| {
            let score = exchange::value(shakmaty::Role::Queen) * BLAST_WEIGHT;
            self.push(m, score);
        });
    }

    #[inline(never)]
    fn generate_quiet(
        &mut self,
        position: &Position,
        histories: &Histories,
        before: &[Option<PieceTo>; 3],
    ) {
        let history = histories.quiets(position.turn(), before);
        self.first = self.ranks.len();
        let parry = self.parry;
        let mut push = |m| {
            if parry.is_some_and(|parry| !parry.is_by(m)) {
                return;
            }
            let score = history.of(m);
            self.ranks.push(Ranked::new(score, self.moves.len()));
            self.moves.push(m);
        };
        match self.only_threats {
            None => movegen::quiets(position, push),
            Some(threats) => threats.moves(position, &mut push),
        }
    }

    #[inline]
    fn push(&mut self, m: Move, score: i32) {
        self.ranks.push(Ranked::new(score, self.moves.len()));
        self.moves.push(m);
    }

    /// The best of the moves of this stage that were not picked yet.
    #[inline(never)]
    fn pick_best(&mut self) -> Option<Move> {
        // A plain loop, which becomes vector instructions.
        let rest = self.ranks[self.first..].iter();
        let best = Ranked(rest.fold(Ranked::PICKED.0, |best, rank| best.max(rank.0)));
        if best == Ranked::PICKED {
            return None;
        }
        self.ranks[best.index()] = Ranked::PICKED;
        Some(self.moves[best.index()])
    }
}
