//! The state of a game: moves, clocks, the draw offer, and how it ended.

use std::time::{Duration, Instant};

use shakmaty::{ByColor, Color, Move};

use super::clock::Clock;
use crate::{
    diagram::side_name,
    rules::{GameResult, Position, result},
};

/// A game that is being played.
#[derive(Clone, Debug)]
pub struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
    /// Time left of both sides after each move.
    times: Vec<ByColor<Duration>>,
    clock: Option<Clock>,
    offer: Option<Color>,
    end: Option<End>,
}

/// How a game ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum End {
    /// By the rules.
    Rules(GameResult),
    /// This side gave up.
    Resigned(Color),
    /// Both agreed on a draw.
    Agreed,
    /// The time of this side ran out.
    Flag(Color),
    /// It ran out against a bare king, which is a draw.
    FlagAgainstBareKing(Color),
}

/// What became of the wish for a draw.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Offer {
    /// The other side had offered one: the game is drawn.
    Agreed,
    /// It is offered now.
    Made,
    /// It was offered before and still stands.
    Stands,
}

impl End {
    /// Who won, if anybody.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            End::Rules(result) => result.winner,
            End::Resigned(loser) | End::Flag(loser) => Some(!loser),
            End::Agreed | End::FlagAgainstBareKing(_) => None,
        }
    }

    /// The result as PGN writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self.winner() {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// The reason in words.
    #[must_use]
    pub fn reason(self) -> String {
        match self {
            End::Rules(result) => result.termination.to_string(),
            End::Resigned(loser) => format!("{} resigns", side_name(loser)),
            End::Agreed => "draw agreed".to_owned(),
            End::Flag(loser) => format!("{} runs out of time", side_name(loser)),
            End::FlagAgainstBareKing(color) => {
                format!("{} runs out of time against a bare king", side_name(color))
            }
        }
    }
}

impl Game {
    /// A game at its start; no clock runs yet.
    #[must_use]
    pub fn new(start: Position, clock: Option<Clock>) -> Game {
        let mut game = Game {
            positions: vec![start],
            moves: Vec::new(),
            times: Vec::new(),
            clock,
            offer: None,
            end: None,
        };
        game.end = game.end_by_rules();
        game
    }

    /// The position now.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    /// All positions so far.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The moves so far.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Time left of both sides after each move; empty without a clock.
    #[must_use]
    pub fn times(&self) -> &[ByColor<Duration>] {
        &self.times
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> Option<&Clock> {
        self.clock.as_ref()
    }

    /// Who is to move.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.position().turn()
    }

    /// Keys of the positions before this one.
    #[must_use]
    pub fn earlier_keys(&self) -> Vec<u64> {
        let before = &self.positions[..self.positions.len() - 1];
        before.iter().map(Position::key).collect()
    }

    /// How it ended, if it did.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The side whose draw offer stands.
    #[must_use]
    pub fn offer(&self) -> Option<Color> {
        self.offer
    }

    /// Lets the clock of the side to move run.
    pub fn start_clock(&mut self, now: Instant) {
        let turn = self.turn();
        if self.end.is_none()
            && let Some(clock) = &mut self.clock
        {
            clock.start(turn, now);
        }
    }

