//! All threads of a search: lazy SMP.
//!
//! Every worker searches the same root; they help each other through the
//! transposition table alone. At the end they vote on the move.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use super::{
    alphabeta::Searcher,
    info::{Info, Report, SearchResult},
    limits::{Control, Limits},
    score::{Score, is_mate},
    skill::Skill,
    tables::{Lookup, TableUse},
    time::TimeManager,
    transposition::{DEFAULT_MIB, Table, TooLarge},
    worker::{RootMove, Sampler, Task, Worker, ponder_move},
};
use crate::{
    endgame::Tables,
    evaluation::{Evaluator, nnue::Network},
    rules::Position,
};

/// The most threads that may be asked for.
pub const MAX_THREADS: usize = 1024;

/// How a search is done, apart from its limits.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How many best moves are wanted.
    pub multi_pv: usize,
    /// Time lost on every move between engine and referee.
    pub overhead: Duration,
    /// Search for truth rather than a quick move: less pruning.
    pub analysing: bool,
    /// Play below full strength.
    pub skill: Option<Skill>,
    /// How endgame tables are used.
    pub tables: TableUse,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            analysing: false,
            skill: None,
            tables: TableUse::default(),
        }
    }
}

/// The workers and their table, kept from move to move.
pub struct Pool {
    workers: Vec<Worker>,
    network: Option<Arc<Network>>,
    table: Table,
    tables: Option<Tables>,
    rng: fastrand::Rng,
}

impl Default for Pool {
    /// One thread, a table of the default size, and the embedded network and
    /// endgame tables.
    fn default() -> Pool {
        let table = Table::new(DEFAULT_MIB, 0)
            .or_else(|_| Table::new(1, 0))
            .expect("a MiB of memory");
        let mut pool = Pool {
            workers: vec![Worker::new(0)],
            network: None,
            table,
            tables: Some(Tables::embedded()),
            rng: fastrand::Rng::new(),
        };
        pool.set_network(Network::embedded());
        pool
    }
}

impl Pool {
    /// Searches with this many threads from now on.
    pub fn set_threads(&mut self, threads: usize) {
        let threads = threads.clamp(1, MAX_THREADS);
        self.workers.truncate(threads);
        while self.workers.len() < threads {
            let mut worker = Worker::new(self.workers.len());
            worker.evaluator = Evaluator::new(self.network.clone());
            self.workers.push(worker);
        }
    }

    /// Evaluates by `network` from now on, or classically. What earlier
    /// evaluations left behind is forgotten.
    pub fn set_network(&mut self, network: Option<Arc<Network>>) {
        self.network = network;
        for worker in &mut self.workers {
            worker.evaluator = Evaluator::new(self.network.clone());
        }
        self.clear();
    }

    /// Asks these endgame tables from now on, or none.
    pub fn set_tables(&mut self, tables: Option<Tables>) {
        self.tables = tables;
    }

    /// The endgame tables in use.
    #[must_use]
    pub const fn tables(&self) -> Option<&Tables> {
        self.tables.as_ref()
    }

    /// Replaces the table by an empty one of `mib` MiB.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the machine does not have that much memory; the old
    /// table stays.
    pub fn set_hash(&mut self, mib: usize) -> Result<(), TooLarge> {
        if mib != self.table.mib() {
            self.table = Table::new(mib, self.table.mib())?;
        }
        Ok(())
    }

    /// The size of the table in MiB.
    #[must_use]
    pub fn hash(&self) -> usize {
        self.table.mib()
    }

    /// Forgets the last game.
    pub fn clear(&mut self) {
        self.clear_hash();
        for worker in &mut self.workers {
            worker.clear();
        }
    }

    /// What the network says of a position, in centipawns for the side to move,
    /// if one is in use and judges it.
    #[must_use]
    pub fn network_evaluation(&self, position: &Position) -> Option<Score> {
        let network = self
            .network
            .clone()
            .filter(|_| Evaluator::is_for_network(position))?;
        let mut evaluator = Evaluator::new(Some(network));
        evaluator.reset();
        Some(evaluator.evaluate(position))
    }

    /// Keeps one of the positions that the next search evaluates in its first
    /// thread, for [`take_sample`](Pool::take_sample).
    pub fn sample_next(&mut self, rng: fastrand::Rng) {
        self.workers[0].sampler = Some(Sampler::new(rng));
    }

    /// The position kept, if one was evaluated since
    /// [`sample_next`](Pool::sample_next).
    pub fn take_sample(&mut self) -> Option<Position> {
        self.workers[0].sampler.take()?.into_kept()
    }

    /// Empties the table.
    pub fn clear_hash(&mut self) {
        self.table.clear();
    }

