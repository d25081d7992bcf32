//! Computes a table by retrograde analysis.
//!
//! Slice by slice, those with the most advanced pawns first, so that what a
//! pawn move leads to is always known. Within a slice, the ends are found
//! first: mates, and positions that a capture or pawn move decides. From
//! there the analysis goes backwards, a ply at a time: before a loss in `n`
//! stands a win in `n + 1`, and before wins in at most `n` alone a loss.

use std::sync::atomic::{AtomicI16, AtomicU8, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use shakmaty::{Bitboard, Color};

use super::{
    moves::{View, Zeroing},
    solution::{DRAW, FIFTY_MOVES, ILLEGAL, Known, Resets, Solution, Wdl, wdl_of},
    space::Space,
};
use crate::endgame::material::Material;

/// Numbers that one task works on.
const CHUNK: usize = 1 << 13;

/// Asked now and then whether to give up.
pub type Interrupted<'a> = &'a (dyn Fn() -> bool + Sync);

/// Numbers of positions by the side to move.
type Positions = [Vec<u32>; 2];

/// Positions whose value is found before the analysis goes backwards.
#[derive(Default)]
struct Ends {
    mates: Positions,
    /// Won by a move that resets the count.
    wins: Positions,
    /// Only moves that reset the count, and all lose.
    losses: Positions,
    /// A move that resets the count wins but for the fifty-move rule.
    cursed: Positions,
    /// Only moves that reset the count, and the best leads to such a loss.
    blessed: Positions,
}

struct Solver<'a> {
    space: &'a Space,
    known: &'a Known,
    values: [Vec<AtomicI16>; 2],
    resets: [Vec<AtomicU8>; 2],
    interrupted: Interrupted<'a>,
}

/// Computes the table of `material`. `None` if interrupted.
///
/// # Panics
///
/// All endings that its moves lead to must be among the known ones.
#[must_use]
pub fn solve(material: Material, known: &Known, interrupted: Interrupted) -> Option<Solution> {
    let space = Space::new(material);
    let both = |()| (0..space.size()).map(|_| AtomicI16::new(ILLEGAL)).collect();
    let resets = |()| (0..space.size()).map(|_| AtomicU8::new(0)).collect();
    let solver = Solver {
        space: &space,
        known,
        values: [(), ()].map(both),
        resets: [(), ()].map(resets),
        interrupted,
    };
    let mut slices: Vec<usize> = (0..space.slices).collect();
    slices.sort_by_key(|&slice| std::cmp::Reverse(space.advancement(slice)));
    for level in slices.chunk_by(|&a, &b| space.advancement(a) == space.advancement(b)) {
        level.par_iter().for_each(|&slice| solver.slice(slice));
        if interrupted() {
            return None;
        }
    }
    let values = solver
        .values
        .map(|side| side.into_iter().map(AtomicI16::into_inner).collect());
    let resets = solver
        .resets
        .map(|side| side.into_iter().map(AtomicU8::into_inner).collect());
    Some(Solution {
        space,
        values,
        resets,
    })
}

const fn side(color: Color) -> usize {
    color.is_black() as usize
}

