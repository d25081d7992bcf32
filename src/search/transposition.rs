//! The transposition table: what the search knows of positions, shared by all
//! threads without locks.
//!
//! An entry is two words, the data and the key mixed with the data. A torn
//! write makes a key that fits nothing, so readers need no lock. Four entries
//! share a cache line.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::Relaxed};

use thiserror::Error;

use super::score::{Bound, Score, TABLE_BOUND, UNKNOWN};
use crate::{
    memory::{Pages, prefetch},
    rules::PackedMove,
};

const MIB: usize = 1 << 20;
/// Entries that share a cache line.
const BUCKET: usize = 4;
/// Searches are counted modulo this, for ageing.
const GENERATIONS: u8 = 32;
/// The size that a fresh engine has, in MiB.
pub const DEFAULT_MIB: usize = 16;
/// The largest size that may be asked for, in MiB.
pub const MAX_MIB: usize = 1 << 20;

#[derive(Default)]
struct Entry {
    /// The position's key, exclusive-or the data.
    check: AtomicU64,
    data: AtomicU64,
}

#[repr(align(64))]
struct Bucket([Entry; BUCKET]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// What the table knows of a position.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Hit {
    /// The best move found, or the one that refuted.
    pub best: PackedMove,
    /// The value, with mates and wins by tables counted from the position asked about.
    pub score: Score,
    /// The static evaluation, or [`UNKNOWN`].
    pub evaluation: Score,
    /// How deep the position was searched.
    pub depth: i32,
    /// What `score` says.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub was_pv: bool,
}

impl Hit {
    /// The static evaluation and nothing else.
    #[must_use]
    pub const fn evaluated(evaluation: Score) -> Hit {
        Hit {
            best: PackedMove::NONE,
            score: UNKNOWN,
            evaluation,
            depth: 0,
            bound: Bound::None,
            was_pv: false,
        }
    }
}

/// The table could not be had in this size.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("a hash table of {mib} MiB cannot be had: {available} MiB of memory are free")]
pub struct TooLarge {
    /// The size asked for.
    pub mib: usize,
    /// What the machine has left.
    pub available: usize,
}

/// A lock-free hash table of search results.
pub struct Table {
    memory: Pages,
    count: usize,
    generation: AtomicU8,
    /// Whether anything may have been stored.
    used: AtomicBool,
}

impl Table {
    /// An empty table of `mib` MiB, of which `reusable` are about to be freed.
    /// Memory is taken as it is first used.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the machine does not have that much memory.
    pub fn new(mib: usize, reusable: usize) -> Result<Table, TooLarge> {
        let mib = mib.clamp(1, MAX_MIB);
        let available = available_mib().map(|free| free + reusable);
        let too_large = || TooLarge {
            mib,
            available: available.unwrap_or(0),
        };
        if available.is_some_and(|available| mib > available) {
            return Err(too_large());
        }
        let count = mib * MIB / size_of::<Bucket>();
        let memory = Pages::new(count * size_of::<Bucket>()).ok_or_else(too_large)?;
        Ok(Table {
            memory,
            count,
            generation: AtomicU8::new(0),
            used: AtomicBool::new(false),
        })
    }

    fn buckets(&self) -> &[Bucket] {
        // SAFETY: `count` buckets fit the pages, which are aligned for them and
        // live as long as self; zeroes are valid atomics.
        unsafe { std::slice::from_raw_parts(self.memory.start().cast().as_ptr(), self.count) }
    }

    /// The size in MiB.
    #[must_use]
    pub fn mib(&self) -> usize {
        self.count * size_of::<Bucket>() / MIB
    }

    /// Forgets everything, on all cores. Costs nothing if no search has used
    /// the table.
    pub fn clear(&mut self) {
        use rayon::prelude::*;
        if !std::mem::take(self.used.get_mut()) {
            return;
        }
        *self.generation.get_mut() = 0;
        // SAFETY: `count` buckets were allocated and zeroes are valid atomics;
        // nobody else can look while this is borrowed mutably.
        let buckets = unsafe {
            std::slice::from_raw_parts_mut(
                self.memory
                    .start()
                    .as_ptr()
                    .cast::<[u8; size_of::<Bucket>()]>(),
                self.count,
            )
        };
        buckets
            .par_chunks_mut(1 << 16)
            .for_each(|chunk| chunk.as_flattened_mut().fill(0));
    }

