//! Judged games: what each move was worth, what was better, and what decided.
//!
//! [`analysis`] searches every position of a game and [`judge`]s the moves; the
//! result, a [`GameReport`], is written as annotated PGN, as JSON, or as a page
//! with boards. Special to atomic chess: a forced win ends in an explosion or in
//! mate, and the report says which.

pub mod analysis;
pub mod batch;
pub mod html;
pub mod interrupt;
pub mod json;
pub mod judge;
pub mod output;
pub mod pgn;
pub mod words;

use shakmaty::{ByColor, Color, Move};

use crate::{
    diagram::side_name,
    games::{Game, line},
    rules::{GameResult, Position},
    search::score::{Score, mate_distance},
};
use judge::Judgement;

/// What a search says of one position.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// For the side to move.
    pub score: Score,
    /// Plies searched; 0 when the game is over.
    pub depth: usize,
    /// The best line.
    pub line: Vec<Move>,
    /// How the game ended here, if it did.
    pub over: Option<GameResult>,
}

/// A move and its judgement.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub m: Move,
    /// The move in SAN.
    pub san: String,
    /// Chances of the player before the move and after it, from 0 to 1.
    pub chances: (f64, f64),
    /// Accuracy from 0 to 100.
    pub accuracy: f64,
    /// What is wrong with the move.
    pub judgement: Option<Judgement>,
    /// Whether it let a win slip into something like a draw.
    pub missed_win: bool,
    /// The best line instead, when the move is judged.
    pub better: Vec<Move>,
    /// The name of the opening trap that the move walks into.
    pub trap: Option<String>,
    /// Sentences that explain a judged move.
    pub explanation: Vec<String>,
}

/// Plies shown of the answer to an error.
const REPLY: usize = 3;

/// A whole game, judged.
#[derive(Clone, Debug)]
pub struct GameReport {
    /// The game.
    pub game: Game,
    /// All its positions, one more than moves.
    pub positions: Vec<Position>,
    /// What the search says of each position.
    pub verdicts: Vec<Verdict>,
    /// The moves.
    pub moves: Vec<MoveReport>,
    /// Accuracy of both sides.
    pub accuracy: ByColor<Option<f64>>,
    /// The index of the move that lost the game, if one did.
    pub losing: Option<usize>,
    /// Sentences about a position without moves.
    pub explanation: Vec<String>,
    /// Nodes searched.
    pub nodes: u64,
}

impl GameReport {
    /// Who made the move with this index.
    #[must_use]
    pub fn mover(&self, index: usize) -> Color {
        self.positions[index].turn()
    }

    /// A move with its number: `2...f5`.
    #[must_use]
    pub fn numbered(&self, index: usize) -> String {
        line::numbered(&self.positions[index], &[self.moves[index].m])
    }

    /// The score for White of the position before move `index`, or after the
    /// last one.
    #[must_use]
    pub fn white_score(&self, index: usize) -> Score {
        match self.positions[index].turn() {
            Color::White => self.verdicts[index].score,
            Color::Black => -self.verdicts[index].score,
        }
    }

    /// How often a side's moves were judged so.
    #[must_use]
    pub fn count(&self, color: Color, judgement: Judgement) -> usize {
        self.moves
            .iter()
            .enumerate()
            .filter(|(index, report)| {
                self.mover(*index) == color && report.judgement == Some(judgement)
            })
            .count()
    }

