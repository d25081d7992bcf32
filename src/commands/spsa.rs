//! `fission spsa`: tune the numbers of the search.

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::Args;
use fission::{
    evaluation::nnue::Network,
    rules::Ruleset,
    search::Pool,
    tournament::openings::{self, BUILTIN, Opening},
    tuning::{Duel, Spsa, Subject},
};

/// How often files are written and progress is told.
const TICK: Duration = Duration::from_secs(20);
/// The table of each player in MiB.
const HASH: usize = 4;

/// Tune numbers of the search by games against itself (SPSA).
///
/// The values and their picture are written to the folder as the run goes on;
/// the same command continues a run that was stopped.
///
/// Example: fission spsa futility_base futility_margin --pairs 10000 --nodes 5000 --out tuned
#[derive(Debug, Args)]
pub struct SpsaArgs {
    /// Names of the numbers, as `uci` lists them [default: all]
    names: Vec<String>,
    /// Pairs of games to play
    #[arg(long, default_value_t = 10_000)]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// How strongly a number moves by a pair won, for each unit of its change,
    /// at the end of the run
    #[arg(long, default_value_t = 0.002)]
    rate: f64,
    /// Pairs played at the same time
    #[arg(long, default_value_t = 1, value_parser = super::thread_count)]
    threads: usize,
    /// Seed of coins and openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Openings, EPD or PGN, or `builtin`
    #[arg(long, default_value = BUILTIN)]
    book: String,
    /// The network to play with [default: the embedded network]
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// The folder of the values
    #[arg(long, short)]
    out: PathBuf,
}

/// What all threads share.
struct Shared {
    spsa: Mutex<(Spsa, Instant)>,
    failed: AtomicBool,
}

impl SpsaArgs {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// If a name is unknown, or a file cannot be read or written.
    pub fn run(&self) -> Result<ExitCode> {
        let subjects = if self.names.is_empty() {
            Subject::all()
        } else {
            let named: Result<_, _> = self.names.iter().map(|name| Subject::named(name)).collect();
            named?
        };
        let openings = openings::load(&self.book, None, Ruleset::Lichess)?;
        let network = match &self.network {
            Some(path) => Some(Arc::new(Network::load(path)?)),
            None => Network::embedded(),
        };
        let mut spsa = Spsa::new(subjects, self.pairs, self.rate);
        spsa.resume(&self.out)?;
        if spsa.done() > 0 {
            println!("going on after {} pairs", spsa.done());
        }
        let shared = Shared {
            spsa: Mutex::new((spsa, Instant::now())),
            failed: AtomicBool::new(false),
        };
        super::on_threads(self.threads, |thread| {
            let outcome = self.play(thread, network.clone(), &openings, &shared);
            if outcome.is_err() {
                shared.failed.store(true, Relaxed);
            }
            outcome
        })?;
        let (spsa, _) = shared
            .spsa
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        spsa.write(&self.out)?;
        for subject in spsa.subjects() {
            println!("{} = {:.1}", subject.name(), subject.value());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn play(
        &self,
        thread: u64,
        network: Option<Arc<Network>>,
        openings: &[Opening],
        shared: &Shared,
    ) -> Result<()> {
        let pool = || -> Result<Pool> {
            let mut pool = Pool::default();
            pool.set_hash(HASH)?;
            pool.set_network(network.clone());
            Ok(pool)
        };
        let mut duel = Duel::new([pool()?, pool()?], self.nodes);
        let done = lock(&shared.spsa).0.done();
        let mut rng =
            fastrand::Rng::with_seed(self.seed ^ (thread << 32) ^ done.wrapping_mul(0x9e37_79b9));
        while !shared.failed.load(Relaxed) {
            let toss = {
                let spsa = &lock(&shared.spsa).0;
                if spsa.done() >= self.pairs {
                    break;
                }
                spsa.toss(&mut rng, duel.values())
            };
            let opening = rng.choice(openings).context("no openings")?;
            let won = duel.pair(opening);
            let mut guard = lock(&shared.spsa);
            let (spsa, told) = &mut *guard;
            spsa.learn(&toss, won);
            if told.elapsed() >= TICK {
                spsa.write(&self.out)?;
                eprintln!("{} of {} pairs", spsa.done(), self.pairs);
                *told = Instant::now();
            }
        }
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
