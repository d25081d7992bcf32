//! Where games start: EPD or FEN lines, PGN games, or the built-in set.
//!
//! White's first move is worth much in atomic chess and most starts are far
//! from even, so the built-in set holds starts that were found balanced, and a
//! match plays each of them twice with colours swapped.

use std::{fs, io, ops::ControlFlow, path::Path};

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::{Board, Move};
use thiserror::Error;

use crate::{
    games::source::fen_of_epd,
    rules::{self, FenError, MoveError, Position, Ruleset},
};

/// The name of the built-in set on the command line.
pub const BUILTIN: &str = "builtin";

/// The name of the 960 start positions of Chess960 on the command line.
pub const CHESS960: &str = "chess960";

const BUILTIN_EPD: &str = include_str!("openings.epd");

/// A start of a game.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The first position.
    pub start: Position,
    /// Moves played from it before the engines take over.
    pub moves: Vec<Move>,
}

/// Why openings cannot be used.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// The file cannot be read.
    #[error("cannot read openings from '{path}': {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// There is nothing in it.
    #[error("'{0}' holds no openings: one EPD or FEN line each, or PGN games, are expected")]
    Empty(String),
    /// A line is no position.
    #[error("'{path}' line {line}: {source}")]
    Fen {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// A PGN game starts from no position.
    #[error("'{path}' game {game}: {source}")]
    GameFen {
        /// The file.
        path: String,
        /// The game, from 1.
        game: usize,
        /// What is wrong with it.
        source: FenError,
    },
    /// A PGN game holds an illegal move.
    #[error("'{path}' game {game}: {source}")]
    GameMove {
        /// The file.
        path: String,
        /// The game, from 1.
        game: usize,
        /// What is wrong with it.
        source: MoveError,
    },
    /// The game is over before the engines move.
    #[error(
        "'{path}' {place}: the game is over ({reason}) before the engines move; leave it out or play fewer opening plies"
    )]
    Over {
        /// The file.
        path: String,
        /// Line or game.
        place: String,
        /// How it ended.
        reason: String,
    },
}

impl Opening {
    /// Whether castling needs Chess960 notation.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        self.start.is_chess960()
    }

    /// The FEN of the start, followed by the moves in UCI notation.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut text = self.start.fen();
        for &m in &self.moves {
            text.push(' ');
            text.push_str(&self.start.uci(m, self.is_chess960()));
        }
        text
    }

    /// How the game ended already, if it did.
    fn over(&self) -> Option<String> {
        let mut position = self.start.clone();
        let mut keys = Vec::new();
        for &m in &self.moves {
            keys.push(position.key());
            position.play(m);
        }
        rules::result(&position, &keys).map(|result| result.termination.to_string())
    }
}

/// Loads openings: `builtin`, `chess960`, or a file of EPD or FEN lines or of PGN games of
/// which the first `plies` are played.
///
/// # Errors
///
/// When the file cannot be read, is empty, or holds something that cannot be
/// played; the message names file and line.
pub fn load(
    source: &str,
    plies: Option<usize>,
    ruleset: Ruleset,
) -> Result<Vec<Opening>, OpeningError> {
    match source {
        BUILTIN => return parse_epd(BUILTIN, BUILTIN_EPD, ruleset),
        CHESS960 => return parse_epd(CHESS960, &chess960_starts(), ruleset),
        _ => {}
    }
    let bytes = fs::read(source).map_err(|error| OpeningError::Read {
        path: source.to_owned(),
        source: error,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    if looks_like_pgn(source, &text) {
        parse_pgn(source, &text, plies.unwrap_or(usize::MAX), ruleset)
    } else {
        parse_epd(source, &text, ruleset)
    }
}

/// Puts openings into the order that belongs to `seed`.
pub fn shuffle(openings: &mut [Opening], seed: u64) {
    fastrand::Rng::with_seed(seed).shuffle(openings);
}

/// The 960 start positions in the order of their usual numbers, one FEN a line.
fn chess960_starts() -> String {
    let starts = (0..960).map(|number| format!("{} w KQkq - 0 1\n", Board::chess960(number)));
    starts.collect()
}

fn looks_like_pgn(path: &str, text: &str) -> bool {
    let extension = Path::new(path)
        .extension()
        .and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| extension.eq_ignore_ascii_case("pgn"))
        || text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with(['[', '1', '{', '%'])
            && text.contains("1.")
}

fn parse_epd(path: &str, text: &str, ruleset: Ruleset) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let start =
            Position::from_fen(&fen_of_epd(line), ruleset).map_err(|source| OpeningError::Fen {
                path: path.to_owned(),
                line: index + 1,
                source,
            })?;
        openings.push(playable(
            path,
            || format!("line {}", index + 1),
            start,
            Vec::new(),
        )?);
    }
    if openings.is_empty() {
        Err(OpeningError::Empty(path.to_owned()))
    } else {
        Ok(openings)
    }
}

fn playable(
    path: &str,
    place: impl Fn() -> String,
    start: Position,
    moves: Vec<Move>,
) -> Result<Opening, OpeningError> {
    let opening = Opening { start, moves };
    match opening.over() {
        None => Ok(opening),
        Some(reason) => Err(OpeningError::Over {
            path: path.to_owned(),
            place: place(),
            reason,
        }),
    }
}

