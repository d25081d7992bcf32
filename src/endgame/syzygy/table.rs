//! From the values of an ending to its two files.
//!
//! Readers look at captures themselves, so where a capture is best a WDL table
//! may hold any lower value, and a DTZ table anything where a capture or pawn
//! move wins. Whatever compresses best goes there.
//!
//! A DTZ table has one side to move, and counts moves, not plies, unless some
//! distance is so near the fifty-move limit that a ply decides. What readers
//! say may therefore be one ply less than the truth, and, where they look a
//! move ahead for the side that is not there, one less for that side, too.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use arrayvec::ArrayVec;
use rayon::prelude::*;
use shakmaty::{Color, Piece, Role, Square};
use thiserror::Error;

use super::{
    file::{Kind, Part, Side, flag, write},
    numbering::{Numbering, unlike_men},
};
use crate::endgame::{
    generate::{
        Solution,
        solution::{DRAW, FIFTY_MOVES, ILLEGAL, wdl_of},
        space::Squares,
    },
    material::{MAX_MEN, Material},
};

/// The DTZ values of an ending are more than a file of the usual kind names.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("{0} has wins too long for its DTZ file")]
pub struct TooLong(pub Material);

/// Marks a value that may be anything up to what the other bits say.
const AT_MOST: u16 = 0x8000;
/// A value that may be anything.
const ANY: u16 = u16::MAX;

/// Positions from which the best order of men is told.
const SAMPLE: usize = 20_000;

/// The WDL file.
#[must_use]
pub fn wdl_file(solution: &Solution) -> Vec<u8> {
    let sides: Vec<Side> = sides_of(solution)
        .par_iter()
        .map(|&turn| {
            let wanted = |index| wdl_wanted(solution, turn, index);
            smallest(solution, wanted, |values| Part {
                flags: 0,
                values,
                count: 5,
                maps: Vec::new(),
            })
        })
        .collect();
    write(Kind::Wdl, &sides)
}

/// The DTZ file, of the side to move for which it is smaller.
///
/// # Errors
///
/// [`TooLong`] if some distance cannot be written.
pub fn dtz_file(solution: &Solution) -> Result<Vec<u8>, TooLong> {
    let plies = counts_plies(solution);
    let longest = longest(solution);
    if longest / 2 > FIFTY_MOVES / 2 + 254 {
        return Err(TooLong(solution.space.material));
    }
    let files: Vec<Vec<u8>> = sides_of(solution)
        .par_iter()
        .map(|&turn| {
            let flags = if turn.is_black() { flag::BLACK } else { 0 }
                | if plies {
                    flag::WIN_PLIES | flag::LOSS_PLIES
                } else {
                    0
                };
            let wanted = |index| dtz_wanted(solution, turn, index, plies);
            let side = smallest(solution, wanted, |values| mapped(values, flags));
            write(Kind::Dtz, &[side])
        })
        .collect();
    let smallest = files.into_iter().min_by_key(Vec::len);
    Ok(smallest.unwrap_or_default())
}

/// The sides to move that are stored: White alone if both have the same men.
fn sides_of(solution: &Solution) -> &'static [Color] {
    if solution.space.material.is_symmetric() {
        &[Color::White]
    } else {
        &Color::ALL
    }
}

fn wdl_wanted(solution: &Solution, turn: Color, index: usize) -> u16 {
    let value = solution.value(turn, index);
    if value == ILLEGAL {
        return ANY;
    }
    let wdl = wdl_of(value);
    let stored = (wdl + 2) as u16;
    if solution.resets(turn, index).capture == Some(wdl) && stored > 0 {
        AT_MOST | stored
    } else {
        stored
    }
}

/// A distance with its class (win, loss, cursed win, blessed loss) in the two
/// bits above the lowest eight.
fn dtz_wanted(solution: &Solution, turn: Color, index: usize, plies: bool) -> u16 {
    let value = solution.value(turn, index);
    if value == ILLEGAL || value == DRAW {
        return ANY;
    }
    if value > DRAW && solution.resets(turn, index).any == Some(wdl_of(value)) {
        return ANY;
    }
    let distance = value.unsigned_abs() - 1;
    let limit = FIFTY_MOVES.unsigned_abs();
    let class = u16::from(value < DRAW) | u16::from(distance >= limit) << 1;
    let stored = match distance.checked_sub(limit) {
        Some(beyond) => beyond / 2,
        None if plies => distance,
        None => distance / 2,
    };
    class << 8 | stored
}