    /// Starts a new search: older entries give way first from now on.
    pub fn age(&self) {
        let next = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Relaxed);
        self.used.store(true, Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.count as u128) >> 64;
        &self.buckets()[index as usize]
    }

    /// Asks the processor to load what [`probe`](Table::probe) will read.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// What is known of the position with this key, reached at `ply`.
    #[inline]
    #[must_use]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        self.bucket(key).0.iter().find_map(|entry| {
            let data = entry.data.load(Relaxed);
            (entry.check.load(Relaxed) ^ data == key && data != 0).then(|| unpack(data, ply))
        })
    }

    /// Stores what was found of a position at `ply`.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, hit: Hit) {
        let generation = self.generation.load(Relaxed);
        let bucket = self.bucket(key);
        let mut slot = &bucket.0[0];
        let mut lowest = i32::MAX;
        for entry in &bucket.0 {
            let data = entry.data.load(Relaxed);
            if entry.check.load(Relaxed) ^ data == key {
                let old = unpack(data, ply);
                let keep = hit.bound != Bound::Exact
                    && data_generation(data) == generation
                    && hit.depth + 4 + 2 * i32::from(hit.was_pv) <= old.depth;
                if keep {
                    return;
                }
                let best = if hit.best.is_some() {
                    hit.best
                } else {
                    old.best
                };
                let data = pack(Hit { best, ..hit }, ply, generation);
                entry.data.store(data, Relaxed);
                entry.check.store(key ^ data, Relaxed);
                return;
            }
            let age = i32::from((GENERATIONS + generation - data_generation(data)) % GENERATIONS);
            let worth = if data == 0 {
                i32::MIN
            } else {
                data_depth(data) - 4 * age
            };
            if worth < lowest {
                lowest = worth;
                slot = entry;
            }
        }
        let data = pack(hit, ply, generation);
        slot.data.store(data, Relaxed);
        slot.check.store(key ^ data, Relaxed);
    }

    /// How full the table is of this search's entries, in thousandths.
    #[must_use]
    pub fn hashfull(&self) -> usize {
        let generation = self.generation.load(Relaxed);
        let sample = self.count.min(250);
        let used = self.buckets()[..sample]
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|entry| {
                let data = entry.data.load(Relaxed);
                data != 0 && data_generation(data) == generation
            })
            .count();
        used * 1000 / (sample * BUCKET)
    }
}

// The data word, from the lowest bit: move 16, score 16, evaluation 16,
// depth 8, bound 2, was-PV 1, generation 5.

fn pack(hit: Hit, ply: usize, generation: u8) -> u64 {
    let score = match hit.score {
        score if score >= TABLE_BOUND && score != UNKNOWN => score + ply as Score,
        score if score <= -TABLE_BOUND => score - ply as Score,
        score => score,
    };
    let flags = hit.bound as u8 | u8::from(hit.was_pv) << 2 | generation << 3;
    u64::from(hit.best.0)
        | u64::from(score as i16 as u16) << 16
        | u64::from(hit.evaluation as i16 as u16) << 32
        | u64::from(hit.depth.clamp(0, 255) as u8) << 48
        | u64::from(flags) << 56
}

fn unpack(data: u64, ply: usize) -> Hit {
    let score = match Score::from((data >> 16) as i16) {
        score if score >= TABLE_BOUND && score != UNKNOWN => score - ply as Score,
        score if score <= -TABLE_BOUND => score + ply as Score,
        score => score,
    };
    let flags = (data >> 56) as u8;
    Hit {
        best: PackedMove(data as u16),
        score,
        evaluation: Score::from((data >> 32) as i16),
        depth: data_depth(data),
        bound: Bound::from_bits(flags),
        was_pv: flags & 4 != 0,
    }
}

fn data_depth(data: u64) -> i32 {
    i32::from((data >> 48) as u8)
}

fn data_generation(data: u64) -> u8 {
    (data >> 59) as u8
}

/// Memory that the machine can still give, in MiB, where it can be told.
fn available_mib() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kib: usize = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mate_in, mated_in};

    fn hit(score: Score) -> Hit {
        Hit {
            best: PackedMove(0x1234),
            score,
            evaluation: -321,
            depth: 17,
            bound: Bound::Lower,
            was_pv: true,
        }
    }

    #[test]
    fn entries_come_back_as_stored_and_mates_move_with_the_ply() {
        let mut table = Table::new(1, 0).expect("one MiB");
        table.age();
        for score in [0, 250, -250, UNKNOWN] {
            table.store(99, 3, hit(score));
            assert_eq!(table.probe(99, 8), Some(hit(score)));
        }
        table.store(99, 3, hit(mate_in(7)));
        assert_eq!(table.probe(99, 5), Some(hit(mate_in(9))));
        table.store(99, 3, hit(mated_in(8)));
        assert_eq!(table.probe(99, 1), Some(hit(mated_in(6))));
        assert_eq!(table.probe(98, 0), None);
        table.clear();
        assert_eq!(table.probe(99, 0), None);
    }

    #[test]
    fn a_size_beyond_the_machine_is_refused() {
        if available_mib().is_some_and(|free| free < MAX_MIB) {
            let error = Table::new(MAX_MIB, 0).map(|_| ()).expect_err("a TiB");
            assert_eq!(error.mib, MAX_MIB);
        }
    }
}