    /// The indices of the moves that a reader should look at: those that cost
    /// most, in their order.
    #[must_use]
    pub fn key_moments(&self) -> Vec<usize> {
        const MOST: usize = 8;
        let loss = |index: usize| self.moves[index].chances.0 - self.moves[index].chances.1;
        let mut key: Vec<usize> = (0..self.moves.len())
            .filter(|&index| self.moves[index].judgement >= Some(Judgement::Mistake))
            .collect();
        key.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)));
        key.truncate(MOST);
        if let Some(losing) = self.losing
            && !key.contains(&losing)
        {
            key.push(losing);
        }
        key.sort_unstable();
        key
    }

    /// What a judged move did, in a sentence or two: the judgement, what it
    /// allows, and what was better. Empty for a move that is not judged.
    #[must_use]
    pub fn remark(&self, index: usize) -> String {
        let report = &self.moves[index];
        let Some(judgement) = report.judgement else {
            return String::new();
        };
        let mut text = format!("{}.", judgement.name());
        if report.missed_win {
            text = "Missed win.".to_owned();
        }
        let after = &self.verdicts[index + 1];
        let answer = &self.positions[index + 1];
        let forced = forced_end(answer, after).filter(|_| after.score > 0);
        if after.over.is_none()
            && let Some(forced) = forced
        {
            text.push_str(&format!(
                " It loses by force: {} {}.",
                line::numbered(answer, &after.line),
                forced
            ));
        } else if judgement > Judgement::Inaccuracy && !after.line.is_empty() {
            let shown = &after.line[..after.line.len().min(REPLY)];
            text.push_str(&format!(" It allows {}.", line::numbered(answer, shown)));
        }
        if !report.better.is_empty() {
            let best = line::numbered(&self.positions[index], &report.better[..1]);
            text.push_str(&format!(" {best} was best."));
        }
        text
    }

    /// The game in a few sentences.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut sentences = Vec::new();
        for color in Color::ALL {
            let Some(accuracy) = self.accuracy.get(color) else {
                continue;
            };
            let errors: Vec<String> = [
                (Judgement::Blunder, "blunder"),
                (Judgement::Mistake, "mistake"),
                (Judgement::Inaccuracy, "inaccuracy"),
            ]
            .into_iter()
            .filter_map(|(judgement, name)| {
                let count = self.count(color, judgement);
                let plural = match (count, name) {
                    (1, _) => name.to_owned(),
                    (_, "inaccuracy") => "inaccuracies".to_owned(),
                    _ => format!("{name}s"),
                };
                (count > 0).then(|| format!("{count} {plural}"))
            })
            .collect();
            let errors = if errors.is_empty() {
                "no error".to_owned()
            } else {
                errors.join(", ")
            };
            sentences.push(format!(
                "{}: accuracy {accuracy:.0}, {errors}.",
                side_name(color)
            ));
        }
        if let Some(losing) = self.losing {
            sentences.push(self.losing_sentence(losing));
        }
        if let Some(over) = self.verdicts.last().and_then(|verdict| verdict.over) {
            sentences.push(format!("The game ended: {}.", over.termination));
        }
        if self.moves.is_empty() {
            sentences.push(self.outlook());
        }
        sentences.join(" ")
    }

    fn losing_sentence(&self, losing: usize) -> String {
        let after = &self.verdicts[losing + 1];
        let position = &self.positions[losing + 1];
        let mut text = format!("The losing move was {}", self.numbered(losing));
        if after.line.is_empty() {
            text.push('.');
        } else {
            let shown = &after.line[..after.line.len().min(7)];
            let mut line = line::numbered(position, shown);
            if shown.len() < after.line.len() {
                line.push_str(" ...");
            }
            match forced_end(position, after) {
                Some(forced) => text.push_str(&format!(": {line} {forced}.")),
                None => text.push_str(&format!(", answered by {line}.")),
            }
        }
        text
    }

    /// What is best in a position without moves.
    fn outlook(&self) -> String {
        let (position, verdict) = (&self.positions[0], &self.verdicts[0]);
        match (verdict.over, verdict.line.is_empty()) {
            (Some(over), _) => format!("The game is over: {}.", over.termination),
            (None, true) => "There is no legal move.".to_owned(),
            (None, false) => {
                let line = line::numbered(position, &verdict.line);
                let forced = forced_end(position, verdict);
                let score = score_text(self.white_score(0));
                forced.map_or_else(
                    || format!("Best is {line} ({score})."),
                    |forced| format!("{line} {forced}."),
                )
            }
        }
    }
}

/// A score as people read it: pawns with sign, or `#` and moves to mate.
#[must_use]
pub fn score_text(score: Score) -> String {
    match mate_distance(score) {
        Some(moves) => format!("#{moves}"),
        None => format!("{:+.2}", f64::from(score) / 100.0),
    }
}

/// How a forced win ends: `explodes the king in 2` or `mates in 3`, said of the
/// winner. `None` if nothing is forced.
#[must_use]
pub fn forced_end(position: &Position, verdict: &Verdict) -> Option<String> {
    let moves = mate_distance(verdict.score)?.abs();
    let mut end = position.clone();
    for &m in &verdict.line {
        end.play(m);
    }
    let verb = if end.king_is_gone() {
        "explodes the king"
    } else if end.is_check() && end.legal_moves().is_empty() {
        "mates"
    } else {
        "wins by force"
    };
    Some(format!("{verb} in {moves}"))
}
