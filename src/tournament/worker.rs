//! One worker of a match: plays game after game with engines that it keeps
//! running.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime},
};

use crossbeam::channel::{Receiver, Sender};
use shakmaty::{ByColor, Color};

use super::{
    game::{self, PlayedGame, Seat, Terms, Unfinished},
    openings::Opening,
    pgn,
    record::{Fault, GameId, GameRecord, Outcome},
    runner::{MatchConfig, MatchError},
    schedule::Fixture,
    time_control::Limits,
    uci::{EngineError, Manners, UciEngine},
};

/// Starts of one engine that may fail one after the other before the match is
/// given up.
const START_ATTEMPTS: u32 = 3;

/// What became of a game.
pub enum Report {
    /// It was finished.
    Finished(Box<GameReport>),
    /// The match is being stopped.
    Stopped,
    /// An engine cannot be used any more.
    Failed(MatchError),
}

/// A finished game.
pub struct GameReport {
    /// Which game it was.
    pub fixture: Fixture,
    /// Its record.
    pub record: GameRecord,
    /// Its text in PGN.
    pub pgn: String,
}

/// A worker with what it needs to know of the match.
pub struct Worker<'a> {
    /// The match.
    pub config: &'a MatchConfig,
    /// Names of the engines.
    pub names: &'a [String],
    /// How engines are spoken to.
    pub manners: &'a Manners,
    /// Name of the run.
    pub run: &'a str,
    /// Running engines by their index.
    pub engines: HashMap<usize, UciEngine>,
}

impl Worker<'_> {
    /// Plays games until there are no more.
    pub fn work(mut self, jobs: &Receiver<Fixture>, reports: &Sender<Report>) {
        for fixture in jobs {
            let report = self.play(fixture);
            if reports.send(report).is_err() {
                break;
            }
        }
        self.engines.into_values().for_each(UciEngine::quit);
    }

    fn play(&mut self, fixture: Fixture) -> Report {
        let sides = ByColor {
            white: fixture.white,
            black: fixture.black,
        };
        let started = Instant::now();
        let mut engines = Vec::new();
        for index in [fixture.white, fixture.black] {
            match self.take_engine(index) {
                Ok(engine) => engines.push(engine),
                Err(EngineError::Stopped) => return Report::Stopped,
                Err(source) => {
                    let name = self.names[index].clone();
                    return Report::Failed(MatchError::Engine { name, source });
                }
            }
        }
        let (Some(mut black), Some(mut white)) = (engines.pop(), engines.pop()) else {
            return Report::Stopped;
        };
        let starting = started.elapsed();
        let config = self.config;
        let opening = &config.openings[fixture.opening() % config.openings.len()];
        let limits = sides.map(|index| config.engines[index].limits.or(config.limits));
        let ponder = sides.map(|index| config.engines[index].ponder.unwrap_or(config.ponder));
        let seats = ByColor {
            white: Seat {
                engine: &mut white,
                limits: limits.white,
                ponder: ponder.white,
            },
            black: Seat {
                engine: &mut black,
                limits: limits.black,
                ponder: ponder.black,
            },
        };
        let terms = Terms {
            opening,
            chess960: config.chess960 || opening.is_chess960(),
            margin: config.margin,
            adjudication: &config.adjudication,
        };
        let game = match game::play(seats, terms) {
            Ok(game) => game,
            Err(Unfinished::Stopped) => return Report::Stopped,
            Err(Unfinished::Unsupported(color, why)) => {
                return Report::Failed(MatchError::Engine {
                    name: self.names[*sides.get(color)].clone(),
                    source: EngineError::Unsupported(why),
                });
            }
        };
        for (color, engine) in [(Color::White, white), (Color::Black, black)] {
            let index = *sides.get(color);
            if *game.lost_engines.get(color) {
                drop(engine);
            } else if config.engines[index].restart {
                engine.quit();
            } else {
                self.engines.insert(index, engine);
            }
        }
        Report::Finished(Box::new(
            self.report(fixture, &game, starting, opening, limits),
        ))
    }

    /// The running engine, or a new process, started more than once if need be.
    fn take_engine(&mut self, index: usize) -> Result<UciEngine, EngineError> {
        if let Some(engine) = self.engines.remove(&index) {
            return Ok(engine);
        }
        let mut attempt = 1;
        loop {
            match UciEngine::start(&self.config.engines[index], self.manners) {
                Err(EngineError::Stopped) => return Err(EngineError::Stopped),
                Err(error) if attempt == START_ATTEMPTS => return Err(error),
                Err(_) => attempt += 1,
                Ok(engine) => return Ok(engine),
            }
        }
    }

    fn report(
        &self,
        fixture: Fixture,
        game: &PlayedGame,
        starting: Duration,
        opening: &Opening,
        limits: ByColor<Limits>,
    ) -> GameReport {
        let players = ByColor {
            white: self.names[fixture.white].as_str(),
            black: self.names[fixture.black].as_str(),
        };
        let GameId {
            game: number,
            pairing,
        } = fixture.id;
        let pgn = pgn::write(
            game,
            &pgn::Tags {
                event: &self.config.event,
                date: &pgn::utc_date(SystemTime::now()),
                round: if self.names.len() == 2 {
                    format!("{}.{}", number / 2 + 1, number % 2 + 1)
                } else {
                    format!("{}.{}.{}", pairing + 1, number / 2 + 1, number % 2 + 1)
                },
                players,
                limits,
                opening,
            },
        );
        let plies = game.moves.iter().filter(|played| played.thought.is_some());
        let faults = game.faults.iter().map(|fault| Fault {
            engine: (*players.get(fault.color)).to_owned(),
            kind: fault.kind,
            detail: fault.detail.clone(),
        });
        let record = GameRecord {
            run: self.run.to_owned(),
            id: fixture.id,
            white: players.white.to_owned(),
            black: players.black.to_owned(),
            opening: opening.describe(),
            result: Outcome::from_winner(game.ending.winner),
            end: game.ending.kind,
            reason: game.ending.reason.clone(),
            plies: plies.count() as u32,
            white_seconds: game.thinking.white.as_secs_f64(),
            black_seconds: game.thinking.black.as_secs_f64(),
            preparing_seconds: (starting + game.preparing).as_secs_f64(),
            faults: faults.collect(),
        };
        GameReport {
            fixture,
            record,
            pgn,
        }
    }
}
