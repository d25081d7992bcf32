//! Ending games early: resignation, agreed draws, endgame tables and a limit on
//! length.
//!
//! Each rule watches the game move by move.

use std::{fmt::Debug, num::NonZeroU32, str::FromStr};

use serde::{Serialize, Serializer};
use shakmaty::Color;
use thiserror::Error;

use super::info::Score;
use crate::{endgame::Tables, rules::Position};

/// What a rule sees after each move.
#[derive(Clone, Copy, Debug)]
pub struct MoveSeen<'a> {
    /// The position after the move.
    pub position: &'a Position,
    /// Who moved.
    pub mover: Color,
    /// The number of the move in the game, from 1 (a move is two plies).
    pub number: u32,
    /// The mover's score, if it told one.
    pub score: Option<Score>,
}

/// An adjudicated result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// The reason in words.
    pub reason: &'static str,
}

/// A rule that may end a game.
pub trait Adjudicator: Debug + Send {
    /// Takes in a move and says whether the game ends here.
    fn judge(&mut self, seen: MoveSeen<'_>) -> Option<Verdict>;
}

/// Which rules a match uses; a fresh set of adjudicators starts with each game.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Adjudication {
    /// An engine that sees itself lost loses.
    pub resign: Option<ResignRule>,
    /// Engines that see nothing draw.
    pub draw: Option<DrawRule>,
    /// A game of this many moves is drawn.
    pub max_moves: Option<NonZeroU32>,
    /// A game that these know gets the result they give.
    #[serde(serialize_with = "folder_of")]
    pub tables: Option<Tables>,
}

/// Writes tables as the folder they lie in.
fn folder_of<S: Serializer>(tables: &Option<Tables>, serializer: S) -> Result<S::Ok, S::Error> {
    let folder = tables.as_ref().and_then(|tables| tables.folders().first());
    folder.serialize(serializer)
}

/// Resignation after `move_count` moves in a row with a score of at most
/// `-score` centipawns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ResignRule {
    /// Moves in a row.
    pub move_count: u32,
    /// Centipawns.
    pub score: i32,
    /// Whether the opponent must also see itself winning by as much.
    pub two_sided: bool,
}

/// A draw after `move_count` moves in a row in which both engines' scores stay
/// within `score` centipawns, from move `move_number` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct DrawRule {
    /// First move that may end the game.
    pub move_number: u32,
    /// Moves of each engine in a row.
    pub move_count: u32,
    /// Centipawns.
    pub score: i32,
}

/// Text that does not describe a rule.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{word}' is not a setting of this rule: write {expected}")]
pub struct RuleError {
    word: String,
    expected: &'static str,
}

impl ResignRule {
    /// Reads words such as `movecount=3`, `score=600`, `twosided=on`; these are
    /// the values of what is not named, with `twosided=off`.
    ///
    /// # Errors
    ///
    /// When a word is not understood.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<ResignRule, RuleError> {
        let mut rule = ResignRule {
            move_count: 3,
            score: 600,
            two_sided: false,
        };
        for word in words.iter().map(AsRef::as_ref) {
            let understood = match word.split_once('=') {
                Some(("movecount", value)) => read(value, &mut rule.move_count),
                Some(("score", value)) => read(value, &mut rule.score),
                Some(("twosided", value)) => {
                    rule.two_sided = matches!(value, "on" | "true");
                    rule.two_sided || matches!(value, "off" | "false")
                }
                _ => false,
            };
            if !understood || rule.move_count == 0 || rule.score < 0 {
                let expected = "movecount=MOVES, score=CENTIPAWNS or twosided=on|off";
                return Err(RuleError {
                    word: word.to_owned(),
                    expected,
                });
            }
        }
        Ok(rule)
    }
}

impl DrawRule {
    /// Reads words such as `movenumber=40`, `movecount=8`, `score=10`, which are
    /// the values of what is not named.
    ///
    /// # Errors
    ///
    /// When a word is not understood.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<DrawRule, RuleError> {
        let mut rule = DrawRule {
            move_number: 40,
            move_count: 8,
            score: 10,
        };
        for word in words.iter().map(AsRef::as_ref) {
            let understood = match word.split_once('=') {
                Some(("movenumber", value)) => read(value, &mut rule.move_number),
                Some(("movecount", value)) => read(value, &mut rule.move_count),
                Some(("score", value)) => read(value, &mut rule.score),
                _ => false,
            };
            if !understood || rule.move_count == 0 || rule.score < 0 {
                let expected = "movenumber=MOVE, movecount=MOVES or score=CENTIPAWNS";
                return Err(RuleError {
                    word: word.to_owned(),
                    expected,
                });
            }
        }
        Ok(rule)
    }
}

/// Reads a number into its place and says whether it was one.
fn read<T: FromStr>(text: &str, place: &mut T) -> bool {
    text.parse().map(|value| *place = value).is_ok()
}

impl Adjudication {
    /// The rules at the start of a game.
    #[must_use]
    pub fn start(&self) -> Vec<Box<dyn Adjudicator>> {
        let mut rules: Vec<Box<dyn Adjudicator>> = Vec::new();
        if let Some(rule) = self.resign {
            rules.push(Box::new(Resignation {
                rule,
                lost: [0; 2],
                won: [0; 2],
            }));
        }
        if let Some(rule) = self.draw {
            rules.push(Box::new(AgreedDraw {
                rule,
                level_plies: 0,
            }));
        }
        if let Some(moves) = self.max_moves {
            rules.push(Box::new(LengthLimit(moves)));
        }
        if let Some(tables) = &self.tables {
            rules.push(Box::new(KnownEnding(tables.clone())));
        }
        rules
    }
}

