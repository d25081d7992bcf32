//! `fission datagen`: games of the engine against itself, for training.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::Args;
use fission::{
    data::{Reader, SelfPlay, Writer, file::EXTENSION},
    evaluation::nnue::Network,
    rules::Ruleset,
    search::Pool,
    tournament::openings::{self, BUILTIN, Opening},
};

use super::data::game_files;

/// How often progress is told.
const TICK: Duration = Duration::from_secs(10);
/// The table of each player in MiB; games are short of nodes.
const HASH: usize = 1;

/// Make games of the engine against itself, for training.
///
/// Games are appended to files in the folder, each as soon as it is over: a run
/// may be stopped at any time and goes on where it was when it is started again
/// with the same seed and number of threads. Other seeds give other games.
///
/// Example: fission datagen --positions 1000000 --nodes 1000 --threads 2 --seed 1 --out games
#[derive(Debug, Args)]
pub struct Datagen {
    /// Stop when the folder has this many positions
    #[arg(long)]
    positions: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 1_000)]
    nodes: u64,
    /// Share of the moves for which another game starts from a position that
    /// the search evaluated
    #[arg(long, default_value_t = 0.1, value_parser = super::share)]
    asides: f32,
    /// Games played at the same time
    #[arg(long, default_value_t = 1, value_parser = super::thread_count)]
    threads: usize,
    /// What distinguishes these games from others
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder of the files
    #[arg(long, short)]
    out: PathBuf,
    /// Openings for half of the games, EPD or PGN, or `builtin`
    #[arg(long, default_value = BUILTIN)]
    book: String,
    /// The network to play with, or `classical` for the hand-crafted
    /// evaluation [default: the embedded network]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
}

/// What all players share.
struct Shared {
    positions: AtomicU64,
    games: AtomicU64,
    nodes: AtomicU64,
    target: u64,
    failed: AtomicBool,
    news: Mutex<News>,
}

/// When progress was told last, and where it was then.
struct News {
    at: Instant,
    positions: u64,
    nodes: u64,
}

impl Datagen {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// If the openings cannot be read or a file cannot be written.
    pub fn run(&self) -> Result<ExitCode> {
        let openings = openings::load(&self.book, None, Ruleset::Lichess)?;
        let network = match &self.network {
            Some(name) if name.as_os_str() == "classical" => None,
            Some(path) => Some(Arc::new(Network::load(path)?)),
            None => Network::embedded(),
        };
        fs::create_dir_all(&self.out)
            .with_context(|| format!("cannot make the folder {}", self.out.display()))?;
        let found = count(&self.out)?;
        if found.games > 0 {
            println!(
                "{} has {} positions of {} games",
                self.out.display(),
                found.positions,
                found.games
            );
        }
        let shared = Shared {
            positions: AtomicU64::new(found.positions),
            games: AtomicU64::new(found.games),
            nodes: AtomicU64::new(0),
            target: self.positions,
            failed: AtomicBool::new(false),
            news: Mutex::new(News {
                at: Instant::now(),
                positions: found.positions,
                nodes: 0,
            }),
        };
        let started = Instant::now();
        super::on_threads(self.threads, |thread| {
            let outcome = self.play(thread, network.clone(), &openings, &shared);
            if outcome.is_err() {
                shared.failed.store(true, Relaxed);
            }
            outcome
        })?;
        let positions = shared.positions.load(Relaxed);
        println!(
            "{positions} positions of {} games, {:.0} positions a second",
            shared.games.load(Relaxed),
            (positions - found.positions) as f64 / started.elapsed().as_secs_f64().max(1e-3)
        );
        Ok(ExitCode::SUCCESS)
    }

    /// Plays and writes games until there are enough positions.
    fn play(
        &self,
        thread: u64,
        network: Option<Arc<Network>>,
        openings: &[Opening],
        shared: &Shared,
    ) -> Result<()> {
        let path = self
            .out
            .join(format!("seed{}-{thread}.{EXTENSION}", self.seed));
        let mut writer = Writer::append(&path)?;
        let mut number = count(&path)?.games;
        let mut pool = Pool::default();
        pool.set_hash(HASH)?;
        pool.set_network(network);
        let mut player = SelfPlay::new(pool, self.nodes, self.asides, openings);
        while shared.positions.load(Relaxed) < shared.target && !shared.failed.load(Relaxed) {
            let before = player.nodes();
            for game in player.play(game_seed(self.seed, thread, number)) {
                writer.write(&game)?;
                number += 1;
                shared.games.fetch_add(1, Relaxed);
                shared.positions.fetch_add(game.plies.len() as u64, Relaxed);
            }
            shared.nodes.fetch_add(player.nodes() - before, Relaxed);
            shared.tell();
        }
        Ok(())
    }
}

impl Shared {
    /// Tells progress if it is time to.
    fn tell(&self) {
        let Ok(mut news) = self.news.try_lock() else {
            return;
        };
        let elapsed = news.at.elapsed();
        if elapsed < TICK {
            return;
        }
        let positions = self.positions.load(Relaxed);
        let nodes = self.nodes.load(Relaxed);
        let speed = (positions - news.positions) as f64 / elapsed.as_secs_f64();
        let left = self.target.saturating_sub(positions) as f64 / speed.max(1e-3);
        eprintln!(
            "{positions} of {} positions, {} games, {speed:.0} positions a second, {:.0} nodes a second, {:.0} minutes left",
            self.target,
            self.games.load(Relaxed),
            (nodes - news.nodes) as f64 / elapsed.as_secs_f64(),
            left / 60.0
        );
        *news = News {
            at: Instant::now(),
            positions,
            nodes,
        };
    }
}

/// The number of one game, different for every seed, thread and count.
fn game_seed(seed: u64, thread: u64, count: u64) -> u64 {
    let mut rng = fastrand::Rng::with_seed(seed);
    let of_thread = rng.u64(..) ^ thread.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    fastrand::Rng::with_seed(of_thread).u64(..) ^ count.wrapping_mul(0xd1b5_4a32_d192_ed03)
}

/// Games and positions that are there already.
#[derive(Default)]
struct Count {
    games: u64,
    positions: u64,
}

/// Counts what a file, or the files of a folder, hold.
fn count(path: &Path) -> Result<Count> {
    let mut count = Count::default();
    let empty = path.is_dir()
        && !fs::read_dir(path)
            .with_context(|| format!("cannot list {}", path.display()))?
            .flatten()
            .any(|entry| entry.path().extension().is_some_and(|end| end == EXTENSION));
    if empty {
        return Ok(count);
    }
    for file in game_files(&[path.to_owned()])? {
        for game in Reader::open(&file)?.flatten() {
            count.games += 1;
            count.positions += game.plies.len() as u64;
        }
    }
    Ok(count)
}
