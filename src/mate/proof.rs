//! Proof-number search for long forced wins.
//!
//! Depth-first proof-number search (df-pn) walks to the node whose proof or
//! disproof needs the fewest open questions settled. In atomic chess most moves
//! answer a threat to explode the king with one or two replies, so wins of
//! fifteen moves are often narrow and found at once where a search of every
//! move would drown. Nodes ask the same question as the exhaustive search, with
//! a number of moves that falls, so that no answer depends on the way to a node
//! and the two share one table.

use shakmaty::Move;

use super::{
    searcher::{ALL, Answer, Searcher, THREATS, key, next},
    table::UNPROVED,
};
use crate::rules::{Legality, Position, movegen};

/// No finite number of open questions.
pub(super) const INFINITE: u32 = u32::MAX;
/// Sums stop here.
const MOST: u32 = INFINITE - 1;
/// Questions of so few moves are answered at once by trying every move.
const SMALL: u8 = 2;
/// Wins by threats of so few moves are looked for at every node.
const GLANCE: u8 = 3;

/// How many open questions must be answered to prove and to disprove a win, and
/// how long the win is once it is proved.
#[derive(Copy, Clone, Debug)]
pub(super) struct Numbers {
    proof: u32,
    disproof: u32,
    /// Moves to the end of the proof, [`UNPROVED`] before there is one.
    length: u8,
}

const LOST: Numbers = Numbers {
    proof: INFINITE,
    disproof: 0,
    length: UNPROVED,
};

impl Numbers {
    const fn won(length: u8) -> Numbers {
        Numbers {
            proof: 0,
            disproof: INFINITE,
            length,
        }
    }

    const fn of(won: bool, length: u8) -> Numbers {
        if won { Numbers::won(length) } else { LOST }
    }

    const fn open(proof: u32, disproof: u32) -> Numbers {
        Numbers {
            proof,
            disproof,
            length: UNPROVED,
        }
    }

    /// The answer, once there is one.
    const fn verdict(self) -> Option<bool> {
        match (self.proof, self.disproof) {
            (0, _) => Some(true),
            (_, 0) => Some(false),
            _ => None,
        }
    }
}

struct Child {
    m: Move,
    position: Position,
    numbers: Numbers,
}

