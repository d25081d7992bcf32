//! Opening traps: mistakes that lose by force, with the proof of each.
//!
//! Atomic games end early: a natural developing move may leave a man beside the
//! king that can be blown up next move. The collection in `opening-traps` holds
//! such mistakes as PGN games. The losing move carries the glyph `??`, the main
//! line goes on with the refutation against the longest defence, and the tag
//! `Proof` says how the win is known: `win in N` was proved move by move,
//! `score S at N nodes` is a search's verdict in centipawns.

pub mod check;
pub mod find;
mod text;

use std::{collections::HashMap, fmt, io::Cursor, str::FromStr, sync::OnceLock};

use shakmaty::{Color, Move};
use thiserror::Error;

use crate::{
    games::{
        Game, Skipped,
        pgn::Movetext,
        read::{self, Reading},
        scan::Scanner,
    },
    rules::{Position, Ruleset},
};

/// The files of the collection, embedded in the program.
const FILES: [(&str, &str); 5] = [
    (
        "knight-f3.pgn",
        include_str!("../../opening-traps/knight-f3.pgn"),
    ),
    (
        "knights.pgn",
        include_str!("../../opening-traps/knights.pgn"),
    ),
    ("pawns.pgn", include_str!("../../opening-traps/pawns.pgn")),
    ("white.pgn", include_str!("../../opening-traps/white.pgn")),
    ("later.pgn", include_str!("../../opening-traps/later.pgn")),
];

/// The glyph `??`.
pub const BLUNDER: u8 = 4;

/// How the win after the mistake is known.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Proof {
    /// A forced win within this many moves, proved move by move.
    Win(u8),
    /// A search's score in centipawns for the winner, after this many nodes.
    Score {
        /// Centipawns.
        centipawns: i32,
        /// Nodes of the search.
        nodes: u64,
    },
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Win(moves) => write!(f, "win in {moves}"),
            Proof::Score { centipawns, nodes } => write!(f, "score {centipawns} at {nodes} nodes"),
        }
    }
}

impl FromStr for Proof {
    type Err = TrapError;

    fn from_str(text: &str) -> Result<Proof, TrapError> {
        let words = Vec::from_iter(text.split_whitespace());
        let proof = match words.as_slice() {
            ["win", "in", moves] => moves.parse().ok().map(Proof::Win),
            ["score", centipawns, "at", nodes, "nodes"] => {
                centipawns.parse().ok().and_then(|centipawns| {
                    let nodes = nodes.parse().ok()?;
                    Some(Proof::Score { centipawns, nodes })
                })
            }
            _ => None,
        };
        proof.ok_or_else(|| TrapError::Proof(text.to_owned()))
    }
}

/// A game that is no trap.
#[derive(Clone, Debug, Error)]
pub enum TrapError {
    /// The game cannot be read.
    #[error("{}: {}: {}", .0.file, .0.place, .0.fault)]
    Game(Box<Skipped>),
    /// The tag `Proof` is missing or says nothing known.
    #[error("the proof {0:?} is neither \"win in N\" nor \"score S at N nodes\"")]
    Proof(String),
    /// No move of the main line is marked as the mistake.
    #[error("no move is marked ?? and refuted")]
    Unmarked,
}

/// A mistake and its refutation.
#[derive(Clone, Debug)]
pub struct Trap {
    /// What it is called.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// The whole main line, from the start of the game.
    pub line: Vec<Move>,
    /// The index of the mistake in the line.
    pub mistake: usize,
    /// How the win is known.
    pub proof: Proof,
    /// The game as it was written, with comments and variations.
    pub game: Game,
}

impl Trap {
    /// Reads a trap from a game.
    ///
    /// # Errors
    ///
    /// [`TrapError`] if the mistake is not marked or the proof not told.
    pub fn from_game(game: Game) -> Result<Trap, TrapError> {
        let mistake = game
            .plies
            .iter()
            .position(|ply| ply.nags.contains(&BLUNDER))
            .filter(|&index| index + 1 < game.plies.len())
            .ok_or(TrapError::Unmarked)?;
        Ok(Trap {
            name: game.tag("Event").unwrap_or("?").to_owned(),
            file: game.file.clone(),
            line: game.moves(),
            mistake,
            proof: game.tag("Proof").unwrap_or("").parse()?,
            game,
        })
    }

    /// The position after the mistake, with the winner to move.
    #[must_use]
    pub fn position(&self) -> Position {
        self.line[..=self.mistake]
            .iter()
            .fold(self.game.start.clone(), |position, &m| position.after(m))
    }

