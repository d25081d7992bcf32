//! The order in which moves are tried, generated stage by stage.
//!
//! First the table's move, then captures that gain by their blast and queen
//! promotions, then quiet moves by history, last the captures that lose.
//! Only legal moves come out.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::history::{Histories, PieceTo};
use crate::{
    evaluation::exchange,
    rules::{Legality, Position, movegen},
};

#[derive(Copy, Clone)]
struct Scored {
    m: Move,
    score: i32,
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
    moves: ArrayVec<Scored, 450>,
    next: usize,
    /// Losing captures are kept in front, up to here.
    bad_end: usize,
    with_quiets: bool,
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
            next: 0,
            bad_end: 0,
            with_quiets: true,
        }
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

    /// Leaves out the quiet moves that have not come yet.
    #[inline]
    pub fn skip_quiets(&mut self) {
        if self.stage == Stage::Quiet {
            self.start_bad_noisy();
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
                    let Some(scored) = self.pick_best() else {
                        self.stage = if self.with_quiets {
                            Stage::GenerateQuiet
                        } else {
                            Stage::Done
                        };
                        continue;
                    };
                    if Some(scored.m) == self.table_move || !legality.allows(scored.m) {
                        continue;
                    }
                    if scored.m.is_capture() && exchange::blast_value(position, scored.m) < 0 {
                        self.moves.swap(self.bad_end, self.next - 1);
                        self.bad_end += 1;
                        continue;
                    }
                    return Some(scored.m);
                }
                Stage::GenerateQuiet => {
                    self.generate_quiet(position, histories, before);
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.pick_best() {
                    Some(Scored { m, .. }) => {
                        if Some(m) != self.table_move && legality.allows(m) {
                            return Some(m);
                        }
                    }
                    None => self.start_bad_noisy(),
                },
                Stage::BadNoisy => {
                    if self.next >= self.bad_end {
                        self.stage = Stage::Done;
                        continue;
                    }
                    self.next += 1;
                    return Some(self.moves[self.next - 1].m);
                }
                Stage::Done => return None,
            }
        }
    }

    fn start_bad_noisy(&mut self) {
        self.stage = Stage::BadNoisy;
        self.next = 0;
    }

    fn generate_noisy(&mut self, position: &Position, histories: &Histories) {
        let us = position.turn();
        movegen::captures(position, |m| {
            let score =
                exchange::blast_value(position, m) * BLAST_WEIGHT + histories.capture(us, m);
            self.moves.push(Scored { m, score });
        });
        movegen::queen_promotions(position, |m| {
            let score = exchange::value(shakmaty::Role::Queen) * BLAST_WEIGHT;
            self.moves.push(Scored { m, score });
        });
    }

    fn generate_quiet(
        &mut self,
        position: &Position,
        histories: &Histories,
        before: &[Option<PieceTo>; 3],
    ) {
        let us = position.turn();
        self.next = self.moves.len();
        movegen::quiets(position, |m| {
            let score = histories.quiet(us, m, before);
            self.moves.push(Scored { m, score });
        });
    }

    /// Moves the best of the remaining moves to the front and passes it.
    #[inline]
    fn pick_best(&mut self) -> Option<Scored> {
        let rest = &mut self.moves[self.next..];
        let mut best = 0;
        for i in 1..rest.len() {
            if rest[i].score > rest[best].score {
                best = i;
            }
        }
        let scored = *rest.get(best)?;
        rest.swap(0, best);
        self.next += 1;
        Some(scored)
    }
}