/// Whether some distance is so near the limit that a ply more or less matters.
fn counts_plies(solution: &Solution) -> bool {
    let near = FIFTY_MOVES.unsigned_abs() - 1..=FIFTY_MOVES.unsigned_abs();
    Color::ALL.into_iter().any(|turn| {
        let values = solution.values(turn).par_iter();
        values
            .into_par_iter()
            .any(|value| near.contains(&value.unsigned_abs()))
    })
}

fn longest(solution: &Solution) -> i16 {
    let values = Color::ALL
        .into_iter()
        .flat_map(|turn| solution.values(turn));
    let longest = values.filter(|&&value| value != ILLEGAL);
    longest.map(|value| value.abs()).max().unwrap_or(0)
}

/// Replaces distances by their ranks, the most frequent first, for each class.
fn mapped(mut values: Vec<u16>, flags: u8) -> Part {
    let mut counts = [[0_u32; 256]; 4];
    for value in &values {
        counts[usize::from(value >> 8)][usize::from(value & 255)] += 1;
    }
    let maps = counts.map(|counts| {
        let mut used: Vec<u8> = (0..=255).filter(|&v| counts[usize::from(v)] > 0).collect();
        used.sort_by_key(|&value| std::cmp::Reverse(counts[usize::from(value)]));
        used
    });
    if maps.iter().flatten().all(|&value| value == 0) {
        values.fill(0);
        return Part {
            flags,
            values,
            count: 1,
            maps: Vec::new(),
        };
    }
    let mut ranks = [[0_u16; 256]; 4];
    for (ranks, map) in ranks.iter_mut().zip(&maps) {
        for (rank, &value) in map.iter().enumerate() {
            ranks[usize::from(value)] = rank as u16;
        }
    }
    for value in &mut values {
        *value = ranks[usize::from(*value >> 8)][usize::from(*value & 255)];
    }
    let count = maps.iter().map(Vec::len).max().unwrap_or(1) as u16;
    Part {
        flags: flags | flag::MAPPED,
        values,
        count,
        maps: maps.to_vec(),
    }
}

/// The side of a table with its men in the order that promises the smallest
/// file: the leading group varies slowest, or fastest if fewer neighbours
/// differ then.
fn smallest(
    solution: &Solution,
    wanted: impl Fn(usize) -> u16 + Sync,
    part: impl Fn(Vec<u16>) -> Part + Sync,
) -> Side {
    let men = ordered(solution, &wanted);
    let arranged = |place: usize| {
        let numbering = Numbering::new(&men, place);
        let parts = scattered(solution, &numbering, &wanted);
        let parts = parts.into_iter().map(|values| part(settled(values)));
        Side {
            parts: parts.collect(),
            numbering,
        }
    };
    let slowest = Numbering::new(&men, 0).other_groups();
    let has_choice = solution.space.pawns == 0 && slowest > 0;
    let (slow, fast) = rayon::join(|| arranged(slowest), || has_choice.then(|| arranged(0)));
    match fast {
        Some(fast) if changes(&fast) < changes(&slow) => fast,
        _ => slow,
    }
}

/// How often neighbouring values differ.
fn changes(side: &Side) -> usize {
    let parts = side.parts.iter();
    parts
        .map(|part| {
            part.values
                .windows(2)
                .filter(|pair| pair[0] != pair[1])
                .count()
        })
        .sum()
}

/// The men in an order in which neighbouring numbers have like values: those
/// whose step to the next square changes the value most come first.
fn ordered(
    solution: &Solution,
    wanted: &(impl Fn(usize) -> u16 + Sync),
) -> ArrayVec<Piece, MAX_MEN> {
    let space = &solution.space;
    let mut rates: Vec<(Piece, f64)> = Vec::new();
    for (place, &man) in space.men.iter().enumerate() {
        let rate = change_rate(solution, place, wanted);
        rates.push((man, rate));
    }
    let rate_of = |man: Piece| {
        let found = rates.iter().find(|(other, _)| *other == man);
        found.map_or(0.0, |(_, rate)| *rate)
    };
    let key = |man: Piece| (man.color.is_black(), u8::from(man.role));
    let mut men: ArrayVec<Piece, MAX_MEN> = space.men.clone();
    men.sort_by(|&a, &b| {
        let by_rate = rate_of(b).total_cmp(&rate_of(a));
        by_rate.then_with(|| key(a).cmp(&key(b)))
    });
    if space.pawns > 0 {
        // Pawns lead, those of the side with fewer first; of the others the
        // fastest come first.
        let pawns = Color::ALL.map(|color| space.material.pawns_of(color));
        let lead = Color::from_black(pawns[0] == 0 || (pawns[1] > 0 && pawns[1] < pawns[0]));
        men.sort_by_key(|man| match man.role {
            Role::Pawn => u8::from(man.color != lead),
            _ => 2,
        });
        men[space.pawns..].reverse();
        return men;
    }
    // Three men of which there is one each lead, or the kings; the others
    // follow, the fastest first.
    let copies = |man: Piece| rates.iter().filter(|(other, _)| *other == man).count();
    let mut lead: ArrayVec<Piece, MAX_MEN> = if unlike_men(&men) < 3 {
        Color::ALL.iter().map(|color| color.king()).collect()
    } else {
        let unlike = men.iter().copied().filter(|&man| copies(man) == 1);
        unlike.take(3).collect()
    };
    let others: ArrayVec<Piece, MAX_MEN> = men
        .into_iter()
        .rev()
        .filter(|man| !lead.contains(man))
        .collect();
    lead.extend(others);
    lead
}

