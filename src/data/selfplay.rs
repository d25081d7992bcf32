//! Games of the engine against itself, for training.
//!
//! Most atomic games are lost in the first ten moves, so variety comes from the
//! start: random plies from the first position or from balanced openings, and a
//! short search throws away what is decided. From there both sides play the
//! best move they find in a fixed number of nodes. But a search evaluates mostly
//! positions that no game reaches, where somebody has blundered; so
//! other games, the asides, start from some of these. Every game comes from a
//! number of its own, so a run that goes on later plays other games.

use shakmaty::Color;

use super::{Ending, Game, Ply};
use crate::{
    endgame,
    rules::{self, PackedMove, Position, Ruleset, movegen},
    search::{Control, Limits, Pool, SearchOptions, SearchResult, score},
    tournament::openings::Opening,
};

/// Scores at the start beyond this are decided, in centipawns.
const DECIDED_START: i32 = 400;
/// Nodes for the look at a start.
const START_NODES: u64 = 1_000;
/// Nodes for a look at the start of an aside.
const GLANCE_NODES: u64 = 100;
/// Random plies from the first position.
const RANDOM_PLIES: std::ops::RangeInclusive<usize> = 4..=10;
/// Random plies after an opening.
const RANDOM_PLIES_AFTER_OPENING: std::ops::RangeInclusive<usize> = 0..=4;

/// A win is given when both sides agree on this score...
const WIN_SCORE: i32 = 2_500;
/// ... for this many plies.
const WIN_PLIES: usize = 6;
/// A draw is given when scores are within this...
const DRAW_SCORE: i32 = 8;
/// ... for this many plies...
const DRAW_PLIES: usize = 16;
/// ... and the game has gone on for this long.
const DRAW_FROM: usize = 60;
/// A draw is given, too, after so many plies without capture or pawn move,
/// which teach nothing more...
const DRAW_CLOCK: u32 = 60;
/// ... unless somebody is better than this.
const DRAW_CLOCK_SCORE: i32 = 250;
/// A longer game stays unfinished.
const MAX_PLIES: usize = 400;

/// Gathers positions that the searches of a game come across.
struct Sampling {
    rng: fastrand::Rng,
    asides: Vec<Position>,
}

/// Plays games against itself, one after another.
pub struct SelfPlay<'a> {
    pool: Pool,
    asides: f32,
    limits: Limits,
    openings: &'a [Opening],
    /// Nodes searched so far.
    nodes: u64,
}