/// Counts per colour, indexed by `Color as usize`.
#[derive(Debug)]
struct Resignation {
    rule: ResignRule,
    lost: [u32; 2],
    won: [u32; 2],
}

impl Adjudicator for Resignation {
    fn judge(&mut self, seen: MoveSeen<'_>) -> Option<Verdict> {
        let score = seen.score.map(Score::centipawns);
        let count = |counter: &mut u32, hit: bool| *counter = if hit { *counter + 1 } else { 0 };
        let mover = seen.mover as usize;
        count(
            &mut self.lost[mover],
            score.is_some_and(|score| score <= -self.rule.score),
        );
        count(
            &mut self.won[mover],
            score.is_some_and(|score| score >= self.rule.score),
        );
        let long = |counter: u32| counter >= self.rule.move_count;
        Color::ALL
            .into_iter()
            .find(|&loser| {
                long(self.lost[loser as usize])
                    && (!self.rule.two_sided || long(self.won[!loser as usize]))
            })
            .map(|loser| Verdict {
                winner: Some(!loser),
                reason: "resignation by score",
            })
    }
}

#[derive(Debug)]
struct AgreedDraw {
    rule: DrawRule,
    level_plies: u32,
}

impl Adjudicator for AgreedDraw {
    fn judge(&mut self, seen: MoveSeen<'_>) -> Option<Verdict> {
        let level = seen
            .score
            .is_some_and(|score| score.centipawns().abs() <= self.rule.score);
        self.level_plies = if level { self.level_plies + 1 } else { 0 };
        (self.level_plies >= 2 * self.rule.move_count && seen.number >= self.rule.move_number)
            .then_some(Verdict {
                winner: None,
                reason: "draw by score",
            })
    }
}

#[derive(Debug)]
struct KnownEnding(Tables);

impl Adjudicator for KnownEnding {
    fn judge(&mut self, seen: MoveSeen<'_>) -> Option<Verdict> {
        self.0.winner(seen.position).map(|winner| Verdict {
            winner,
            reason: "endgame tables",
        })
    }
}

#[derive(Debug)]
struct LengthLimit(NonZeroU32);

impl Adjudicator for LengthLimit {
    fn judge(&mut self, seen: MoveSeen<'_>) -> Option<Verdict> {
        (seen.mover == Color::Black && seen.number >= self.0.get()).then_some(Verdict {
            winner: None,
            reason: "draw by length",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    /// Plays scores of White and Black in turn and tells at which ply (from 1)
    /// the game ended and who won.
    fn ended(rules: &Adjudication, scores: &[i32]) -> Option<(usize, Option<Color>)> {
        let position = Position::startpos(Ruleset::Lichess);
        let mut rules = rules.start();
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let seen = MoveSeen {
                position: &position,
                mover: Color::from_white(ply % 2 == 0),
                number: ply as u32 / 2 + 1,
                score: Some(Score::Cp(score)),
            };
            rules
                .iter_mut()
                .find_map(|rule| rule.judge(seen))
                .map(|verdict| (ply + 1, verdict.winner))
        })
    }

    #[test]
    fn an_engine_resigns_after_enough_lost_moves_in_a_row() {
        let rule = ResignRule {
            move_count: 2,
            score: 600,
            two_sided: false,
        };
        let rules = Adjudication {
            resign: Some(rule),
            ..Adjudication::default()
        };
        assert_eq!(
            ended(&rules, &[0, -600, 0, -599, 0, -700, 0, -700]),
            Some((8, Some(Color::White)))
        );
        let both = Adjudication {
            resign: Some(ResignRule {
                two_sided: true,
                ..rule
            }),
            ..rules.clone()
        };
        assert_eq!(ended(&both, &[0, -700, 0, -700, 0, -700]), None);
        assert_eq!(
            ended(&both, &[600, -700, 600, -700]),
            Some((4, Some(Color::White)))
        );
    }

    #[test]
    fn level_games_are_drawn_from_the_given_move_on() {
        let rule = DrawRule {
            move_number: 3,
            move_count: 2,
            score: 10,
        };
        let rules = Adjudication {
            draw: Some(rule),
            ..Adjudication::default()
        };
        assert_eq!(ended(&rules, &[0; 10]), Some((5, None)));
        assert_eq!(
            ended(&rules, &[0, 0, 0, 50, 0, -10, 10, 0]),
            Some((8, None))
        );
    }

    #[test]
    fn tables_end_games_that_they_know() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/data/tables");
        let rules = Adjudication {
            tables: Some(Tables::open(&folder).expect("tables for tests")),
            ..Adjudication::default()
        };
        assert_eq!(ended(&rules, &[0; 10]), None);
        let won = Position::from_fen("8/8/8/8/6k1/8/6KQ/8 w - - 0 1", Ruleset::Lichess);
        let seen = MoveSeen {
            position: &won.expect("test FEN"),
            mover: Color::Black,
            number: 60,
            score: None,
        };
        let verdict = rules.start()[0].judge(seen).expect("known");
        assert_eq!(verdict.winner, Some(Color::White));
    }

    #[test]
    fn long_games_are_drawn() {
        let rules = Adjudication {
            max_moves: NonZeroU32::new(2),
            ..Adjudication::default()
        };
        assert_eq!(ended(&rules, &[900, -900, 900, -900]), Some((4, None)));
    }
}