impl Searcher<'_> {
    /// Whether the side to move wins within `moves` moves, with only `allowed`
    /// at this node unless that is empty.
    pub(super) fn prove(
        &mut self,
        position: &Position,
        moves: u8,
        allowed: &[Move],
    ) -> Answer<bool> {
        loop {
            let numbers = self.expand(position, moves, true, allowed, INFINITE, INFINITE)?;
            if let Some(won) = numbers.verdict() {
                return Ok(won);
            }
        }
    }

    /// The same for a node of the defender.
    pub(super) fn prove_reply(&mut self, position: &Position, moves: u8) -> Answer<bool> {
        if let Some(won) = self.settled(position, moves) {
            return Ok(won);
        }
        loop {
            let numbers = self.expand(position, moves, false, &[], INFINITE, INFINITE)?;
            if let Some(won) = numbers.verdict() {
                return Ok(won);
            }
        }
    }

    /// Works on a node until its numbers reach a bound.
    fn expand(
        &mut self,
        position: &Position,
        moves: u8,
        attacking: bool,
        allowed: &[Move],
        proof_bound: u32,
        disproof_bound: u32,
    ) -> Answer<Numbers> {
        self.count()?;
        let before = self.nodes;
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        let mut children = self.children(position, moves, attacking, allowed)?;
        if children.is_empty() {
            let mated = !attacking && position.is_check();
            if mated {
                self.table.settle(key, 0, true, None, 1);
            }
            return Ok(Numbers::of(mated, 0));
        }
        let below = if attacking { moves - 1 } else { moves };
        loop {
            let (numbers, best, second) = summary(&children, attacking);
            let done = numbers.proof >= proof_bound || numbers.disproof >= disproof_bound;
            if done || numbers.verdict().is_some() {
                let work = (self.nodes - before).min(u64::from(u32::MAX)) as u32;
                match numbers.verdict() {
                    _ if !allowed.is_empty() => {}
                    Some(won) => {
                        let decisive = (won == attacking).then(|| children[best].m);
                        let settled = if won { numbers.length } else { moves };
                        self.table.settle(key, settled, won, decisive, work);
                    }
                    None => self
                        .table
                        .estimate(key, numbers.proof, numbers.disproof, work),
                }
                return Ok(numbers);
            }
            // The numbers at which another child becomes more promising, or
            // this node's own bound is reached.
            let chosen = &children[best];
            let (mine, others) = if attacking {
                (proof_bound, disproof_bound)
            } else {
                (disproof_bound, proof_bound)
            };
            let own = second.saturating_add(1 + second / 4).min(mine);
            let (sum, part) = if attacking {
                (numbers.disproof, chosen.numbers.disproof)
            } else {
                (numbers.proof, chosen.numbers.proof)
            };
            let other = if others == INFINITE {
                INFINITE
            } else {
                others.saturating_sub(sum).saturating_add(part)
            };
            let (child_proof, child_disproof) = if attacking {
                (own, other)
            } else {
                (other, own)
            };
            let position = chosen.position.clone();
            children[best].numbers = self.expand(
                &position,
                below,
                !attacking,
                &[],
                child_proof,
                child_disproof,
            )?;
        }
    }

    /// The moves of a node and what is known of them. A single child if one
    /// decides.
    fn children(
        &mut self,
        position: &Position,
        moves: u8,
        attacking: bool,
        allowed: &[Move],
    ) -> Answer<Vec<Child>> {
        let mut list = self.ordered_moves(position, moves, attacking);
        if !allowed.is_empty() {
            list.retain(|(_, m)| allowed.contains(m));
        }
        let below = if attacking { moves - 1 } else { moves };
        let mut children = Vec::with_capacity(list.len());
        while let Some(m) = next(&mut list) {
            let next = position.after(m);
            let numbers = self.look(&next, below, !attacking)?;
            let child = Child {
                m,
                position: next,
                numbers,
            };
            if numbers.verdict() == Some(attacking) {
                return Ok(vec![child]);
            }
            children.push(child);
        }
        Ok(children)
    }

    /// What is known of a node before it is worked on.
    fn look(&mut self, position: &Position, moves: u8, attacking: bool) -> Answer<Numbers> {
        self.count()?;
        let decided = if attacking {
            self.decided(position, moves)
        } else {
            self.settled(position, moves)
        };
        if let Some(won) = decided {
            return Ok(Numbers::of(won, u8::from(attacking)));
        }
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        if let Some(entry) = self.table.probe(key) {
            if let Some(won) = entry.verdict(moves) {
                return Ok(Numbers::of(won, entry.wins));
            }
            if entry.proof > 0 && entry.disproof > 0 {
                return Ok(Numbers::open(entry.proof, entry.disproof));
            }
        }
        if moves <= SMALL {
            let won = if attacking {
                self.attack::<ALL>(position, moves)?
            } else {
                self.defend::<ALL>(position, moves)?
            };
            return Ok(Numbers::of(won, moves));
        }
        if attacking && self.attack::<THREATS>(position, GLANCE.min(moves))? {
            return Ok(Numbers::won(GLANCE.min(moves)));
        }
        let choices = choices(position);
        if attacking {
            return Ok(Numbers::open(1, choices));
        }
        // Few replies meet a threat to explode the king.
        let threat = movegen::king_blast(position, !position.turn()).is_some();
        let replies = if threat { choices.div_ceil(4) } else { choices };
        Ok(Numbers::open(replies, 1))
    }

    /// The number of moves in which the win is already proved to be possible
    /// here, if it is.
    pub(super) fn proved_within(
        &self,
        position: &Position,
        moves: u8,
        attacking: bool,
    ) -> Option<u8> {
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        let wins = self.table.probe(key)?.wins;
        (wins != UNPROVED && wins <= moves).then_some(wins)
    }
}

/// The number of legal moves, at least one.
fn choices(position: &Position) -> u32 {
    let legality = Legality::new(position);
    let mut count = 0;
    movegen::all(position, |m| count += u32::from(legality.allows(m)));
    count.max(1)
}

/// The numbers of a node, its most promising child, and how promising the next
/// one is.
fn summary(children: &[Child], attacking: bool) -> (Numbers, usize, u32) {
    let (mut best, mut least, mut second, mut sum) = (0, INFINITE, INFINITE, 0u32);
    for (index, child) in children.iter().enumerate() {
        let (own, other) = if attacking {
            (child.numbers.proof, child.numbers.disproof)
        } else {
            (child.numbers.disproof, child.numbers.proof)
        };
        if own < least || index == 0 {
            if index > 0 {
                second = least;
            }
            least = own;
            best = index;
        } else {
            second = second.min(own);
        }
        sum = sum.saturating_add(other);
    }
    // A deciding child makes the sum infinite; open ones only large.
    let decided = least == 0;
    let sum = if decided { INFINITE } else { sum.min(MOST) };
    let lengths = children
        .iter()
        .filter(|child| child.numbers.proof == 0)
        .map(|child| child.numbers.length);
    let numbers = if attacking {
        Numbers {
            proof: least,
            disproof: sum,
            length: lengths.min().map_or(UNPROVED, |length| length + 1),
        }
    } else {
        Numbers {
            proof: sum,
            disproof: least,
            length: lengths.max().filter(|_| sum == 0).unwrap_or(UNPROVED),
        }
    };
    (numbers, best, second)
}