impl<'a> SelfPlay<'a> {
    /// A player that ends its searches after `nodes` nodes. Half of the
    /// games start near one of `openings`, if there are any. For a share
    /// `asides` of their moves another game starts at one of the positions that
    /// the search evaluated. `pool` should have one thread and a small table.
    #[must_use]
    pub fn new(pool: Pool, nodes: u64, asides: f32, openings: &'a [Opening]) -> SelfPlay<'a> {
        SelfPlay {
            pool,
            asides,
            limits: limits(nodes),
            openings,
            nodes: 0,
        }
    }

    /// Nodes searched so far.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Plays the game that belongs to `number`, the same each time; its asides
    /// follow it.
    pub fn play(&mut self, number: u64) -> Vec<Game> {
        // Once for all that belongs to the number: an aside may know what its
        // game has learned, and clearing costs as much as a short search.
        self.pool.clear();
        let mut rng = fastrand::Rng::with_seed(number);
        let start = self.start(&mut rng);
        let mut sampling = Some(Sampling {
            rng,
            asides: Vec::new(),
        });
        let mut games = vec![self.play_from(start, &mut sampling)];
        for start in sampling.into_iter().flat_map(|sampling| sampling.asides) {
            if self.is_worth_playing(&start) {
                games.push(self.play_from(start, &mut None));
            }
        }
        games
    }

    /// Plays a game to its end. Starts of asides are gathered by `sampling`.
    fn play_from(&mut self, start: Position, sampling: &mut Option<Sampling>) -> Game {
        let mut game = Game {
            start: start.clone(),
            plies: Vec::new(),
            winner: None,
            ending: Ending::Adjudicated,
        };
        let mut position = start;
        let mut keys = Vec::new();
        let mut referee = Referee::default();
        loop {
            if let Some(result) = rules::result(&position, &keys) {
                game.winner = result.winner;
                game.ending = result.into();
                return game;
            }
            if endgame::is_dead_draw(&position) {
                return game;
            }
            if game.plies.len() >= MAX_PLIES {
                game.ending = Ending::Unfinished;
                return game;
            }
            if let Some(sampling) = sampling
                && sampling.rng.f32() < self.asides
            {
                self.pool.sample_next(sampling.rng.fork());
            }
            let limits = self.limits.clone();
            let found = self.search(&position, &keys, &limits);
            if let Some(sampling) = sampling {
                sampling.asides.extend(self.pool.take_sample());
            }
            let (Some(best), Some(score)) = (found.best, found.score()) else {
                return game;
            };
            game.plies.push(Ply {
                played: PackedMove::new(best),
                score: score as i16,
            });
            if let Some(verdict) = referee.judge(score, position.turn(), game.plies.len()) {
                game.winner = verdict.winner;
                return game;
            }
            if position.halfmoves() > DRAW_CLOCK && score.abs() <= DRAW_CLOCK_SCORE {
                return game;
            }
            keys.push(position.key());
            position.play(best);
        }
    }

    /// Whether a position that a search came across is not over, and is not won
    /// or lost at a glance.
    fn is_worth_playing(&mut self, position: &Position) -> bool {
        rules::result(position, &[]).is_none() && {
            let score = self.search(position, &[], &limits(GLANCE_NODES)).score();
            score.is_some_and(|score| !score::is_mate(score))
        }
    }

    /// A start that is not decided.
    fn start(&mut self, rng: &mut fastrand::Rng) -> Position {
        loop {
            let (mut position, plies) = match rng.choice(self.openings) {
                Some(opening) if rng.bool() => {
                    let mut position = opening.start.clone();
                    for &m in &opening.moves {
                        position.play(m);
                    }
                    (position, RANDOM_PLIES_AFTER_OPENING)
                }
                _ => (Position::startpos(Ruleset::Lichess), RANDOM_PLIES),
            };
            for _ in 0..rng.usize(plies) {
                if let Some(m) = rng.choice(movegen::legal_moves(&position)) {
                    position.play(m);
                }
            }
            if rules::result(&position, &[]).is_some() {
                continue;
            }
            let score = self.search(&position, &[], &limits(START_NODES)).score();
            if score.is_some_and(|score| score.abs() <= DECIDED_START) {
                return position;
            }
        }
    }

    fn search(&mut self, position: &Position, keys: &[u64], limits: &Limits) -> SearchResult {
        let found = self.pool.search(
            position,
            keys,
            limits,
            &SearchOptions::default(),
            &Control::new(limits),
            &mut |_| {},
        );
        self.nodes += found.nodes;
        found
    }
}

fn limits(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// Ends games that are decided.
#[derive(Debug, Default)]
struct Referee {
    /// Plies for which the same side has been winning.
    winning: usize,
    winner: Option<Color>,
    /// Plies with hardly a score.
    level: usize,
}

#[derive(Debug, Eq, PartialEq)]
struct Verdict {
    winner: Option<Color>,
}

impl Referee {
    /// Takes the score of one more ply, for the side to move.
    fn judge(&mut self, score: i32, turn: Color, plies: usize) -> Option<Verdict> {
        let leader = (score.abs() >= WIN_SCORE).then_some(if score > 0 { turn } else { !turn });
        if leader.is_some() && score::is_mate(score) {
            return Some(Verdict { winner: leader });
        }
        self.winning = match leader {
            Some(_) if leader == self.winner => self.winning + 1,
            Some(_) => 1,
            None => 0,
        };
        self.winner = leader;
        self.level = if score.abs() <= DRAW_SCORE {
            self.level + 1
        } else {
            0
        };
        if self.winning >= WIN_PLIES {
            Some(Verdict { winner: leader })
        } else if self.level >= DRAW_PLIES && plies >= DRAW_FROM {
            Some(Verdict { winner: None })
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_win_is_given_when_both_sides_agree_long_enough() {
        let mut referee = Referee::default();
        for ply in 1..WIN_PLIES {
            let turn = Color::from_white(ply % 2 == 1);
            let score = if turn.is_white() { 2_600 } else { -2_600 };
            assert_eq!(referee.judge(score, turn, ply), None);
        }
        assert_eq!(
            referee.judge(-2_600, Color::Black, WIN_PLIES),
            Some(Verdict {
                winner: Some(Color::White)
            })
        );
    }

    #[test]
    fn scores_that_disagree_decide_nothing() {
        let mut referee = Referee::default();
        for ply in 1..50 {
            assert_eq!(
                referee.judge(2_600, Color::from_white(ply % 2 == 1), ply),
                None
            );
        }
    }

    #[test]
    fn a_mate_is_believed_at_once() {
        assert_eq!(
            Referee::default().judge(score::mated_in(4), Color::White, 1),
            Some(Verdict {
                winner: Some(Color::Black)
            })
        );
    }

    #[test]
    fn games_are_legal_end_and_depend_on_their_number_alone() {
        let player = || {
            let mut pool = Pool::default();
            pool.set_hash(1).expect("a MiB");
            SelfPlay::new(pool, 60, 0.5, &[])
        };
        let mut first = player();
        let games: Vec<Vec<Game>> = (0..6).map(|number| first.play(number)).collect();
        let mut second = player();
        for (number, games) in games.iter().enumerate().rev() {
            for game in games {
                game.check().expect("legal moves");
                assert!(!game.plies.is_empty());
            }
            assert_eq!(*games, second.play(number as u64));
        }
        assert!(games.iter().any(|games| games.len() > 1), "asides");
    }
}
