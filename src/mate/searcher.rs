//! The search of every move of the attacker and every reply, for short wins.
//!
//! A node asks whether the attacker wins within so many moves. The number falls
//! with each move, so nothing is repeated on the way and every answer is exact:
//! there is no pruning here but what the rules allow. Its speed comes from
//! refuting the attacker's moves with the reply that refuted the last ones,
//! and from the last move being looked up, not searched.
//!
//! The same search with [`THREATS`] tries only moves of the attacker that
//! threaten to explode or take the king. Most wins are chains of such moves,
//! and few replies meet them, so it finds many wins at once; that it finds none
//! proves nothing about the others.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    check::{checkmating_move, is_checkmate},
    solver::MAX_MOVES,
    table::Table,
    threats::Threats,
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
/// The attacker's moves that threaten the king come before all but the best.
const THREAT: u32 = 1 << 30;
/// A reply that refuted lately comes before all but the best.
const REFUTER: u32 = u32::MAX - 1;
/// Tells the entries of the search of threats from those of all moves.
pub(super) const THREATS_KEY: u64 = 0x5bd1_e995_97f4_a7c5;

/// The attacker tries every move.
pub(super) const ALL: bool = false;
/// The attacker tries only moves that threaten the king.
pub(super) const THREATS: bool = true;