impl Solver<'_> {
    #[inline]
    fn value(&self, turn: Color, index: usize) -> i16 {
        self.values[side(turn)][index].load(Relaxed)
    }

    /// Gives an undecided position its value; `false` if it has one.
    #[inline]
    fn decide(&self, turn: Color, index: usize, value: i16) -> bool {
        self.values[side(turn)][index]
            .compare_exchange(DRAW, value, Relaxed, Relaxed)
            .is_ok()
    }

    #[inline]
    fn view(&self, index: usize) -> View<'_> {
        View::new(self.space, self.space.squares(index))
    }

    fn slice(&self, slice: usize) {
        let begin = slice * self.space.slice_len;
        let chunks = (begin..begin + self.space.slice_len)
            .into_par_iter()
            .step_by(CHUNK)
            // Given up, a slice stays unfinished: nobody reads it.
            .filter(|_| !(self.interrupted)())
            .map(|from| from..(from + CHUNK).min(begin + self.space.slice_len));
        chunks.clone().for_each(|chunk| {
            for index in chunk {
                let view = self.view(index);
                for turn in Color::ALL {
                    if view.is_legal(turn) {
                        self.values[side(turn)][index].store(DRAW, Relaxed);
                    }
                }
            }
        });
        let ends = chunks
            .map(|chunk| {
                let mut ends = Ends::default();
                for index in chunk {
                    for turn in Color::ALL {
                        if self.value(turn, index) != ILLEGAL {
                            self.classify(turn, index, &mut ends);
                        }
                    }
                }
                ends
            })
            .reduce(Ends::default, Ends::merged);
        self.go_back(begin, ends);
    }

    /// Notes what captures and pawn moves of a legal position lead to, and
    /// whether that decides it.
    fn classify(&self, turn: Color, index: usize, ends: &mut Ends) {
        let view = self.view(index);
        let resets = self.find_resets(&view, turn);
        self.resets[side(turn)][index].store(resets.pack(), Relaxed);
        let position = index as u32;
        if resets.any == Some(2) {
            ends.wins[side(turn)].push(position);
            return;
        }
        if resets.any == Some(1) {
            ends.cursed[side(turn)].push(position);
        }
        let stuck = view.all_after_steps(index, turn, |after| self.value(!turn, after) == ILLEGAL);
        if stuck {
            match resets.any {
                None if view.in_check(turn) => ends.mates[side(turn)].push(position),
                Some(-2) => ends.losses[side(turn)].push(position),
                Some(-1) => ends.blessed[side(turn)].push(position),
                _ => {}
            }
        }
    }

    fn find_resets(&self, view: &View, turn: Color) -> Resets {
        let mut resets = Resets::default();
        view.captures(turn, |m| {
            resets.capture = resets.capture.max(self.result(&m, turn))
        });
        resets.any = resets.capture;
        view.pawn_moves(turn, |m| resets.any = resets.any.max(self.result(&m, turn)));
        resets
    }

    /// The result of a move for the side that plays it; `None` if it turns out
    /// to be illegal.
    fn result(&self, m: &Zeroing, turn: Color) -> Option<Wdl> {
        let known = |board, turn| {
            let wdl = self.known.wdl(board, turn);
            wdl.expect("endings are computed after those they lead to")
        };
        match m {
            Zeroing::Explosion => Some(2),
            Zeroing::Leaves(board) => Some(-known(board, !turn)),
            Zeroing::Pushes {
                squares,
                en_passant,
            } => {
                let value = self.value(!turn, self.space.index(*squares));
                if value == ILLEGAL {
                    return None;
                }
                let quiet = wdl_of(value);
                let capture = en_passant
                    .iter()
                    .map(|after| after.as_ref().map_or(2, |board| -known(board, turn)))
                    .max();
                Some(-match capture {
                    None => quiet,
                    Some(capture) if quiet == 0 && capture < 0 => {
                        // The capture is forced if there is nothing else.
                        let forced = !View::new(self.space, *squares).has_move(!turn);
                        if forced { capture } else { quiet }
                    }
                    Some(capture) => quiet.max(capture),
                })
            }
        }
    }

    /// Goes backwards from the ends of the slice that begins at number `begin`.
    fn go_back(&self, begin: usize, mut ends: Ends) {
        let marks = Marks::new(begin, self.space.slice_len);
        let mut wins: Positions = ends.wins;
        let mut losses: Positions = ends.losses;
        for turn in Color::ALL {
            for &index in &wins[side(turn)] {
                self.decide(turn, index as usize, 1);
            }
            for &index in losses[side(turn)].iter().chain(&ends.mates[side(turn)]) {
                self.decide(turn, index as usize, -1);
            }
        }
        let before_mates = self.wins_before(&marks, &ends.mates, 1);
        wins = joined(wins, before_mates);
        let mut plies = 1;
        while !(self.interrupted)() {
            let mut next_losses = self.losses_before(&marks, &wins, plies + 1, &mut ends.blessed);
            let mut next_wins = self.wins_before(&marks, &losses, plies + 1);
            plies += 1;
            if plies == FIFTY_MOVES + 1 {
                let blessed = std::mem::take(&mut ends.blessed);
                next_losses = joined(next_losses, self.decided(blessed, -plies));
                let cursed = std::mem::take(&mut ends.cursed);
                next_wins = joined(next_wins, self.decided(cursed, plies));
            }
            (wins, losses) = (next_wins, next_losses);
            if is_empty(&wins) && is_empty(&losses) {
                if plies <= FIFTY_MOVES && !(is_empty(&ends.cursed) && is_empty(&ends.blessed)) {
                    plies = FIFTY_MOVES;
                } else {
                    break;
                }
            }
        }
    }

    /// Gives the undecided ones among `positions` a value and returns them.
    fn decided(&self, mut positions: Positions, value: i16) -> Positions {
        for turn in Color::ALL {
            positions[side(turn)].retain(|&index| self.decide(turn, index as usize, value));
        }
        positions
    }

    /// Decides the positions from which a step leads to one of `losses`.
    fn wins_before(&self, marks: &Marks, losses: &Positions, value: i16) -> Positions {
        self.before(marks, losses, |turn, index| self.decide(turn, index, value))
    }

    /// Decides the positions from which all moves lose, one of them to one of
    /// `wins`. Those whose loss the fifty-move rule prevents wait in `blessed`.
    fn losses_before(
        &self,
        marks: &Marks,
        wins: &Positions,
        plies: i16,
        blessed: &mut Positions,
    ) -> Positions {
        let mut losses = self.before(marks, wins, |turn, index| {
            self.value(turn, index) == DRAW && self.is_lost(turn, index)
        });
        for turn in Color::ALL {
            losses[side(turn)].retain(|&index| {
                let resets = self.resets[side(turn)][index as usize].load(Relaxed);
                if plies <= FIFTY_MOVES && Resets::unpack(resets).any == Some(-1) {
                    blessed[side(turn)].push(index);
                    false
                } else {
                    self.decide(turn, index as usize, -plies)
                }
            });
        }
        losses
    }

    /// Whether every move, step or other, loses.
    fn is_lost(&self, turn: Color, index: usize) -> bool {
        let resets = Resets::unpack(self.resets[side(turn)][index].load(Relaxed));
        resets.any.is_none_or(|best| best < 0)
            && self.view(index).all_after_steps(index, turn, |after| {
                let value = self.value(!turn, after);
                value > DRAW || value == ILLEGAL
            })
    }

    /// The positions from which a step leads to one of `positions` and that
    /// `is_wanted`, in the order of their numbers; it is asked once of each.
    fn before(
        &self,
        marks: &Marks,
        positions: &Positions,
        is_wanted: impl Fn(Color, usize) -> bool + Sync,
    ) -> Positions {
        let mut all = Positions::default();
        for turn in Color::ALL {
            let mover = !turn;
            positions[side(turn)]
                .par_chunks(CHUNK)
                .filter(|_| !(self.interrupted)())
                .for_each(|chunk| {
                    for &index in chunk {
                        let index = index as usize;
                        let mark = |before| marks.set(before);
                        self.view(index).each_before_step(index, mover, mark);
                    }
                });
            all[side(mover)] = marks.take(|index| is_wanted(mover, index));
        }
        all
    }
}

