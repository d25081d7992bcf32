//! One sitting: reads what the player types, lets the engine move, watches the
//! clocks, and saves after every move.

use std::{
    io::{IsTerminal, Write, stdin, stdout},
    process::ExitCode,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use crossbeam::channel::{self, Receiver, RecvTimeoutError};
use fission::{
    diagram::{Blast, Scene, side_name, text::Style},
    games::line,
    play::{
        Command, Game, Offer,
        clock::face,
        command::{HELP, chosen_promotion},
        save::{SaveFile, Sides},
    },
    report::{interrupt::Interrupt, score_text},
    search::{
        Clock as SearchClock, Limits, Pool, SearchOptions, SearchResult, Skill,
        score::{Score, mate_distance},
    },
    uci::input::{self, Input},
};
use shakmaty::{Color, Move};

use super::Play;

/// Nodes to answer a draw offer, a hint or an evaluation.
const LOOK: u64 = 300_000;
/// Plies before the engine agrees to a draw with many men on the board.
const EARLY: usize = 30;
/// Men on the board below which that is no longer early.
const FEW_MEN: usize = 10;
/// The exit status after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// What happens while the player thinks.
enum Event {
    Line(String),
    /// The input ended.
    End,
    Interrupt,
}

/// How a sitting is left.
enum Leave {
    /// The game is over.
    Over,
    /// It is laid aside.
    Quit,
    Interrupted,
}

/// What the next line answers, if not whose move it is.
enum Question {
    None,
    Resign,
    Promotion(Vec<Move>),
}

pub struct Session {
    game: Game,
    sides: Sides,
    file: SaveFile,
    pool: Pool,
    think: Duration,
    style: Style,
    interrupt: Arc<Interrupt>,
    events: Receiver<Event>,
    question: Question,
}

impl Session {
    pub fn new(arguments: &Play, file: SaveFile, game: Game, sides: Sides) -> Result<Session> {
        let mut pool = Pool::default();
        pool.set_threads(arguments.threads);
        pool.set_hash(arguments.hash)?;
        let (sender, events) = channel::unbounded();
        let interrupt = Arc::new(Interrupt::default());
        let (handler, told) = (Arc::clone(&interrupt), sender.clone());
        ctrlc::set_handler(move || {
            handler.give();
            // If the session is gone, so is the need.
            let _ = told.send(Event::Interrupt);
        })
        .context("cannot listen for Ctrl-C")?;
        thread::spawn(move || {
            let mut input = stdin().lock();
            loop {
                let event = match input::read(&mut input) {
                    Input::Line(line) => Event::Line(line),
                    // No move is that long.
                    Input::TooLong(_) => Event::Line("…".to_owned()),
                    Input::End => Event::End,
                };
                let ended = matches!(event, Event::End);
                if sender.send(event).is_err() || ended {
                    return;
                }
            }
        });
        Ok(Session {
            game,
            sides,
            file,
            pool,
            think: Duration::from_secs_f64(arguments.think),
            style: Style {
                ascii: arguments.ascii,
                color: stdout().is_terminal(),
                below: Some(sides.player),
            },
            interrupt,
            events,
            question: Question::None,
        })
    }

    /// Plays until the game is over or laid aside.
    pub fn run(mut self) -> Result<ExitCode> {
        say(&format!(
            "You play {} against Fission, level {}. `help` lists what you can type.\n",
            side_name(self.sides.player),
            self.sides.level
        ))?;
        self.show_last()?;
        let leave = loop {
            if self.game.end().is_some() {
                break Leave::Over;
            }
            let left = if self.game.turn() == self.sides.player {
                self.player_turn()?
            } else {
                self.engine_turn()?
            };
            if let Some(leave) = left {
                break leave;
            }
        };
        self.game.stop_clock(Instant::now());
        self.file.save(&self.game, self.sides)?;
        let path = self.file.path().display();
        match leave {
            Leave::Over => {
                if let Some(end) = self.game.end() {
                    say(&format!("{} ({})\n", end.as_str(), end.reason()))?;
                }
                say(&format!("The game is in {path}.\n"))?;
                Ok(ExitCode::SUCCESS)
            }
            Leave::Quit | Leave::Interrupted => {
                say(&if self.file.is_written() {
                    format!("\nSaved in {path}; fission play --save {path} --continue goes on.\n")
                } else {
                    "\nNo move was played, so nothing was saved.\n".to_owned()
                })?;
                Ok(match leave {
                    Leave::Interrupted => ExitCode::from(INTERRUPTED),
                    _ => ExitCode::SUCCESS,
                })
            }
        }
    }

    /// Waits for one line, or for the flag.
    fn player_turn(&mut self) -> Result<Option<Leave>> {
        say(match self.question {
            Question::None => self.sides.player.fold_wb("White> ", "Black> "),
            Question::Resign => "Do you resign? (y/n) ",
            Question::Promotion(_) => "Promote to? (q, r, b, n) ",
        })?;
        let event = match self.game.clock() {
            None => self.events.recv().unwrap_or(Event::End),
            Some(clock) => {
                let left = clock.left(self.sides.player, Instant::now());
                match self.events.recv_timeout(left) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Disconnected) => Event::End,
                    Err(RecvTimeoutError::Timeout) => {
                        self.game.check_flag(Instant::now());
                        say("\n")?;
                        return Ok(None);
                    }
                }
            }
        };
        if self.game.check_flag(Instant::now()) {
            return Ok(None);
        }
        match event {
            Event::End => Ok(Some(Leave::Quit)),
            Event::Interrupt => Ok(Some(Leave::Interrupted)),
            Event::Line(text) => self.answer(&text),
        }
    }

    fn answer(&mut self, text: &str) -> Result<Option<Leave>> {
        match std::mem::replace(&mut self.question, Question::None) {
            Question::None => self.obey(Command::parse(text, self.game.position())),
            Question::Resign => {
                if matches!(text.trim().to_ascii_lowercase().as_str(), "y" | "yes") {
                    self.game.resign(self.sides.player, Instant::now());
                } else {
                    say("The game goes on.\n")?;
                }
                Ok(None)
            }
            Question::Promotion(choices) => {
                match chosen_promotion(text, &choices) {
                    Some(m) => self.play(m)?,
                    None => say("No promotion; choose a move again.\n")?,
                }
                Ok(None)
            }
        }
    }

    fn obey(&mut self, command: Command) -> Result<Option<Leave>> {
        match command {
            Command::Nothing => {}
            Command::Play(m) => self.play(m)?,
            Command::Promote(choices) => self.question = Question::Promotion(choices),
            Command::Board => self.show_last()?,
            Command::Moves(square) => {
                let position = self.game.position();
                let sans: Vec<String> = position
                    .legal_moves()
                    .into_iter()
                    .filter(|m| square.is_none_or(|square| m.from() == Some(square)))
                    .map(|m| position.san(m))
                    .collect();
                let none = "no legal move".to_owned();
                say(&format!(
                    "{}\n",
                    if sans.is_empty() {
                        none
                    } else {
                        sans.join(" ")
                    }
                ))?;
            }
            Command::Hint => {
                if let Some(best) = self.look().best {
                    say(&format!("Try {}.\n", self.game.position().san(best)))?;
                }
            }
            Command::Eval => {
                let found = self.look();
                let score = found.score().unwrap_or_default();
                let line = found.variations.first().map_or_else(String::new, |info| {
                    line::numbered(self.game.position(), &info.pv)
                });
                say(&format!("{} for you: {line}\n", score_text(score)))?;
            }
            Command::Undo => {
                if self.game.moves().len() < 2 {
                    say("There is no move of yours to take back.\n")?;
                } else {
                    self.game.take_back(2, Instant::now());
                    self.file.save(&self.game, self.sides)?;
                    self.show_last()?;
                }
            }
            Command::Resign => self.question = Question::Resign,
            Command::Draw => self.offer()?,
            Command::Flip => {
                self.style.below = self.style.below.map(|color| !color);
                self.show_last()?;
            }
            Command::Fen => say(&format!("{}\n", self.game.position().fen()))?,
            Command::Help => say(HELP)?,
            Command::Quit => return Ok(Some(Leave::Quit)),
            Command::Wrong(error) => {
                say(&format!("{error}\n`help` lists what you can type.\n"))?;
            }
        }
        if self.interrupt.is_given() {
            return Ok(Some(Leave::Interrupted));
        }
        Ok(None)
    }

    /// The player offers a draw, or accepts the engine's offer. The engine
    /// answers at once.
    fn offer(&mut self) -> Result<()> {
        match self.game.offer_draw(self.sides.player, Instant::now()) {
            Offer::Agreed => Ok(()),
            Offer::Stands => say("Your offer stands until you move.\n"),
            Offer::Made => {
                let outlook = -self.look().score().unwrap_or_default();
                if self.is_drawish(outlook) {
                    self.game.accept_draw(Instant::now());
                    say("Fission accepts the draw.\n")
                } else {
                    say("Fission declines the draw.\n")
                }
            }
        }
    }

    /// Whether the engine, for whom the score is, would have a draw.
    fn is_drawish(&self, outlook: Score) -> bool {
        let men = self.game.position().board().occupied().count();
        let late = self.game.moves().len() >= EARLY || men < FEW_MEN;
        outlook < -200 || (late && outlook <= 15)
    }

    /// Looks at the position at full strength for a moment.
    fn look(&mut self) -> SearchResult {
        self.search(&Limits::nodes(LOOK), None)
    }

    fn search(&mut self, limits: &Limits, skill: Option<Skill>) -> SearchResult {
        let options = SearchOptions {
            skill,
            ..SearchOptions::default()
        };
        let keys = self.game.earlier_keys();
        let (pool, position) = (&mut self.pool, self.game.position());
        self.interrupt.during(limits, |control| {
            pool.search(position, &keys, limits, &options, control, &mut |_| {})
        })
    }

    fn engine_turn(&mut self) -> Result<Option<Leave>> {
        let now = Instant::now();
        let mut limits = Limits::default();
        match self.game.clock() {
            None => limits.movetime = Some(self.think),
            Some(clock) => {
                let increment = clock.setting().increment;
                limits.clocks = [Color::White, Color::Black].map(|color| {
                    Some(SearchClock {
                        left: clock.left(color, now),
                        increment,
                    })
                });
            }
        }
        let found = self.search(&limits, Skill::from_level(self.sides.level));
        if self.interrupt.is_given() {
            return Ok(Some(Leave::Interrupted));
        }
        let Some(best) = found.best else {
            // The rules would have ended the game.
            return Ok(Some(Leave::Quit));
        };
        self.play(best)?;
        let outlook = found.score().unwrap_or_default();
        if self.game.end().is_none()
            && self.game.offer().is_none()
            && self.game.moves().len() % 20 < 2
            && self.game.moves().len() >= EARLY
            && mate_distance(outlook).is_none()
            && self.is_drawish(outlook)
        {
            self.game.offer_draw(!self.sides.player, Instant::now());
            say("Fission offers a draw: `draw` accepts, a move declines.\n")?;
        }
        Ok(None)
    }

    /// Plays a move, shows it and saves the game.
    fn play(&mut self, m: Move) -> Result<()> {
        let count = self.game.moves().len();
        self.game.play(m, Instant::now());
        if self.game.moves().len() > count {
            self.show_last()?;
        }
        self.file.save(&self.game, self.sides)?;
        Ok(())
    }

    /// The last move, its blast, and the board after it.
    fn show_last(&self) -> Result<()> {
        let mut text = String::new();
        let scene = match self.game.moves().last() {
            None => Scene::of_position(self.game.position()),
            Some(&last) => {
                let before = &self.game.positions()[self.game.moves().len() - 1];
                text.push_str(&format!("\n{}\n", line::numbered(before, &[last])));
                if let Some(blast) = Blast::of_move(before, last) {
                    text.push_str(&self.style.blast(before, &blast));
                    text.push_str(&format!("{}\n", blast.describe()));
                }
                Scene::of_move(before, last)
            }
        };
        text.push_str(&self.style.board(&scene));
        if let Some(clock) = self.game.clock() {
            let now = Instant::now();
            text.push_str(&format!(
                "White {}   Black {}\n",
                face(clock.left(Color::White, now)),
                face(clock.left(Color::Black, now))
            ));
        }
        say(&text)
    }
}

/// Prints at once, so that prompts are seen.
fn say(text: &str) -> Result<()> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