/// One attempt to solve one position.
pub(super) struct Searcher<'a> {
    pub(super) table: &'a mut Table,
    /// Positions that occurred twice before: a third time is a draw.
    pub(super) drawn: &'a [u64],
    pub(super) nodes: u64,
    /// The search ends here.
    pub(super) node_limit: u64,
    pub(super) is_stopped: &'a dyn Fn() -> bool,
    /// Any proved win will do: lengths are those of wins by threats.
    pub(super) any_length: bool,
    next_check: u64,
    stopped: bool,
    replies: Box<[u32; HISTORY]>,
    attacks: Box<[u32; HISTORY]>,
    /// The two replies that refuted last, by moves left.
    refuters: [[PackedMove; 2]; MAX_MOVES as usize + 1],
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
            any_length: false,
            next_check: 0,
            stopped: false,
            replies: Box::new([0; HISTORY]),
            attacks: Box::new([0; HISTORY]),
            refuters: [[PackedMove::NONE; 2]; MAX_MOVES as usize + 1],
        }
    }

    /// Goes on without limits, as what is proved is told.
    pub(super) fn lift_limits(&mut self, is_stopped: &'a dyn Fn() -> bool) {
        self.node_limit = u64::MAX;
        self.is_stopped = is_stopped;
        self.stopped = false;
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
    /// least one; with [`THREATS`], by threats alone.
    pub(super) fn attack<const KIND: bool>(
        &mut self,
        position: &Position,
        moves: u8,
    ) -> Answer<bool> {
        self.count()?;
        if let Some(won) = self.decided(position, moves) {
            return Ok(won);
        }
        let key = key(position, 2 * u32::from(moves) - 1);
        let known = self.table.probe(key);
        if let Some(wins) = known.and_then(|entry| entry.verdict(moves)) {
            return Ok(wins);
        }
        let mut best = known.map_or(PackedMove::NONE, |entry| entry.best);
        if KIND == THREATS
            && let Some(entry) = self.table.probe(key ^ THREATS_KEY)
        {
            if entry.verdict(moves) == Some(false) {
                return Ok(false);
            }
            best = entry.best;
        }
        let before = self.nodes;
        let winner = self.winner::<KIND>(position, moves, best, &[])?;
        let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
        let won = winner.is_some();
        let salt = if KIND == THREATS && !won {
            THREATS_KEY
        } else {
            0
        };
        self.table.settle(key ^ salt, moves, won, winner, work);
        Ok(won)
    }

    /// The move by which the side to move wins within `moves` moves, if there
    /// is one; among `allowed` unless that is empty.
    pub(super) fn winner<const KIND: bool>(
        &mut self,
        position: &Position,
        moves: u8,
        best: PackedMove,
        allowed: &[Move],
    ) -> Answer<Option<Move>> {
        let threats = Threats::new(position);
        let mut list = self.attacks(position, best, &threats, KIND);
        while let Some(m) = next(&mut list) {
            if !allowed.is_empty() && !allowed.contains(&m) {
                continue;
            }
            let next = position.after(m);
            if KIND == THREATS && !next.king_is_gone() && !threats.made(&next) {
                continue;
            }
            if self.defend::<KIND>(&next, moves - 1)? {
                credit(&mut self.attacks, position, m, moves);
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// Whether the side not to move has won or wins within `moves` more moves.
    pub(super) fn defend<const KIND: bool>(
        &mut self,
        position: &Position,
        moves: u8,
    ) -> Answer<bool> {
        self.count()?;
        if let Some(won) = self.settled(position, moves) {
            return Ok(won);
        }
        let key = key(position, 2 * u32::from(moves));
        let mut best = PackedMove::NONE;
        if moves > 1 {
            if let Some(entry) = self.table.probe(key) {
                if let Some(wins) = entry.verdict(moves) {
                    return Ok(wins);
                }
                best = entry.best;
            }
            if KIND == THREATS
                && let Some(entry) = self.table.probe(key ^ THREATS_KEY)
            {
                if entry.verdict(moves) == Some(false) {
                    return Ok(false);
                }
                best = entry.best;
            }
        }
        let before = self.nodes;
        let refutation = self.refutation::<KIND>(position, moves, best)?;
        if refutation == Refutation::Stalemate {
            return Ok(false);
        }
        let won = refutation == Refutation::None;
        if moves > 1 {
            let reply = match refutation {
                Refutation::Reply(m) => Some(m),
                _ => None,
            };
            let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
            let salt = if KIND == THREATS && !won {
                THREATS_KEY
            } else {
                0
            };
            self.table.settle(key ^ salt, moves, won, reply, work);
        }
        Ok(won)
    }

    /// What refutes the attack at a node of the defender.
    fn refutation<const KIND: bool>(
        &mut self,
        position: &Position,
        moves: u8,
        best: PackedMove,
    ) -> Answer<Refutation> {
        let legality = Legality::new(position);
        let [first, second] = self.refuters[usize::from(moves)];
        let mut tried = ArrayVec::<Move, 3>::new();
        for packed in [best, first, second] {
            if let Some(m) = packed.unpack(position)
                && !tried.contains(&m)
                && legality.allows(m)
            {
                if !self.attack::<KIND>(&position.after(m), moves)? {
                    self.credit_reply(position, m, moves);
                    return Ok(Refutation::Reply(m));
                }
                tried.push(m);
            }
        }
        let mut list = self.replies(position, &legality);
        if list.is_empty() && !legality.in_check() {
            return Ok(Refutation::Stalemate);
        }
        while let Some(m) = next(&mut list) {
            if !tried.contains(&m) && !self.attack::<KIND>(&position.after(m), moves)? {
                self.credit_reply(position, m, moves);
                return Ok(Refutation::Reply(m));
            }
        }
        Ok(Refutation::None)
    }

    fn credit_reply(&mut self, position: &Position, m: Move, moves: u8) {
        credit(&mut self.replies, position, m, moves);
        let refuters = &mut self.refuters[usize::from(moves)];
        let packed = PackedMove::new(m);
        if refuters[0] != packed {
            *refuters = [packed, refuters[0]];
        }
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

    /// The legal moves of a node with their promise.
    pub(super) fn ordered_moves(
        &self,
        position: &Position,
        moves: u8,
        attacking: bool,
    ) -> Vec<(u32, Move)> {
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        let known = self.table.probe(key);
        let best = known.map_or(PackedMove::NONE, |entry| entry.best);
        if attacking {
            self.attacks(position, best, &Threats::new(position), ALL)
        } else {
            let refuters = self.refuters[usize::from(moves)];
            let mut list = self.replies(position, &Legality::new(position));
            for (promise, m) in &mut list {
                let packed = PackedMove::new(*m);
                if packed == best {
                    *promise = u32::MAX;
                } else if refuters.contains(&packed) {
                    *promise = REFUTER;
                }
            }
            list
        }
    }

    /// The attacker's legal moves with their promise: all, or those that may
    /// threaten the king.
    fn attacks(
        &self,
        position: &Position,
        best: PackedMove,
        threats: &Threats,
        kind: bool,
    ) -> Vec<(u32, Move)> {
        let legality = Legality::new(position);
        let mut list = Vec::with_capacity(48);
        movegen::all(position, |m| {
            let threatens = threats.may_be_made_by(m);
            if (kind == ALL || threatens) && legality.allows(m) {
                let promise = if PackedMove::new(m) == best {
                    u32::MAX
                } else {
                    self.attacks[index(position, m)] + u32::from(threatens) * THREAT
                };
                list.push((promise, m));
            }
        });
        list
    }

    /// The defender's legal moves with their promise.
    fn replies(&self, position: &Position, legality: &Legality<'_>) -> Vec<(u32, Move)> {
        let mut list = Vec::with_capacity(48);
        movegen::all(position, |m| {
            if legality.allows(m) {
                list.push((self.replies[index(position, m)], m));
            }
        });
        list
    }
}

/// What becomes of a defender.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Refutation {
    /// This reply holds.
    Reply(Move),
    /// No reply is needed.
    Stalemate,
    /// Nothing does.
    None,
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