/// A set of positions of one slice, a bit each. Steps back from a long list
/// meet the same positions again and again, all over the table; collected here
/// first, each is looked at once, and one after the other as they lie in
/// memory.
struct Marks {
    begin: usize,
    words: Vec<AtomicU64>,
}

impl Marks {
    /// Words that one task takes.
    const CHUNK: usize = 1 << 9;

    /// An empty set of positions among the `len` from `begin` on.
    fn new(begin: usize, len: usize) -> Marks {
        let words = (0..len.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Marks { begin, words }
    }

    #[inline]
    fn set(&self, index: usize) {
        let (word, bit) = ((index - self.begin) / 64, 1 << ((index - self.begin) % 64));
        // Reading first keeps the line shared where the bit is set already.
        if self.words[word].load(Relaxed) & bit == 0 {
            self.words[word].fetch_or(bit, Relaxed);
        }
    }

    /// Empties the set and returns the positions that are wanted, in order.
    fn take(&self, is_wanted: impl Fn(usize) -> bool + Sync) -> Vec<u32> {
        let chunks = self.words.par_chunks(Marks::CHUNK).enumerate();
        let wanted = chunks.map(|(chunk, words)| {
            let mut wanted = Vec::new();
            for (i, word) in words.iter().enumerate() {
                if word.load(Relaxed) == 0 {
                    continue;
                }
                let first = self.begin + (chunk * Marks::CHUNK + i) * 64;
                for bit in Bitboard(word.swap(0, Relaxed)) {
                    let index = first + bit.to_usize();
                    if is_wanted(index) {
                        wanted.push(index as u32);
                    }
                }
            }
            wanted
        });
        wanted.reduce(Vec::new, |mut a, mut b| {
            a.append(&mut b);
            a
        })
    }
}

impl Ends {
    fn merged(self, other: Ends) -> Ends {
        Ends {
            mates: joined(self.mates, other.mates),
            wins: joined(self.wins, other.wins),
            losses: joined(self.losses, other.losses),
            cursed: joined(self.cursed, other.cursed),
            blessed: joined(self.blessed, other.blessed),
        }
    }
}

fn joined(mut a: Positions, b: Positions) -> Positions {
    for (a, b) in a.iter_mut().zip(b) {
        a.extend(b);
    }
    a
}

fn is_empty(positions: &Positions) -> bool {
    positions.iter().all(Vec::is_empty)
}
