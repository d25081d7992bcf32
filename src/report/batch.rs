//! Many games on all cores: read as they are needed, reported in their order.
//!
//! Each worker analyses one game at a time, alone, so that the reports do not
//! depend on how many workers there are. Workers may be ahead of the slowest
//! game by a fixed number of games only, which keeps memory flat.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use crossbeam::channel;

use super::{
    GameReport,
    analysis::{self, Settings},
    interrupt::Interrupt,
};
use crate::{
    games::{Game, Skipped},
    search::{Pool, transposition::TooLarge},
};

/// How many games each worker may be ahead of the one reported next.
const AHEAD: usize = 8;

/// The means to analyse with.
#[derive(Copy, Clone, Debug)]
pub struct Means {
    /// Threads in all.
    pub threads: usize,
    /// MiB of hash table for each game that is analysed.
    pub hash: usize,
}

/// What came of one game.
pub type Outcome = Result<Box<GameReport>, Skipped>;

/// The games that wait, and how far the reports have come.
struct Queue<I> {
    games: I,
    /// The number of the game that is handed out next.
    next: usize,
    /// The number of the game that is reported next.
    reported: usize,
    closed: bool,
}

/// Analyses `games` and hands each outcome to `take`, in the order of the games.
/// A single game gets all threads. Ends early when `take` fails, or when the
/// interrupt is given; games that were under way are dropped.
///
/// # Errors
///
/// That of `take`; [`TooLarge`] if there is no memory for the hash tables.
pub fn run<I, E>(
    games: I,
    means: Means,
    settings: &Settings,
    interrupt: &Interrupt,
    mut take: impl FnMut(Outcome) -> Result<(), E>,
) -> Result<(), E>
where
    I: Iterator<Item = Result<Game, Skipped>> + Send,
    E: From<TooLarge>,
{
    let mut games = games.fuse();
    let first: Vec<_> = games.by_ref().take(2).collect();
    let (workers, threads) = match first.len() {
        0 | 1 => (1, means.threads),
        _ => (means.threads, 1),
    };
    let mut pools = Vec::with_capacity(workers);
    for _ in 0..workers {
        let mut pool = Pool::default();
        pool.set_threads(threads);
        pool.set_hash(means.hash)?;
        pools.push(pool);
    }
    let queue = Mutex::new(Queue {
        games: first.into_iter().chain(games),
        next: 0,
        reported: 0,
        closed: false,
    });
    let moved = Condvar::new();
    let window = AHEAD * workers;
    let (sender, receiver) = channel::unbounded();
    std::thread::scope(|scope| {
        for mut pool in pools {
            let (sender, queue, moved) = (sender.clone(), &queue, &moved);
            scope.spawn(move || {
                while let Some((number, game)) = next_game(queue, moved, window, interrupt) {
                    let outcome = match game {
                        Err(skipped) => Err(skipped),
                        Ok(game) => match analysis::analyse(&mut pool, game, settings, interrupt) {
                            Some(report) => Ok(Box::new(report)),
                            None => return,
                        },
                    };
                    if sender.send((number, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let done = report_in_order(&receiver, &queue, &moved, &mut take);
        if done.is_err() {
            interrupt.give();
        }
        lock(&queue).closed = true;
        moved.notify_all();
        done
    })
}

fn report_in_order<I, E>(
    receiver: &channel::Receiver<(usize, Outcome)>,
    queue: &Mutex<Queue<I>>,
    moved: &Condvar,
    take: &mut impl FnMut(Outcome) -> Result<(), E>,
) -> Result<(), E> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, outcome) in receiver {
        early.insert(number, outcome);
        while let Some(outcome) = early.remove(&next) {
            take(outcome)?;
            next += 1;
            lock(queue).reported = next;
            moved.notify_all();
        }
    }
    Ok(())
}

/// The next game and its number, once it is not too far ahead.
fn next_game<I: Iterator>(
    queue: &Mutex<Queue<I>>,
    moved: &Condvar,
    window: usize,
    interrupt: &Interrupt,
) -> Option<(usize, I::Item)> {
    let mut queue = lock(queue);
    while queue.next >= queue.reported + window && !queue.closed && !interrupt.is_given() {
        queue = moved.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
    if queue.closed || interrupt.is_given() {
        return None;
    }
    let game = queue.games.next()?;
    let number = queue.next;
    queue.next += 1;
    Some((number, game))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::{
            read::{self, Reading},
            scan::Scanner,
        },
        report::{json, judge::Judgement},
        search::Limits,
    };

    const LOST: &str = "[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n[Result \"1-0\"]\n\n\
        1. Nf3 d5 2. Ne5 f6 3. Nd7 b6 4. Nxf8# 1-0\n\n";

    fn games(text: &str) -> Vec<Result<Game, Skipped>> {
        let mut scanner = Scanner::new(text.as_bytes());
        std::iter::from_fn(|| scanner.next_game().expect("no read error"))
            .map(|chunk| read::game("x.pgn", &chunk, Reading::default()))
            .collect()
    }

    fn settings(nodes: u64) -> Settings {
        Settings {
            limits: Limits::nodes(nodes),
            explain: true,
        }
    }

    fn reports(text: &str, threads: usize) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let means = Means { threads, hash: 1 };
        run(
            games(text).into_iter(),
            means,
            &settings(3000),
            &Interrupt::default(),
            |outcome| {
                outcomes.push(outcome);
                Ok::<(), TooLarge>(())
            },
        )
        .expect("memory");
        outcomes
    }

    #[test]
    fn the_losing_move_and_its_refutation_are_named() {
        let report = reports(LOST, 1).remove(0).expect("a report");
        assert_eq!(report.losing, Some(1), "1...d5 loses by force");
        assert_eq!(report.moves[1].judgement, Some(Judgement::Blunder));
        let summary = report.summary();
        assert!(
            summary.contains("The losing move was 1...d5: 2.Ne5")
                && summary.contains("explodes the king in"),
            "{summary}"
        );
        // The defence that lasts shorter is no error: all was lost before.
        assert_eq!(report.moves[5].judgement, None);
        assert!(report.moves[5].accuracy > 99.0);
    }

    #[test]
    fn outcomes_come_in_order_and_do_not_depend_on_the_threads() {
        let bad = "[Event \"x\"]\n\n1. e4 *\n\n";
        let text = format!("{LOST}{bad}{}", LOST.repeat(3));
        let lines = |threads| -> Vec<String> {
            reports(&text, threads)
                .iter()
                .map(|outcome| match outcome {
                    Ok(report) => json::write(report).expect("JSON"),
                    Err(skipped) => skipped.to_string(),
                })
                .collect()
        };
        let one = lines(1);
        assert_eq!(one.len(), 5);
        assert!(one[1].contains("game 2, line 8") && one[1].contains("no Variant tag"));
        assert_eq!(one, lines(3));
    }

    #[test]
    fn an_interrupt_ends_everything() {
        let interrupt = Interrupt::default();
        let mut seen = 0;
        let means = Means {
            threads: 2,
            hash: 1,
        };
        let done = run(
            games(&LOST.repeat(40)).into_iter(),
            means,
            &settings(1000),
            &interrupt,
            |_| {
                seen += 1;
                interrupt.give();
                Ok::<(), TooLarge>(())
            },
        );
        assert!(done.is_ok() && seen < 40);
    }
}
