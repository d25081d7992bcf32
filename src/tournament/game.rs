//! The referee: plays one game between two engines.
//!
//! The referee owns the clock and the rules. After every move it first asks
//! whether a king exploded or the side to move is mated, and only then about
//! draws. A flag that falls against a bare king is a draw, since a bare king
//! cannot win; every other fault loses.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use shakmaty::{ByColor, Color, Move};

use super::{
    adjudication::{Adjudication, Adjudicator, MoveSeen},
    info::Score,
    openings::Opening,
    record::{EndKind, FaultKind},
    time_control::{Clock, Limits},
    uci::{Answer, BestMove, EngineError, Patience, UciEngine},
};
use crate::rules::{self, Position};

/// One side of the board.
#[derive(Debug)]
pub struct Seat<'a> {
    /// The engine.
    pub engine: &'a mut UciEngine,
    /// What limits its moves.
    pub limits: Limits,
    /// Whether it thinks in its opponent's time.
    pub ponder: bool,
}

/// What both sides share.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// Where the game starts.
    pub opening: &'a Opening,
    /// Whether castling is sent as king takes rook.
    pub chess960: bool,
    /// How much later than allowed a move may come.
    pub margin: Duration,
    /// Rules that end games early.
    pub adjudication: &'a Adjudication,
}

/// A move on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlayedMove {
    /// The move in SAN, `#` for a king explosion included.
    pub san: String,
    /// What the engine told, or `None` for a move of the opening.
    pub thought: Option<Thought>,
}

/// What is known about how a move was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thought {
    /// Time used.
    pub time: Duration,
    /// Score from the mover's side.
    pub score: Option<Score>,
    /// Depth in plies.
    pub depth: Option<u32>,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// By what.
    pub kind: EndKind,
    /// In words.
    pub reason: String,
}

/// What a side did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SideFault {
    /// Which side.
    pub color: Color,
    /// What kind of fault.
    pub kind: FaultKind,
    /// In words.
    pub detail: String,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// All moves, those of the opening first.
    pub moves: Vec<PlayedMove>,
    /// How it ended.
    pub ending: Ending,
    /// Everything that went wrong.
    pub faults: Vec<SideFault>,
    /// Sides whose engine has to be started anew.
    pub lost_engines: ByColor<bool>,
    /// Time that each engine thought on its own clock, a lost move included.
    pub thinking: ByColor<Duration>,
    /// Time that the engines took to get ready for the game.
    pub preparing: Duration,
}

/// Why a game was not finished.
#[derive(Debug)]
pub enum Unfinished {
    /// The match is being stopped.
    Stopped,
    /// The engine of that side cannot play this kind of game.
    Unsupported(Color, String),
}

/// Plays one game. A failing engine loses it; the game still counts.
///
/// # Errors
///
/// When the match is stopped, or an engine lacks Chess960 that the game needs.
pub fn play(seats: ByColor<Seat<'_>>, terms: Terms<'_>) -> Result<PlayedGame, Unfinished> {
    let mut referee = Referee::new(seats, terms);
    let ending = referee.play()?;
    referee.settle()?;
    Ok(PlayedGame {
        moves: referee.moves,
        ending,
        faults: referee.faults,
        lost_engines: referee.lost_engines,
        thinking: referee.thinking,
        preparing: referee.preparing,
    })
}

struct Referee<'a> {
    seats: ByColor<Seat<'a>>,
    terms: Terms<'a>,
    clocks: ByColor<Option<Clock>>,
    position: Position,
    /// Keys of all earlier positions.
    keys: Vec<u64>,
    /// The `position` command for the engines.
    command: String,
    last_move: String,
    moves: Vec<PlayedMove>,
    adjudicators: Vec<Box<dyn Adjudicator>>,
    faults: Vec<SideFault>,
    lost_engines: ByColor<bool>,
    thinking: ByColor<Duration>,
    preparing: Duration,
}

