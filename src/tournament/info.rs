//! What an engine says about its search: the parts of `info` lines that the
//! referee keeps.
//!
//! A score counts from the engine's own side. In atomic chess `mate 1` includes
//! exploding the king on the next move.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A score from the point of view of the side that searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate or explosion; negative when the searching side is lost.
    Mate(i32),
}

impl Score {
    /// Centipawns, with any mate beyond every ordinary score.
    #[must_use]
    pub fn centipawns(self) -> i32 {
        match self {
            Score::Cp(cp) => cp,
            Score::Mate(moves) if moves > 0 => i32::MAX,
            Score::Mate(_) => -i32::MAX,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Score::Cp(cp) => write!(f, "{:+.2}", f64::from(cp) / 100.0),
            Score::Mate(moves) if moves > 0 => write!(f, "+M{moves}"),
            Score::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

/// The last score of a search and the depth that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchInfo {
    /// Score of the first line, if the engine told one.
    pub score: Option<Score>,
    /// Depth in plies that the score belongs to.
    pub depth: Option<u32>,
}

impl SearchInfo {
    /// Takes in one line. Lines other than `info`, lines of the second and later
    /// variations, and bounds after an exact score of the same depth are passed
    /// over; unreadable parts of a line are skipped.
    pub fn update(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return;
        }
        let mut seen = SearchInfo::default();
        let mut bound = false;
        while let Some(word) = words.next() {
            match word {
                "string" | "pv" | "refutation" | "currline" => break,
                "depth" => seen.depth = words.next().and_then(|word| word.parse().ok()),
                "multipv" if words.next() != Some("1") => return,
                "lowerbound" | "upperbound" => bound = true,
                "score" => {
                    let kind = words.next();
                    let value = words.next().and_then(|word| word.parse().ok());
                    seen.score = match (kind, value) {
                        (Some("cp"), Some(value)) => Some(Score::Cp(value)),
                        (Some("mate"), Some(value)) => Some(Score::Mate(value)),
                        _ => None,
                    };
                }
                _ => {}
            }
        }
        if seen.score.is_some() && !(bound && seen.depth == self.depth) {
            self.score = seen.score;
            self.depth = seen.depth;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_exact_score_of_the_main_line() {
        let mut info = SearchInfo::default();
        for line in [
            "info depth 8 seldepth 11 multipv 1 score cp 31 nodes 2284 pv e2e4 a7a6",
            "info depth 8 multipv 2 score cp -900 nodes 2290 pv a2a3",
            "info depth 8 score cp 500 lowerbound nodes 2400",
            "info depth 9 currmove e2e4 currmovenumber 1",
            "info string score cp 7",
            "bestmove e2e4",
        ] {
            info.update(line);
        }
        assert_eq!(
            info,
            SearchInfo {
                score: Some(Score::Cp(31)),
                depth: Some(8),
            }
        );
        info.update("info depth 10 score mate -2 nodes 9000");
        assert_eq!(info.score, Some(Score::Mate(-2)));
        info.update("info depth x score cp");
        assert_eq!(info.depth, Some(10));
    }

    #[test]
    fn scores_are_written_as_in_pgn_comments() {
        assert_eq!(Score::Cp(-7).to_string(), "-0.07");
        assert_eq!(Score::Cp(123).to_string(), "+1.23");
        assert_eq!(Score::Mate(5).to_string(), "+M5");
        assert_eq!(Score::Mate(0).to_string(), "-M0");
    }
}
