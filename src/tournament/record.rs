//! Finished games as they are kept: in the journal, in the JSON report, and as
//! the input of every figure in the table.

use serde::{Deserialize, Serialize};
use shakmaty::Color;

/// Which game of a match: the same number always means the same two engines,
/// colours and opening, however often the match was interrupted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GameId {
    /// The encounter of two engines that the game belongs to, from 0.
    pub pairing: u32,
    /// The game within the pairing, from 0. Games 2n and 2n+1 are a pair: the
    /// same opening with colours swapped.
    pub game: u32,
}

/// Result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// White won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// Nobody won.
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl Outcome {
    /// The outcome in which `winner` won.
    #[must_use]
    pub fn from_winner(winner: Option<Color>) -> Outcome {
        match winner {
            Some(Color::White) => Outcome::WhiteWins,
            Some(Color::Black) => Outcome::BlackWins,
            None => Outcome::Draw,
        }
    }

    /// Who won, if anybody.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Outcome::WhiteWins => Some(Color::White),
            Outcome::BlackWins => Some(Color::Black),
            Outcome::Draw => None,
        }
    }

    /// Half points of `color`: 2 for a win, 1 for a draw.
    #[must_use]
    pub fn half_points(self, color: Color) -> usize {
        match self.winner() {
            None => 1,
            Some(winner) if winner == color => 2,
            Some(_) => 0,
        }
    }

    /// The result as PGN writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }
}

/// What an engine did wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It moved too late.
    TimeLoss,
    /// It played a move that is not legal, or none.
    IllegalMove,
    /// Its process ended.
    Crash,
    /// It stopped answering and was killed.
    Hang,
    /// It closed its output.
    Disconnect,
}

impl FaultKind {
    /// A number of such faults in words, such as `2 time losses`.
    #[must_use]
    pub fn counted(self, count: u64) -> String {
        let (one, many) = match self {
            FaultKind::TimeLoss => ("time loss", "time losses"),
            FaultKind::IllegalMove => ("illegal move", "illegal moves"),
            FaultKind::Crash => ("crash", "crashes"),
            FaultKind::Hang => ("hang", "hangs"),
            FaultKind::Disconnect => ("disconnect", "disconnects"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// One fault of one engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The engine's name.
    pub engine: String,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What happened, in words.
    pub detail: String,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// By the rules of atomic chess.
    Rules,
    /// By an adjudication rule of the match.
    Adjudication,
    /// A flag fell.
    TimeForfeit,
    /// An illegal move.
    IllegalMove,
    /// An engine failed in another way.
    Failure,
}

impl EndKind {
    /// The value of the PGN tag `Termination`.
    #[must_use]
    pub fn pgn_termination(self) -> &'static str {
        match self {
            EndKind::Rules => "normal",
            EndKind::Adjudication => "adjudication",
            EndKind::TimeForfeit => "time forfeit",
            EndKind::IllegalMove => "rules infraction",
            EndKind::Failure => "abandoned",
        }
    }
}

/// One finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// The run of the program that played it; runs that are merged differ.
    pub run: String,
    /// Which game it is.
    #[serde(flatten)]
    pub id: GameId,
    /// Name of the engine with the white pieces.
    pub white: String,
    /// Name of the engine with the black pieces.
    pub black: String,
    /// FEN of the start, and the opening moves played from it in UCI notation.
    pub opening: String,
    /// The result.
    pub result: Outcome,
    /// How it ended.
    pub end: EndKind,
    /// How it ended, in words.
    pub reason: String,
    /// Plies played by the engines.
    pub plies: u32,
    /// Seconds that White thought.
    pub white_seconds: f64,
    /// Seconds that Black thought.
    pub black_seconds: f64,
    /// Seconds that the engines took to start and to get ready.
    pub preparing_seconds: f64,
    /// What went wrong.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub faults: Vec<Fault>,
}