impl<'a> Referee<'a> {
    fn new(seats: ByColor<Seat<'a>>, terms: Terms<'a>) -> Referee<'a> {
        let clocks = seats.as_ref().map(|seat| seat.limits.clock.map(Clock::new));
        let position = terms.opening.start.clone();
        let mut referee = Referee {
            seats,
            terms,
            clocks,
            command: format!("position fen {}", position.fen()),
            position,
            keys: Vec::new(),
            last_move: String::new(),
            moves: Vec::new(),
            adjudicators: terms.adjudication.start(),
            faults: Vec::new(),
            lost_engines: ByColor::new_with(|_| false),
            thinking: ByColor::new_with(|_| Duration::ZERO),
            preparing: Duration::ZERO,
        };
        for &m in &terms.opening.moves {
            referee.make_move(m, None);
        }
        referee
    }

    fn play(&mut self) -> Result<Ending, Unfinished> {
        let started = Instant::now();
        // Both get ready at the same time.
        for color in Color::ALL {
            let engine = &mut self.seats.get_mut(color).engine;
            if let Err(error) = engine.new_game(self.terms.chess960) {
                return self.forfeit(color, error);
            }
        }
        for color in Color::ALL {
            if let Err(error) = self.seats.get_mut(color).engine.wait_ready() {
                return self.forfeit(color, error);
            }
        }
        self.preparing = started.elapsed();
        loop {
            if let Some(result) = rules::result(&self.position, &self.keys) {
                return Ok(Ending {
                    winner: result.winner,
                    kind: EndKind::Rules,
                    reason: result.termination.to_string(),
                });
            }
            if let Some(ending) = self.next_move()? {
                return Ok(ending);
            }
        }
    }

    /// Lets the side to move move. `Some` when that ended the game before any
    /// rule of atomic chess is asked.
    fn next_move(&mut self) -> Result<Option<Ending>, Unfinished> {
        let mover = self.position.turn();
        let allowed = self.allowed(mover);
        let (started, answer) = match self.ask(mover, allowed) {
            Ok(answered) => answered,
            Err(error) => return self.forfeit(mover, error).map(Some),
        };
        let ended = match &answer {
            Answer::Move(best) => best.at,
            Answer::Pending => Instant::now(),
        };
        let time = ended.saturating_duration_since(started);
        *self.thinking.get_mut(mover) += time;
        let best = match answer {
            Answer::Pending => {
                let ending = self.flag_fall(mover);
                if let Err(error) = self.seats.get_mut(mover).engine.stop_search() {
                    self.note_failure(mover, error)?;
                }
                return Ok(Some(ending));
            }
            Answer::Move(best) => best,
        };
        if allowed.is_some_and(|allowed| time > allowed) {
            return Ok(Some(self.flag_fall(mover)));
        }
        if let Some(clock) = self.clocks.get_mut(mover) {
            clock.press(time);
        }
        let Ok(m) = self.position.parse_uci(&best.text) else {
            return Ok(Some(self.illegal_move(mover, &best.text)));
        };
        let thought = Thought {
            time,
            score: best.info.score,
            depth: best.info.depth,
        };
        self.make_move(m, Some(thought));
        if let Err(error) = self.start_pondering(mover, &best) {
            return self.forfeit(mover, error).map(Some);
        }
        Ok(self.adjudicate(mover, thought.score))
    }

    /// The longest that the move may take, margin included; `None` without a clock.
    fn allowed(&self, mover: Color) -> Option<Duration> {
        let clock = self.clocks.get(mover).as_ref().map(Clock::remaining);
        let move_time = self.seats.get(mover).limits.move_time;
        clock
            .into_iter()
            .chain(move_time)
            .min()
            .map(|time| time + self.terms.margin)
    }

    fn ask(
        &mut self,
        mover: Color,
        allowed: Option<Duration>,
    ) -> Result<(Instant, Answer), EngineError> {
        let go = self.go_command(mover, "go");
        let engine = &mut self.seats.get_mut(mover).engine;
        let started = match engine.ponder_hit(&self.last_move)? {
            Some(started) => started,
            None => engine.go(&self.command, &go)?,
        };
        let patience = match allowed {
            Some(allowed) => Patience::Until(started + allowed),
            None => Patience::WhileTalking,
        };
        Ok((started, engine.wait_move(patience)?))
    }

    fn go_command(&self, mover: Color, start: &str) -> String {
        let mut text = start.to_owned();
        let limits = self.seats.get(mover).limits;
        if let Some(own) = self.clocks.get(mover) {
            let white = self.clocks.white.as_ref().unwrap_or(own);
            let black = self.clocks.black.as_ref().unwrap_or(own);
            let _ = write!(
                text,
                " wtime {} btime {} winc {} binc {}",
                white.remaining().as_millis().max(1),
                black.remaining().as_millis().max(1),
                white.increment().as_millis(),
                black.increment().as_millis(),
            );
            if let Some(moves) = own.moves_left() {
                let _ = write!(text, " movestogo {moves}");
            }
        }
        if let Some(time) = limits.move_time {
            let _ = write!(text, " movetime {}", time.as_millis().max(1));
        }
        if let Some(depth) = limits.depth {
            let _ = write!(text, " depth {depth}");
        }
        if let Some(nodes) = limits.nodes {
            let _ = write!(text, " nodes {nodes}");
        }
        text
    }

    fn make_move(&mut self, m: Move, thought: Option<Thought>) {
        self.moves.push(PlayedMove {
            san: self.position.san(m),
            thought,
        });
        self.last_move = self.position.uci(m, self.terms.chess960);
        let before = if self.keys.is_empty() { " moves " } else { " " };
        self.command.push_str(before);
        self.command.push_str(&self.last_move);
        self.keys.push(self.position.key());
        self.position.play(m);
    }

    /// Lets the side that just moved think about the reply it expects, unless
    /// that reply is no move here or the game is over.
    fn start_pondering(&mut self, mover: Color, best: &BestMove) -> Result<(), EngineError> {
        if !self.seats.get(mover).ponder || rules::result(&self.position, &self.keys).is_some() {
            return Ok(());
        }
        let reply = best
            .ponder
            .as_ref()
            .and_then(|text| self.position.parse_uci(text).ok());
        let Some(reply) = reply else {
            return Ok(());
        };
        let guess = self.position.uci(reply, self.terms.chess960);
        let position = format!("{} {guess}", self.command);
        let go = self.go_command(mover, "go ponder");
        self.seats
            .get_mut(mover)
            .engine
            .ponder(&guess, &position, &go)
    }

    fn adjudicate(&mut self, mover: Color, score: Option<Score>) -> Option<Ending> {
        // What the rules decide is not for adjudication.
        if rules::result(&self.position, &self.keys).is_some() {
            return None;
        }
        let seen = MoveSeen {
            position: &self.position,
            mover,
            number: (self.moves.len() as u32).div_ceil(2),
            score,
        };
        // Every rule sees every move, so none of them stops the others.
        let verdicts = Vec::from_iter(self.adjudicators.iter_mut().map(|rule| rule.judge(seen)));
        verdicts.into_iter().flatten().next().map(|verdict| Ending {
            winner: verdict.winner,
            kind: EndKind::Adjudication,
            reason: verdict.reason.to_owned(),
        })
    }

    fn flag_fall(&mut self, loser: Color) -> Ending {
        let move_number = self.moves.len() / 2 + 1;
        self.note(
            loser,
            FaultKind::TimeLoss,
            format!("flag fell on move {move_number}"),
        );
        let bare_king = self.position.board().by_color(!loser).count() == 1;
        Ending {
            winner: (!bare_king).then_some(!loser),
            kind: EndKind::TimeForfeit,
            reason: if bare_king {
                format!("{} flag fell against a bare king", whose(loser))
            } else {
                format!("{} flag fell", whose(loser))
            },
        }
    }

    fn illegal_move(&mut self, loser: Color, text: &str) -> Ending {
        let fen = self.position.fen();
        self.note(
            loser,
            FaultKind::IllegalMove,
            format!("played '{text}' in {fen}"),
        );
        Ending {
            winner: Some(!loser),
            kind: EndKind::IllegalMove,
            reason: format!("{} move '{text}' is illegal", whose(loser)),
        }
    }

    /// The side's engine failed: it loses and will be started anew.
    fn forfeit(&mut self, loser: Color, error: EngineError) -> Result<Ending, Unfinished> {
        let reason = format!("{} engine {error}", whose(loser));
        self.note_failure(loser, error)?;
        Ok(Ending {
            winner: Some(!loser),
            kind: EndKind::Failure,
            reason,
        })
    }

    fn note_failure(&mut self, color: Color, error: EngineError) -> Result<(), Unfinished> {
        let kind = match &error {
            EngineError::Stopped => return Err(Unfinished::Stopped),
            EngineError::Unsupported(why) => {
                return Err(Unfinished::Unsupported(color, why.clone()));
            }
            EngineError::Silent { .. } => FaultKind::Hang,
            EngineError::Disconnected => FaultKind::Disconnect,
            EngineError::Crashed(_) | EngineError::Start { .. } => FaultKind::Crash,
        };
        *self.lost_engines.get_mut(color) = true;
        self.note(color, kind, error.to_string());
        Ok(())
    }

    fn note(&mut self, color: Color, kind: FaultKind, detail: String) {
        self.faults.push(SideFault {
            color,
            kind,
            detail,
        });
    }

    /// Leaves both engines idle for the next game.
    fn settle(&mut self) -> Result<(), Unfinished> {
        for color in Color::ALL {
            if *self.lost_engines.get(color) {
                continue;
            }
            if let Err(error) = self.seats.get_mut(color).engine.stop_pondering() {
                self.note_failure(color, error)?;
            }
        }
        Ok(())
    }
}

fn whose(color: Color) -> &'static str {
    color.fold_wb("White's", "Black's")
}
