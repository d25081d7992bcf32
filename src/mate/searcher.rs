//! The search of every move of the attacker and every reply, for short wins.
//!
//! A node asks whether the attacker wins within so many moves. The number falls
//! with each move, so nothing is repeated on the way and every answer is exact:
//! there is no pruning here but what the rules allow. Its speed comes from
//! refuting the attacker's moves with the reply that refuted their like before,
//! and from the last move being looked up, not searched.

use shakmaty::Move;

use super::{
    check::{checkmating_move, is_checkmate},
    table::Table,
};
use crate::rules::{Legality, MaterialRule, PackedMove, Position, insufficient_material, movegen};

/// Why a search ended without an answer.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(super) struct Stopped;

/// An answer, unless the search was stopped.
pub(super) type Answer<T> = Result<T, Stopped>;

/// The clock and the stop flag are looked at every so many nodes.
const CHECK_INTERVAL: u64 = 1024;
/// Replies that refuted are counted by man, colour and square.
const HISTORY: usize = 12 * 64;

/// One attempt to solve one position.
pub(super) struct Searcher<'a> {
    pub(super) table: &'a mut Table,
    /// Positions that occurred twice before: a third time is a draw.
    pub(super) drawn: &'a [u64],
    pub(super) nodes: u64,
    /// The search ends here.
    pub(super) node_limit: u64,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
    next_check: u64,
    stopped: bool,
    replies: Box<[u32; HISTORY]>,
    attacks: Box<[u32; HISTORY]>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(
        table: &'a mut Table,
        drawn: &'a [u64],
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Searcher<'a> {
        Searcher {
            table,
            drawn,
            nodes: 0,
            node_limit: u64::MAX,
            is_stopped,
            next_check: 0,
            stopped: false,
            replies: Box::new([0; HISTORY]),
            attacks: Box::new([0; HISTORY]),
        }
    }

    /// Counts a node, and ends the search when it is over.
    #[inline]
    pub(super) fn count(&mut self) -> Answer<()> {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.next_check = self.nodes + CHECK_INTERVAL;
            self.stopped |= (self.is_stopped)();
        }
        if self.stopped || self.nodes > self.node_limit {
            return Err(Stopped);
        }
        Ok(())
    }

    /// Whether the search was told to end, rather than out of its nodes.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether the side to move wins within `moves` moves, of which there is at
    /// least one.
    pub(super) fn attack(&mut self, position: &Position, moves: u8) -> Answer<bool> {
        self.count()?;
        if let Some(won) = self.decided(position, moves) {
            return Ok(won);
        }
        let key = key(position, 2 * u32::from(moves) - 1);
        let known = self.table.probe(key);
        if let Some(wins) = known.and_then(|entry| entry.verdict(moves)) {
            return Ok(wins);
        }
        let best = known.map_or(PackedMove::NONE, |entry| entry.best);
        let before = self.nodes;
        let mut list = self.moves(position, best, &self.attacks);
        let mut winner = None;
        while let Some(m) = next(&mut list) {
            if self.defend(&position.after(m), moves - 1)? {
                winner = Some(m);
                credit(&mut self.attacks, position, m, moves);
                break;
            }
        }
        let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
        self.table
            .settle(key, moves, winner.is_some(), winner, work);
        Ok(winner.is_some())
    }

    /// Whether the side not to move has won or wins within `moves` more moves.
    pub(super) fn defend(&mut self, position: &Position, moves: u8) -> Answer<bool> {
        self.count()?;
        if let Some(won) = self.settled(position, moves) {
            return Ok(won);
        }
        let key = key(position, 2 * u32::from(moves));
        let known = self.table.probe(key);
        if moves > 1
            && let Some(wins) = known.and_then(|entry| entry.verdict(moves))
        {
            return Ok(wins);
        }
        let best = known.map_or(PackedMove::NONE, |entry| entry.best);
        let before = self.nodes;
        let mut list = self.moves(position, best, &self.replies);
        if list.is_empty() {
            return Ok(position.is_check());
        }
        let mut refutation = None;
        while let Some(m) = next(&mut list) {
            if !self.attack(&position.after(m), moves)? {
                refutation = Some(m);
                credit(&mut self.replies, position, m, moves);
                break;
            }
        }
        if moves > 1 {
            let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
            self.table
                .settle(key, moves, refutation.is_none(), refutation, work);
        }
        Ok(refutation.is_none())
    }

    /// What needs no search at a node of the attacker: a draw, a blast, or the
    /// last move.
    pub(super) fn decided(&self, position: &Position, moves: u8) -> Option<bool> {
        if self.is_drawn(position) {
            return Some(false);
        }
        if movegen::king_blast(position, position.turn()).is_some() {
            return Some(true);
        }
        (moves == 1).then(|| checkmating_move(position).is_some())
    }

    /// What needs no search at a node of the defender, who is to move: the game
    /// is over, he explodes the other king, or there is no time left.
    pub(super) fn settled(&self, position: &Position, moves: u8) -> Option<bool> {
        if position.king_is_gone() {
            return Some(true);
        }
        if movegen::king_blast(position, position.turn()).is_some() {
            return Some(false);
        }
        if moves == 0 {
            return Some(is_checkmate(position));
        }
        let drawn = self.is_drawn(position)
            || insufficient_material(
                position.board(),
                position.ruleset(),
                MaterialRule::default(),
            );
        drawn.then(|| is_checkmate(position))
    }

    /// Whether the fifty-move rule or an earlier repetition ends the game here.
    fn is_drawn(&self, position: &Position) -> bool {
        position.halfmoves() >= 100 || self.drawn.contains(&position.key())
    }

    /// The legal moves of a node, with the promise that each had before.
    pub(super) fn ordered_moves(
        &self,
        position: &Position,
        moves: u8,
        attacking: bool,
    ) -> Vec<(u32, Move)> {
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        let known = self.table.probe(key);
        let best = known.map_or(PackedMove::NONE, |entry| entry.best);
        let history = if attacking {
            &self.attacks
        } else {
            &self.replies
        };
        self.moves(position, best, history)
    }

    /// The legal moves with their promise.
    fn moves(
        &self,
        position: &Position,
        best: PackedMove,
        history: &[u32; HISTORY],
    ) -> Vec<(u32, Move)> {
        let legality = Legality::new(position);
        let mut list = Vec::with_capacity(48);
        movegen::all(position, |m| {
            if legality.allows(m) {
                let promise = if PackedMove::new(m) == best {
                    u32::MAX
                } else {
                    history[index(position, m)]
                };
                list.push((promise, m));
            }
        });
        list
    }
}

/// Takes the most promising move out of the list.
pub(super) fn next(list: &mut Vec<(u32, Move)>) -> Option<Move> {
    let (index, _) = list
        .iter()
        .enumerate()
        .max_by_key(|(_, (promise, _))| *promise)?;
    Some(list.swap_remove(index).1)
}

fn index(position: &Position, m: Move) -> usize {
    let man = m.role() as usize - 1 + 6 * usize::from(position.turn().is_black());
    man * 64 + m.to() as usize
}

fn credit(history: &mut [u32; HISTORY], position: &Position, m: Move, moves: u8) {
    let value = &mut history[index(position, m)];
    *value += u32::from(moves) * u32::from(moves);
    if *value > 1 << 28 {
        for value in history.iter_mut() {
            *value /= 2;
        }
    }
}

/// The key of a position in the table, with `plies` still to be played. Where
/// the fifty-move rule could still end the game, the count of moves belongs to
/// it.
pub(super) fn key(position: &Position, plies: u32) -> u64 {
    let halfmoves = position.halfmoves();
    if halfmoves + plies < 100 {
        position.key()
    } else {
        position.key() ^ (u64::from(halfmoves) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