    /// Who wins.
    #[must_use]
    pub fn winner(&self) -> Color {
        self.position().turn()
    }

    /// The move text as PGN, ending in an empty line.
    #[must_use]
    pub fn movetext(&self) -> String {
        let mut text = Movetext::default();
        let mut position = self.game.start.clone();
        for ply in &self.game.plies {
            text.play(&position, &position.san(ply.m));
            for &nag in &ply.nags {
                text.nag(nag);
            }
            for comment in &ply.comments {
                text.comment(comment);
            }
            for variation in &ply.variations {
                text.variation(variation);
            }
            position.play(ply.m);
        }
        text.end(&self.game.result)
    }

    /// The move that refutes the mistake.
    #[must_use]
    pub fn refutation(&self) -> Move {
        self.line[self.mistake + 1]
    }
}

/// Traps by name and by position.
#[derive(Debug)]
pub struct Collection {
    traps: Vec<Trap>,
    by_key: HashMap<u64, usize>,
}

impl Collection {
    /// The collection in the program.
    #[must_use]
    pub fn embedded() -> &'static Collection {
        static EMBEDDED: OnceLock<Collection> = OnceLock::new();
        EMBEDDED.get_or_init(|| {
            // Files that came with the program were read by its tests.
            let traps = FILES
                .iter()
                .flat_map(|(name, text)| read(name, text))
                .filter_map(Result::ok);
            Collection::new(traps.collect())
        })
    }

    /// A collection of these traps.
    #[must_use]
    pub fn new(traps: Vec<Trap>) -> Collection {
        let by_key = traps
            .iter()
            .enumerate()
            .map(|(index, trap)| (trap.position().key(), index))
            .collect();
        Collection { traps, by_key }
    }

    /// All traps, in the order of their files.
    #[must_use]
    pub fn traps(&self) -> &[Trap] {
        &self.traps
    }

    /// The trap that was fallen into by the move that led to `position`,
    /// whatever the order of the moves before.
    #[must_use]
    pub fn sprung(&self, position: &Position) -> Option<&Trap> {
        if position.ruleset() != Ruleset::Lichess {
            return None;
        }
        self.by_key
            .get(&position.key())
            .map(|&index| &self.traps[index])
    }
}

/// Reads the games of a file as traps.
pub fn read(file: &str, text: &str) -> Vec<Result<Trap, TrapError>> {
    let reading = Reading {
        assume: Some(Ruleset::Lichess),
        positions: Ruleset::Lichess,
        ..Reading::default()
    };
    let mut scanner = Scanner::new(Cursor::new(text.as_bytes()));
    let mut traps = Vec::new();
    while let Ok(Some(chunk)) = scanner.next_game() {
        let game = read::game(file, &chunk, reading);
        traps.push(match game {
            Ok(game) => Trap::from_game(game),
            Err(skipped) => Err(TrapError::Game(Box::new(skipped))),
        });
    }
    traps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_collection_is_sound() {
        let mut names = std::collections::HashSet::new();
        let mut count = 0;
        for (file, text) in FILES {
            for trap in read(file, text) {
                let trap = trap.unwrap_or_else(|error| panic!("{file}: {error}"));
                assert_eq!(trap.game.start, Position::startpos(Ruleset::Lichess));
                assert!(trap.mistake < 16, "{}: past move eight", trap.name);
                assert!(names.insert(trap.name.clone()), "{} twice", trap.name);
                assert!(trap.game.left_out.is_empty(), "{}", trap.name);
                count += 1;
            }
        }
        assert!(count >= 60, "{count}");
    }

    #[test]
    fn a_trap_is_known_by_its_position_in_any_order_of_moves() {
        let mut position = Position::startpos(Ruleset::Lichess);
        assert!(Collection::embedded().sprung(&position).is_none());
        for san in ["Nf3", "d5"] {
            position.play(position.parse_san(san).expect("legal"));
        }
        let trap = Collection::embedded().sprung(&position).expect("a trap");
        assert_eq!(position.san(trap.refutation()), "Ne5");
        assert_eq!(trap.proof, Proof::Win(3));
    }

    #[test]
    fn proofs_are_read_as_written() {
        for text in ["win in 4", "score 1250 at 2000000 nodes"] {
            assert_eq!(text.parse::<Proof>().expect("a proof").to_string(), text);
        }
        assert!("surely".parse::<Proof>().is_err());
    }
}