fn parse_pgn(
    path: &str,
    text: &str,
    plies: usize,
    ruleset: Ruleset,
) -> Result<Vec<Opening>, OpeningError> {
    let mut visitor = OpeningVisitor { plies, ruleset };
    let mut openings = Vec::new();
    for (index, game) in Reader::new(io::Cursor::new(text))
        .read_games(&mut visitor)
        .enumerate()
    {
        let number = index + 1;
        let game = game
            .map_err(|source| OpeningError::Read {
                path: path.to_owned(),
                source,
            })?
            .map_err(|fault| match fault {
                GameFault::Fen(source) => OpeningError::GameFen {
                    path: path.to_owned(),
                    game: number,
                    source,
                },
                GameFault::Move(source) => OpeningError::GameMove {
                    path: path.to_owned(),
                    game: number,
                    source,
                },
            })?;
        openings.push(playable(
            path,
            || format!("game {number}"),
            game.start,
            game.moves,
        )?);
    }
    if openings.is_empty() {
        Err(OpeningError::Empty(path.to_owned()))
    } else {
        Ok(openings)
    }
}

enum GameFault {
    Fen(FenError),
    Move(MoveError),
}

struct OpeningVisitor {
    plies: usize,
    ruleset: Ruleset,
}

struct Replay {
    opening: Opening,
    position: Position,
}

impl Visitor for OpeningVisitor {
    type Tags = Option<String>;
    type Movetext = Replay;
    type Output = Result<Opening, GameFault>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        fen: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name.eq_ignore_ascii_case(b"FEN") {
            *fen = Some(value.decode_utf8_lossy().into_owned());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, fen: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        let start = match fen {
            None => Position::startpos(self.ruleset),
            Some(fen) => match Position::from_fen(&fen, self.ruleset) {
                Ok(position) => position,
                Err(error) => return ControlFlow::Break(Err(GameFault::Fen(error))),
            },
        };
        ControlFlow::Continue(Replay {
            position: start.clone(),
            opening: Opening {
                start,
                moves: Vec::new(),
            },
        })
    }

    fn san(&mut self, replay: &mut Replay, san: SanPlus) -> ControlFlow<Self::Output> {
        if replay.opening.moves.len() == self.plies {
            return ControlFlow::Continue(());
        }
        match replay.position.parse_san(&san.to_string()) {
            Ok(m) => {
                replay.opening.moves.push(m);
                replay.position.play(m);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(GameFault::Move(error))),
        }
    }

    fn end_game(&mut self, replay: Replay) -> Self::Output {
        Ok(replay.opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_set_is_playable() {
        assert_eq!(load(BUILTIN, None, Ruleset::Lichess).unwrap().len(), 500);
        assert_eq!(load(BUILTIN, None, Ruleset::Icc).unwrap().len(), 500);
    }

    #[test]
    fn chess960_starts_have_their_usual_numbers() {
        let starts = load(CHESS960, None, Ruleset::Lichess).unwrap();
        let rank = |number: usize| starts[number].start.fen()[..8].to_owned();
        assert_eq!(
            [0, 518, 534, 959].map(rank),
            ["bbqnnrkr", "rnbqkbnr", "rnbkqbnr", "rkrnnqbb"]
        );
        let different: std::collections::HashSet<String> = (0..960).map(rank).collect();
        assert_eq!(different.len(), 960);
        let usual = starts.iter().filter(|opening| !opening.is_chess960());
        assert_eq!(usual.count(), 18);
    }

    #[test]
    fn a_seed_gives_one_order() {
        let order = |seed| {
            let mut openings = load(BUILTIN, None, Ruleset::Lichess).unwrap();
            shuffle(&mut openings, seed);
            Vec::from_iter(openings.iter().map(Opening::describe))
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn epd_operations_and_counters_are_understood() {
        let text = "# starts\n\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 3; id \"one\";\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 7 12\n";
        let openings = parse_epd("x", text, Ruleset::Lichess).unwrap();
        assert_eq!(openings[1].start.halfmoves(), 7);
        assert_eq!(openings.len(), 2);
    }

    #[test]
    fn pgn_games_are_cut_to_the_given_plies() {
        let text = "[Variant \"Atomic\"]\n\n1. Nf3 f6 (1... d5 2. Ne5) 2. Nc3 {why not} e6 *\n\n\
            [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Ke7 1/2-1/2\n";
        let openings = parse_pgn("x", text, 3, Ruleset::Lichess).unwrap();
        assert_eq!(
            Vec::from_iter(openings.iter().map(|opening| opening.moves.len())),
            [3, 2]
        );
        let whole = parse_pgn("x", text, usize::MAX, Ruleset::Lichess).unwrap();
        assert_eq!(whole[0].moves.len(), 4);
        assert!(whole[1].describe().ends_with(" e2e4 e8e7"));
    }

    #[test]
    fn what_cannot_be_played_is_named_with_its_place() {
        for (error, named) in [
            (
                parse_epd("x.epd", "# nothing\n", Ruleset::Lichess).unwrap_err(),
                "x.epd",
            ),
            (
                parse_epd("x.epd", "\nnonsense w - -", Ruleset::Lichess).unwrap_err(),
                "line 2",
            ),
            (
                parse_epd("x.epd", "4k3/8/8/8/8/8/8/4K3 w - -", Ruleset::Lichess).unwrap_err(),
                "line 1",
            ),
            (
                parse_pgn("x.pgn", "1. e4 e5 2. Ke3 *", 9, Ruleset::Lichess).unwrap_err(),
                "Ke3",
            ),
            (
                parse_pgn("x.pgn", "[FEN \"x\"]\n\n1. e4 *", 9, Ruleset::Lichess).unwrap_err(),
                "game 1",
            ),
        ] {
            assert!(error.to_string().contains(named), "{error}");
        }
    }
}