/// In how many of the sampled positions the value changes when a man goes to
/// the next square.
fn change_rate(solution: &Solution, man: usize, wanted: &(impl Fn(usize) -> u16 + Sync)) -> f64 {
    let space = &solution.space;
    let step = (space.size() / SAMPLE).max(1) | 1;
    let (changed, all) = (0..space.size())
        .into_par_iter()
        .step_by(step)
        .filter_map(|index| {
            let squares = space.squares(index);
            let next = u32::from(squares.get(man)) + 1;
            if next % 8 == 0 {
                return None;
            }
            let other = space.index(squares.with(man, Square::new(next)));
            let (a, b) = (wanted(index), wanted(other));
            (a != ANY && b != ANY).then(|| (u32::from(!agree(a, b)), 1))
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    f64::from(changed) / f64::from(all.max(1))
}

/// Whether one value can stand for both.
fn agree(a: u16, b: u16) -> bool {
    a == b || allows(a, b) || allows(b, a) || (a & b & AT_MOST != 0)
}

/// Whether a place that wants `wanted` may hold `value`.
fn allows(wanted: u16, value: u16) -> bool {
    wanted & AT_MOST != 0 && value & AT_MOST == 0 && value <= wanted & !AT_MOST
}

/// All wanted values by their numbers in the file, part by part.
fn scattered(
    solution: &Solution,
    numbering: &Numbering,
    wanted: &(impl Fn(usize) -> u16 + Sync),
) -> Vec<Vec<u16>> {
    let space = &solution.space;
    let places = places(&space.men, &numbering.men);
    let parts: Vec<Vec<AtomicU16>> = (0..numbering.parts())
        .map(|part| {
            (0..numbering.size(part))
                .map(|_| AtomicU16::new(ANY))
                .collect()
        })
        .collect();
    (0..space.size()).into_par_iter().for_each(|index| {
        let value = wanted(index);
        if value == ANY {
            return;
        }
        let squares: Squares = space.squares(index);
        let mut on = [Square::A1; MAX_MEN];
        for (on, &man) in on.iter_mut().zip(&places) {
            *on = squares.get(man);
        }
        let (part, number) = numbering.number(&on[..places.len()]);
        parts[part][number as usize].store(value, Relaxed);
    });
    let inner = |part: Vec<AtomicU16>| part.into_iter().map(AtomicU16::into_inner).collect();
    parts.into_iter().map(inner).collect()
}

/// For each man of the file, its place in the numbering of the solution.
fn places(from: &[Piece], men: &[Piece]) -> ArrayVec<usize, MAX_MEN> {
    let mut places: ArrayVec<usize, MAX_MEN> = ArrayVec::new();
    for man in men {
        let fits = |place: &usize| from[*place] == *man && !places.contains(place);
        let place = (0..from.len()).find(fits);
        places.extend(place);
    }
    places
}

/// Chooses values for the places that leave a choice: the same as a neighbour
/// where possible.
fn settled(mut values: Vec<u16>) -> Vec<u16> {
    let mut at = 0;
    while at < values.len() {
        if values[at] & AT_MOST == 0 {
            at += 1;
            continue;
        }
        let run = values[at..]
            .iter()
            .take_while(|&&value| value & AT_MOST != 0);
        let (len, lowest) = run.fold((0, ANY), |(len, low), &value| (len + 1, low.min(value)));
        let end = at + len;
        let left = at.checked_sub(1).map(|before| values[before]);
        let right = values.get(end).copied();
        let suits = |value: &u16| allows(lowest, *value);
        match left.filter(suits).or(right.filter(suits)) {
            Some(value) => values[at..end].fill(value),
            None => {
                let mut last = left;
                for value in &mut values[at..end] {
                    let chosen = last.filter(|&last| allows(*value, last));
                    *value = chosen.unwrap_or(if *value == ANY { 0 } else { *value & !AT_MOST });
                    last = Some(*value);
                }
            }
        }
        at = end;
    }
    values
}