    /// Searches `root` and returns what was found. `earlier_keys` are the keys
    /// of the game's positions before it, the oldest first. Progress goes to
    /// `report`; `control` may stop the search from another thread.
    pub fn search(
        &mut self,
        root: &Position,
        earlier_keys: &[u64],
        limits: &Limits,
        options: &SearchOptions,
        control: &Control,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult {
        let time = TimeManager::new(limits, root.turn(), options.overhead);
        let mut moves = root.legal_moves();
        if !limits.search_moves.is_empty() {
            moves.retain(|m| limits.search_moves.contains(m));
        }
        if moves.is_empty() {
            control.wait_for_release(limits.infinite);
            return SearchResult::default();
        }
        let mut root_moves: Vec<RootMove> = moves.into_iter().map(RootMove::new).collect();
        if let Some(skill) = options.skill {
            skill.overlook(&mut root_moves, &mut self.rng);
        }
        // Who plays weakly does not know endings by heart either.
        let tables = self.tables.as_ref().filter(|_| options.skill.is_none());
        let mut lookup = tables.map(|tables| Lookup::new(tables, &options.tables));
        let table_hits = AtomicU64::new(0);
        if let Some(tables) = &lookup
            && tables.rank(root, earlier_keys, &mut root_moves)
        {
            table_hits.store(root_moves.len() as u64, Relaxed);
            root_moves.sort_by_key(|root| std::cmp::Reverse(root.rank));
            // The way is known: the search looks for mates and traps alone.
            lookup = None;
        }
        let weakened = options.skill.map(|skill| Limits {
            soft_nodes: Some(skill.nodes()),
            ..limits.clone()
        });
        self.table.age();
        let nodes = AtomicU64::new(0);
        let threads = if options.skill.is_some() {
            1
        } else {
            self.workers.len()
        };
        let task = Task {
            root,
            earlier_keys,
            root_moves: &root_moves,
            limits: weakened.as_ref().unwrap_or(limits),
            control,
            table: &self.table,
            nodes: &nodes,
            table_hits: &table_hits,
            lookup,
            multi_pv: options.multi_pv,
            threads,
            analysing: options.analysing,
        };
        let workers = &mut self.workers[..threads];
        let mut told = None;
        let mut tell = |news: &Report| {
            if let Report::Info(info) = news
                && info.multi_pv == 1
            {
                told = Some((info.pv.first().copied(), info.score));
            }
            report(news);
        };
        run(workers, &task, &time, &mut tell);
        let variations = variations(workers, &task, &time, options.multi_pv);
        // The last word is about the move that is played: another thread's, or
        // one that the last, unfinished iteration brought up.
        if let Some(best) = variations.first()
            && told != Some((best.pv.first().copied(), best.score))
        {
            report(&Report::Info(Box::new(best.clone())));
        }
        let line = variations.first().map(|info| &info.pv);
        let best = line.and_then(|pv| pv.first().copied());
        let ponder = line
            .and_then(|pv| pv.get(1).copied())
            .or_else(|| ponder_move(&self.table, root, best?));
        SearchResult {
            best,
            ponder,
            variations,
            nodes: nodes.into_inner(),
        }
    }
}

/// The variations to report: those of the worker that the vote prefers.
fn variations(
    workers: &mut [Worker],
    task: &Task,
    time: &TimeManager,
    multi_pv: usize,
) -> Vec<Info> {
    let winner = if multi_pv == 1 { vote(workers) } else { 0 };
    let searcher = Searcher {
        worker: &mut workers[winner],
        task,
        time: time.clone(),
        report: None,
    };
    searcher
        .worker
        .root_moves
        .iter()
        .take(multi_pv)
        .enumerate()
        .map(|(index, root)| searcher.info(index, root))
        .collect()
}

/// Runs the workers until the first is done and the caller may have the move.
fn run(workers: &mut [Worker], task: &Task, time: &TimeManager, report: &mut dyn FnMut(&Report)) {
    let Some((main, helpers)) = workers.split_first_mut() else {
        return;
    };
    std::thread::scope(|scope| {
        for worker in helpers {
            worker.prepare(task);
            let time = time.clone();
            scope.spawn(move || {
                Searcher {
                    worker,
                    task,
                    time,
                    report: None,
                }
                .deepen();
            });
        }
        main.prepare(task);
        Searcher {
            worker: main,
            task,
            time: time.clone(),
            report: Some(report),
        }
        .deepen();
        task.control.wait_for_release(task.limits.infinite);
        task.control.stop();
    });
}

/// The index of the worker whose move most workers agree on, weighted by depth
/// and score. A mate found is taken without a vote.
fn vote(workers: &[Worker]) -> usize {
    let result = |worker: &Worker| {
        worker.best().map(|root| {
            let score =
                if worker.completed_depth < worker.root_depth && root.previous_score > root.score {
                    root.previous_score
                } else {
                    root.score
                };
            (root.m, score)
        })
    };
    let lowest = workers
        .iter()
        .filter_map(|worker| result(worker).map(|(_, score)| score))
        .min()
        .unwrap_or(0);
    let weight = |worker: &Worker, score: Score| {
        i64::from(score - lowest + 20) * i64::from(worker.completed_depth)
    };
    let mut votes: HashMap<_, i64> = HashMap::new();
    for worker in workers {
        if let Some((m, score)) = result(worker) {
            *votes.entry(m).or_default() += weight(worker, score);
        }
    }
    let mut winner = 0;
    for (index, worker) in workers.iter().enumerate().skip(1) {
        let (Some((m, score)), Some((best, best_score))) =
            (result(worker), result(&workers[winner]))
        else {
            continue;
        };
        let better = if is_mate(best_score) || is_mate(score) {
            score > best_score
        } else {
            (votes[&m], weight(worker, score))
                > (votes[&best], weight(&workers[winner], best_score))
        };
        if better {
            winner = index;
        }
    }
    winner
}