    /// Stops the clock, as when the game is laid aside.
    pub fn stop_clock(&mut self, now: Instant) {
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
        }
    }

    /// Plays a legal move, unless the flag has fallen. An offer of the side that
    /// moves lapses; the other side's clock starts.
    pub fn play(&mut self, m: Move, now: Instant) {
        if self.check_flag(now) || self.end.is_some() {
            return;
        }
        let mover = self.turn();
        if self.offer == Some(mover) {
            self.offer = None;
        }
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
            clock.add_increment(mover);
            let clock = &*clock;
            self.times
                .push(ByColor::new_with(|color| clock.left(color, now)));
        }
        self.positions.push(self.position().after(m));
        self.moves.push(m);
        self.end = self.end_by_rules();
        self.start_clock(now);
    }

    /// Sets the time left of a side, as when a game is laid open again.
    pub fn set_time(&mut self, color: Color, left: Duration) {
        if let Some(clock) = &mut self.clock {
            clock.set(color, left);
        }
        if let Some(times) = self.times.last_mut() {
            *times.get_mut(color) = left;
        }
    }

    /// Takes back this many plies, with the clocks as they were.
    pub fn take_back(&mut self, plies: usize, now: Instant) {
        let kept = self.moves.len().saturating_sub(plies);
        self.moves.truncate(kept);
        self.positions.truncate(kept + 1);
        self.times.truncate(kept);
        self.offer = None;
        self.end = None;
        if let Some(clock) = &mut self.clock {
            clock.stop(now);
            let base = clock.setting().base;
            for color in Color::ALL {
                let left = self.times.last().map_or(base, |times| *times.get(color));
                clock.set(color, left);
            }
        }
        self.start_clock(now);
    }

    /// `color` offers a draw or accepts the other's offer.
    pub fn offer_draw(&mut self, color: Color, now: Instant) -> Offer {
        match self.offer {
            Some(maker) if maker == color => Offer::Stands,
            Some(_) => {
                self.finish(End::Agreed, now);
                Offer::Agreed
            }
            None => {
                self.offer = Some(color);
                Offer::Made
            }
        }
    }

    /// Ends the game by agreement: the offer that stands is accepted.
    pub fn accept_draw(&mut self, now: Instant) {
        if self.offer.is_some() {
            self.finish(End::Agreed, now);
        }
    }

    /// `color` gives up.
    pub fn resign(&mut self, color: Color, now: Instant) {
        self.finish(End::Resigned(color), now);
    }

    /// Ends the game if the side to move has no time left; returns whether it
    /// did.
    pub fn check_flag(&mut self, now: Instant) -> bool {
        let turn = self.turn();
        let fell = self.end.is_none()
            && self
                .clock
                .as_ref()
                .is_some_and(|clock| clock.left(turn, now).is_zero());
        if fell {
            let opponent = self.position().board().by_color(!turn);
            let end = if opponent.count() == 1 {
                End::FlagAgainstBareKing(turn)
            } else {
                End::Flag(turn)
            };
            self.finish(end, now);
        }
        fell
    }

    fn finish(&mut self, end: End, now: Instant) {
        self.stop_clock(now);
        self.end.get_or_insert(end);
    }

    fn end_by_rules(&self) -> Option<End> {
        result(self.position(), &self.earlier_keys()).map(End::Rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn game(fen: Option<&str>) -> (Game, Instant) {
        let start = match fen {
            Some(fen) => Position::from_fen(fen, Ruleset::Lichess).expect("test FEN"),
            None => Position::startpos(Ruleset::Lichess),
        };
        let clock = Clock::new("1+1".parse().expect("a setting"));
        let now = Instant::now();
        let mut game = Game::new(start, Some(clock));
        game.start_clock(now);
        (game, now)
    }

    fn play(game: &mut Game, san: &str, now: Instant) {
        let m = game.position().parse_san(san).expect("test move");
        game.play(m, now);
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_offer_lapses_when_its_maker_moves() {
        let (mut game, now) = game(None);
        assert_eq!(game.offer_draw(Color::White, now), Offer::Made);
        assert_eq!(game.offer_draw(Color::White, now), Offer::Stands);
        play(&mut game, "e4", now);
        assert_eq!(game.offer(), None);
        assert_eq!(game.offer_draw(Color::White, now), Offer::Made);
        play(&mut game, "e5", now);
        assert_eq!(
            game.offer(),
            Some(Color::White),
            "the answer of the other side does not end it"
        );
        assert_eq!(game.offer_draw(Color::Black, now), Offer::Agreed);
        assert_eq!(game.end(), Some(End::Agreed));
    }

    #[test]
    fn a_flag_loses_but_draws_against_a_bare_king() {
        let late = SECOND * 61;
        let (mut lost, now) = game(None);
        assert!(!lost.check_flag(now + SECOND * 59));
        assert!(lost.check_flag(now + late));
        assert_eq!(lost.end().map(End::as_str), Some("0-1"));
        let (mut drawn, now) = game(Some("8/8/8/p3Q3/8/3Kk3/8/8 b - - 0 1"));
        assert!(drawn.check_flag(now + late));
        assert_eq!(drawn.end(), Some(End::Flag(Color::Black)));
        let (mut drawn, now) = game(Some("4k3/8/8/8/8/8/1Q6/K7 w - - 0 1"));
        play(&mut drawn, "Qb7", now + late);
        assert_eq!(drawn.end(), Some(End::FlagAgainstBareKing(Color::White)));
        assert!(
            drawn.moves().is_empty(),
            "a move after the flag does not count"
        );
    }

    #[test]
    fn a_move_taken_back_gives_the_time_back() {
        let (mut game, now) = game(None);
        play(&mut game, "e4", now + SECOND * 10);
        play(&mut game, "e5", now + SECOND * 30);
        let clock = game.clock().expect("a clock");
        assert_eq!(clock.left(Color::White, now + SECOND * 30), SECOND * 51);
        assert_eq!(clock.left(Color::Black, now + SECOND * 30), SECOND * 41);
        game.take_back(2, now + SECOND * 40);
        let clock = game.clock().expect("a clock");
        assert_eq!(clock.left(Color::White, now + SECOND * 40), SECOND * 60);
        assert_eq!(clock.left(Color::White, now + SECOND * 45), SECOND * 55);
        assert_eq!(game.positions().len(), 1);
    }

    #[test]
    fn the_rules_end_the_game() {
        let (mut game, now) = game(None);
        for san in ["Nf3", "d5", "Ne5", "f6", "Nd7", "b6", "Nxf8"] {
            play(&mut game, san, now);
        }
        let end = game.end().expect("an end");
        assert_eq!(
            (end.as_str(), end.reason().as_str()),
            ("1-0", "king exploded")
        );
        game.resign(Color::White, now);
        assert_eq!(game.end(), Some(end), "what has ended cannot end again");
    }
}
