//! Plays a whole match: workers that keep their engines running from game to
//! game, fed from one schedule.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crossbeam::channel::{self, Receiver, Sender};
use thiserror::Error;

use super::{
    adjudication::Adjudication,
    engine::EngineSpec,
    openings::Opening,
    record::{GameId, GameRecord, Outcome},
    schedule::{Fixture, Format, Next},
    sprt::{Decision, Sprt},
    standings::Standings,
    stop::StopSignal,
    time_control::Limits,
    uci::{EngineError, Manners, UciEngine},
    worker::{GameReport, Report, Worker},
};
use crate::rules::Ruleset;

/// Everything that defines a match.
#[derive(Clone, Debug)]
pub struct MatchConfig {
    /// The event's name in PGN.
    pub event: String,
    /// The engines; the first is the one under test.
    pub engines: Vec<EngineSpec>,
    /// How they meet.
    pub format: Format,
    /// Games of each encounter.
    pub games: u32,
    /// Openings in the order of play, used again from the first when they run out.
    pub openings: Vec<Opening>,
    /// The rules.
    pub ruleset: Ruleset,
    /// Plays every game with Chess960 castling notation.
    pub chess960: bool,
    /// Options for every engine that lists them.
    pub options: Vec<(String, String)>,
    /// Limits for engines without limits of their own.
    pub limits: Limits,
    /// Whether engines think in their opponent's time unless they say otherwise.
    pub ponder: bool,
    /// Games played at the same time.
    pub concurrency: usize,
    /// How much later than allowed a move may come.
    pub margin: Duration,
    /// How long an engine may be silent where no clock runs.
    pub silence: Duration,
    /// Rules that end games early.
    pub adjudication: Adjudication,
    /// Stops a match of two engines by itself.
    pub sprt: Option<Sprt>,
}

/// Why a match cannot start or go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be used.
    #[error("engine '{name}' {source}")]
    Engine {
        /// Its name or command.
        name: String,
        /// What is wrong.
        source: EngineError,
    },
    /// Two engines have one name.
    #[error("two engines are named '{0}': give each its own name=")]
    SameName(String),
    /// Too few engines.
    #[error("a match needs at least two engines, got {0}")]
    TooFewEngines(usize),
    /// A test between more than two engines.
    #[error("an SPRT compares two engines, got {0}")]
    SprtEngines(usize),
    /// Nothing ends a search.
    #[error("engine '{0}' has no limit: give tc, st, depth or nodes, to all or to this engine")]
    NoLimit(String),
    /// No opening to start from.
    #[error("there are no openings")]
    NoOpenings,
}

/// What to do with a finished game.
#[derive(Debug)]
pub struct Finished<'a> {
    /// The game.
    pub record: &'a GameRecord,
    /// The game as PGN.
    pub pgn: &'a str,
    /// All games so far.
    pub games: &'a [GameRecord],
    /// How many games there will be, as far as is known.
    pub total: usize,
}

/// How a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// All games were played, or the test is decided.
    Complete,
    /// It was stopped from outside.
    Stopped,
}

/// A match that is ready to play: its engines answered and have names.
#[derive(Debug)]
pub struct Match {
    config: MatchConfig,
    names: Vec<String>,
    manners: Manners,
    /// Engines that were started to see whether they work.
    started: HashMap<usize, UciEngine>,
}

impl Match {
    /// Starts every engine once, so that mistakes show before the first game.
    ///
    /// # Errors
    ///
    /// When an engine cannot be used or the settings make no match.
    pub fn prepare(config: MatchConfig, stop: &StopSignal) -> Result<Match, MatchError> {
        let count = config.engines.len();
        if count < 2 {
            return Err(MatchError::TooFewEngines(count));
        }
        if config.sprt.is_some() && count != 2 {
            return Err(MatchError::SprtEngines(count));
        }
        if config.openings.is_empty() {
            return Err(MatchError::NoOpenings);
        }
        let manners = Manners {
            ruleset: config.ruleset,
            options: config.options.clone(),
            silence: config.silence,
            stop: stop.clone(),
        };
        let chess960 = config.chess960 || config.openings.iter().any(Opening::is_chess960);
        let mut started = HashMap::new();
        let mut names = Vec::new();
        for (index, spec) in config.engines.iter().enumerate() {
            let given = spec.name.clone().unwrap_or_else(|| spec.command_text());
            if spec.limits.or(config.limits).is_unlimited() {
                return Err(MatchError::NoLimit(given));
            }
            let fail = |source| MatchError::Engine {
                name: given.clone(),
                source,
            };
            let mut engine = UciEngine::start(spec, &manners).map_err(fail)?;
            if chess960 {
                engine.new_game(true).map_err(fail)?;
                engine.wait_ready().map_err(fail)?;
            }
            let own_name = engine.id_name().map(str::to_owned);
            let name = spec
                .name
                .clone()
                .or(own_name)
                .unwrap_or_else(|| given.clone());
            names.push(unique_name(name, spec, &names)?);
            started.insert(index, engine);
        }
        Ok(Match {
            config,
            names,
            manners,
            started,
        })
    }

