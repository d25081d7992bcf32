//! Positions from files of games: filtered, without repetitions, and with the
//! positions of some games kept apart.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasherDefault, Hasher},
    path::Path,
};

use rayon::prelude::*;

use super::{sample::Sample, target::Target};
use crate::data::{FileError, Game, GameError, MATE, PlyPosition, Reader};

/// Games unpacked together.
const GAMES_AT_ONCE: usize = 4096;

/// Which positions teach.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Filter {
    /// Leave out positions with a larger score, in centipawns.
    pub max_score: i16,
    /// Leave out this many plies at the start of each game.
    pub skip_plies: usize,
    /// Leave out positions with more plies since the last capture or pawn move.
    pub max_clock: u32,
    /// Keep positions in check and those whose best move takes or promotes.
    pub keep_noisy: bool,
    /// One game in a thousand of these is kept apart for validation.
    pub validation_permille: u32,
}

impl Default for Filter {
    fn default() -> Filter {
        Filter {
            max_score: 3_000,
            skip_plies: 0,
            max_clock: 60,
            keep_noisy: false,
            validation_permille: 20,
        }
    }
}

/// Why a position is left out.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
enum Reason {
    Early,
    Check,
    Noisy,
    Score,
    Clock,
    Repeated,
}

const REASONS: [(Reason, &str); 6] = [
    (Reason::Early, "too early in the game"),
    (Reason::Check, "in check"),
    (Reason::Noisy, "best move takes or promotes"),
    (Reason::Score, "score beyond the bound"),
    (Reason::Clock, "long without capture or pawn move"),
    (Reason::Repeated, "seen before"),
];

/// How many positions were left out, and why.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct FilterCounts {
    /// Games read.
    pub games: usize,
    /// Positions of these games.
    pub positions: usize,
    left_out: [usize; REASONS.len()],
}

impl FilterCounts {
    fn leave_out(&mut self, reason: Reason) {
        self.left_out[reason as usize] += 1;
    }

    fn add(&mut self, other: &FilterCounts) {
        self.games += other.games;
        self.positions += other.positions;
        for (sum, count) in self.left_out.iter_mut().zip(other.left_out) {
            *sum += count;
        }
    }
}

impl fmt::Display for FilterCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} positions of {} games", self.positions, self.games)?;
        for ((_, words), count) in REASONS.iter().zip(self.left_out) {
            write!(f, "\n{count:>12} left out: {words}")?;
        }
        Ok(())
    }
}

/// Positions to learn from and to be judged by.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// To learn from.
    pub training: Vec<Sample>,
    /// To be judged by, of other games.
    pub validation: Vec<Sample>,
    /// What was left out.
    pub counts: FilterCounts,
}

/// Keys of positions are random already.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

type Keys = HashSet<u64, BuildHasherDefault<KeyHasher>>;

/// What one game gives.
#[derive(Default)]
struct Unpacked {
    samples: Vec<(u64, Sample)>,
    apart: bool,
    counts: FilterCounts,
}

impl Dataset {
    /// Reads files of games. What a position is worth is put together as `target`
    /// says. Damage is handed to `report`, and reading goes on.
    ///
    /// # Errors
    ///
    /// [`FileError`] if a file cannot be read or is no file of games.
    pub fn load(
        files: &[impl AsRef<Path>],
        filter: &Filter,
        target: &Target,
        mut report: impl FnMut(FileError),
    ) -> Result<Dataset, FileError> {
        let mut dataset = Dataset::default();
        let mut keys = Keys::default();
        for file in files {
            let path = file.as_ref();
            let mut reader = Reader::open(path)?;
            loop {
                let mut frames = Vec::new();
                while frames.len() < GAMES_AT_ONCE
                    && let Some(frame) = reader.next_frame()
                {
                    match frame {
                        Ok(frame) => frames.push(frame),
                        Err(error @ FileError::Io { .. }) => return Err(error),
                        Err(error) => report(error),
                    }
                }
                if frames.is_empty() {
                    break;
                }
                let games: Vec<_> = frames
                    .par_iter()
                    .map(|frame| (frame.offset, unpack(&frame.payload, filter, target)))
                    .collect();
                for (offset, game) in games {
                    match game {
                        Ok(game) => dataset.take(game, &mut keys),
                        Err(source) => report(FileError::Game {
                            path: path.to_owned(),
                            offset,
                            source,
                        }),
                    }
                }
            }
        }
        Ok(dataset)
    }

    fn take(&mut self, game: Unpacked, keys: &mut Keys) {
        self.counts.add(&game.counts);
        for (key, sample) in game.samples {
            if !keys.insert(key) {
                self.counts.leave_out(Reason::Repeated);
            } else if game.apart {
                self.validation.push(sample);
            } else {
                self.training.push(sample);
            }
        }
    }
}

/// Plays a game and keeps what passes the filter.
fn unpack(payload: &[u8], filter: &Filter, target: &Target) -> Result<Unpacked, GameError> {
    let game = Game::decode(payload)?;
    let mut unpacked = Unpacked {
        // The same games every time, also when files are merged or shuffled.
        apart: crc32fast::hash(payload) % 1000 < filter.validation_permille,
        ..Unpacked::default()
    };
    unpacked.counts.games = 1;
    unpacked.counts.positions = game.plies.len();
    let plies = game.positions().collect::<Result<Vec<_>, _>>()?;
    let expected = target.expected(&game, &plies);
    for (ply, (found, expected)) in plies.iter().zip(expected).enumerate() {
        if let Some(reason) = objection(found, ply, filter) {
            unpacked.counts.leave_out(reason);
        } else if let Some(sample) = Sample::new(&found.position, expected) {
            unpacked.samples.push((found.position.key(), sample));
        }
    }
    Ok(unpacked)
}

fn objection(found: &PlyPosition, ply: usize, filter: &Filter) -> Option<Reason> {
    let PlyPosition {
        position,
        played,
        score,
    } = found;
    let size = score.saturating_abs();
    if ply < filter.skip_plies {
        Some(Reason::Early)
    } else if size > filter.max_score || size > MATE - 1_000 {
        Some(Reason::Score)
    } else if position.halfmoves() > filter.max_clock {
        Some(Reason::Clock)
    } else if filter.keep_noisy {
        None
    } else if played.is_capture() || played.is_promotion() {
        Some(Reason::Noisy)
    } else if position.is_check() {
        Some(Reason::Check)
    } else {
        None
    }
}
