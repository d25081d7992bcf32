//! What the solver knows of positions, within a fixed amount of memory.
//!
//! One entry serves both searches: in how many moves the attacker is proved to
//! win, in how many he is proved not to, and the proof numbers meanwhile. The
//! table grows as it fills; at its limit a full bucket gives up the entry that
//! took the least work.

use shakmaty::Move;

use crate::rules::PackedMove;

/// No number of moves has been proved to win.
pub(super) const UNPROVED: u8 = u8::MAX;

/// What is known of a position.
#[derive(Copy, Clone, Debug)]
pub(super) struct Entry {
    key: u64,
    /// Proof and disproof number for the number of moves asked last.
    pub(super) proof: u32,
    pub(super) disproof: u32,
    /// Nodes spent here.
    pub(super) work: u32,
    /// The move that wins, or the reply that refutes.
    pub(super) best: PackedMove,
    /// The attacker wins within this many moves, or [`UNPROVED`].
    pub(super) wins: u8,
    /// The attacker does not win within this many moves.
    pub(super) fails: u8,
}

const EMPTY: Entry = Entry {
    key: 0,
    proof: 0,
    disproof: 0,
    work: 0,
    best: PackedMove::NONE,
    wins: UNPROVED,
    fails: 0,
};

impl Entry {
    /// Whether the attacker wins within `moves`, if that is settled.
    pub(super) fn verdict(&self, moves: u8) -> Option<bool> {
        if self.wins <= moves {
            Some(true)
        } else if self.fails >= moves && self.fails > 0 {
            Some(false)
        } else {
            None
        }
    }
}

const BUCKET: usize = 4;
/// Entries of a table that was not used yet: many positions need no more.
const FIRST: usize = 1 << 9;

/// A hash table that grows with its use up to a fixed size.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// Entries in use.
    used: usize,
    /// The most entries there may be.
    limit: usize,
}

impl Table {
    /// A table of at most `mib` MiB.
    pub(super) fn new(mib: usize) -> Table {
        Table {
            entries: vec![EMPTY; FIRST],
            used: 0,
            limit: ((mib.max(1) << 20) / size_of::<Entry>()).max(FIRST),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        if self.used > 0 {
            self.entries.truncate(FIRST);
            self.entries.fill(EMPTY);
            self.used = 0;
        }
    }

    fn bucket(&self, key: u64) -> usize {
        let buckets = (self.entries.len() / BUCKET) as u128;
        ((u128::from(key) * buckets) >> 64) as usize * BUCKET
    }

    #[inline]
    pub(super) fn probe(&self, key: u64) -> Option<&Entry> {
        let start = self.bucket(key);
        self.entries[start..start + BUCKET]
            .iter()
            .find(|entry| entry.key == key)
    }

    /// Makes room for four times as many entries, within the limit.
    #[cold]
    fn grow(&mut self) {
        let size = (4 * self.entries.len()).min(self.limit) / BUCKET * BUCKET;
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; size]);
        self.used = 0;
        for entry in old {
            if entry.key != 0 {
                *self.place(entry.key) = entry;
            }
        }
    }

    /// The entry of `key`, made on the place of a lesser one if need be.
    fn entry(&mut self, key: u64) -> &mut Entry {
        if self.used > self.entries.len() / 2 && self.entries.len() + BUCKET <= self.limit {
            self.grow();
        }
        self.place(key)
    }

    fn place(&mut self, key: u64) -> &mut Entry {
        let start = self.bucket(key);
        let bucket = &mut self.entries[start..start + BUCKET];
        let mut index = 0;
        for (other, entry) in bucket.iter().enumerate() {
            if entry.key == key {
                return &mut bucket[other];
            }
            if entry.work < bucket[index].work {
                index = other;
            }
        }
        if bucket[index].key == 0 {
            self.used += 1;
        } else {
            // The others age, so that old work does not fill the table for ever.
            for entry in bucket.iter_mut() {
                entry.work -= entry.work / 8;
            }
        }
        bucket[index] = Entry { key, ..EMPTY };
        &mut bucket[index]
    }

    /// Notes whether the attacker wins within `moves`.
    pub(super) fn settle(
        &mut self,
        key: u64,
        moves: u8,
        wins: bool,
        best: Option<Move>,
        work: u32,
    ) {
        let entry = self.entry(key);
        entry.work = entry.work.saturating_add(work);
        if let Some(m) = best {
            entry.best = PackedMove::new(m);
        }
        if wins {
            entry.wins = entry.wins.min(moves);
        } else {
            entry.fails = entry.fails.max(moves);
        }
    }

    /// Notes how hard it seems to prove and to disprove a win.
    pub(super) fn estimate(&mut self, key: u64, proof: u32, disproof: u32, work: u32) {
        let entry = self.entry(key);
        entry.work = entry.work.saturating_add(work);
        entry.proof = proof;
        entry.disproof = disproof;
    }
}