    /// The engines' names, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Plays all games that are not among `games`, which the finished ones join.
    /// `run` names this run in the records; `observe` is called after each game.
    ///
    /// # Errors
    ///
    /// When an engine cannot be started again and again.
    pub fn play(
        mut self,
        run: &str,
        games: &mut Vec<GameRecord>,
        observe: &mut dyn FnMut(Finished<'_>),
    ) -> Result<MatchEnd, MatchError> {
        let known: HashMap<GameId, Outcome> =
            games.iter().map(|game| (game.id, game.result)).collect();
        let mut first_pool = Some(std::mem::take(&mut self.started));
        let (jobs, job_queue) = channel::bounded::<Fixture>(0);
        let (reports, report_queue) = channel::unbounded();
        thread::scope(|scope| {
            for _ in 0..self.config.concurrency.max(1) {
                let worker = Worker {
                    config: &self.config,
                    names: &self.names,
                    manners: &self.manners,
                    run,
                    engines: first_pool.take().unwrap_or_default(),
                };
                let (job_queue, reports) = (job_queue.clone(), reports.clone());
                scope.spawn(move || worker.work(&job_queue, &reports));
            }
            drop((job_queue, reports));
            let end = self.conduct(&known, games, observe, jobs, &report_queue);
            if !matches!(end, Ok(MatchEnd::Complete)) {
                self.manners.stop.stop();
            }
            end
        })
    }

    /// Hands out games and takes in results until all is played.
    fn conduct(
        &self,
        known: &HashMap<GameId, Outcome>,
        games: &mut Vec<GameRecord>,
        observe: &mut dyn FnMut(Finished<'_>),
        jobs: Sender<Fixture>,
        reports: &Receiver<Report>,
    ) -> Result<MatchEnd, MatchError> {
        let stop = &self.manners.stop;
        let mut schedule = self
            .config
            .format
            .schedule(self.config.engines.len(), self.config.games);
        let mut running = 0;
        let mut given_up = 0;
        let mut next = Next::Wait;
        if self.is_decided(games) {
            return Ok(MatchEnd::Complete);
        }
        loop {
            // Games that are known from an earlier run count as played at once.
            while running < self.config.concurrency.max(1) && !stop.is_stopped() {
                next = schedule.next();
                let Next::Play(fixture) = next else { break };
                if let Some(&outcome) = known.get(&fixture.id) {
                    schedule.finished(fixture, outcome);
                } else if jobs.send(fixture).is_ok() {
                    running += 1;
                }
            }
            if running == 0 {
                let complete = next == Next::Done && given_up == 0;
                return Ok(if complete {
                    MatchEnd::Complete
                } else {
                    MatchEnd::Stopped
                });
            }
            let Ok(report) = reports.recv() else {
                return Ok(MatchEnd::Stopped);
            };
            running -= 1;
            match report {
                Report::Stopped => given_up += 1,
                Report::Failed(error) => return Err(error),
                Report::Finished(finished) => {
                    let GameReport {
                        fixture,
                        record,
                        pgn,
                    } = *finished;
                    schedule.finished(fixture, record.result);
                    games.push(record);
                    observe(Finished {
                        record: &games[games.len() - 1],
                        pgn: &pgn,
                        games,
                        total: schedule.total(),
                    });
                    if self.is_decided(games) {
                        // What still runs cannot change the decision.
                        stop.stop();
                        return Ok(MatchEnd::Complete);
                    }
                }
            }
        }
    }

    fn is_decided(&self, games: &[GameRecord]) -> bool {
        self.config.sprt.is_some_and(|sprt| {
            let standings = Standings::new(&self.names, games);
            let pairs = standings
                .encounters
                .first()
                .map(|row| row.pentanomial)
                .unwrap_or_default();
            sprt.status(&pairs).decision != Decision::Undecided
        })
    }
}

/// An engine that names itself like another gets a number; a given name must be
/// unique.
fn unique_name(name: String, spec: &EngineSpec, taken: &[String]) -> Result<String, MatchError> {
    if !taken.contains(&name) {
        return Ok(name);
    }
    if spec.name.is_some() {
        return Err(MatchError::SameName(name));
    }
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    Ok(numbered
        .into_iter()
        .find(|numbered| !taken.contains(numbered))
        .unwrap_or(name))
}

/// A name for a run that no other run has.
#[must_use]
pub fn new_run_name() -> String {
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_nanos();
    format!("{:x}-{:x}", nanos, std::process::id())
}
