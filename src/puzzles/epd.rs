//! Puzzles as EPD: `bm` the winning move, `pv` the line, `dm` moves to the win,
//! `c0` the themes, `c1` the difficulty, `id` the source.

use thiserror::Error;

use super::{Puzzle, Theme};
use crate::{
    games::{
        line::{self, LineError},
        source::fen_of_epd,
    },
    rules::{FenError, Position, Ruleset},
};

/// A line that is no puzzle.
#[derive(Clone, Debug, Error)]
#[error("line {line}: {fault}")]
pub struct EpdError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a line.
#[derive(Clone, Debug, Error)]
pub enum Fault {
    /// The position is wrong.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// The solution cannot be played.
    #[error("pv: {0}")]
    Line(#[from] LineError),
    /// There is no solution.
    #[error("no operation pv with the solution")]
    NoLine,
}

impl Puzzle {
    /// The puzzle as one line of EPD, without the newline.
    #[must_use]
    pub fn epd(&self) -> String {
        let fen = self.position.fen();
        let fields = Vec::from_iter(fen.split(' ').take(4)).join(" ");
        let line = self.position.san_line(&self.line);
        let best = line.first().cloned().unwrap_or_default();
        let mut text = format!("{fields} bm {best};");
        if let Some(moves) = self.mate {
            text.push_str(&format!(" dm {moves};"));
        }
        text.push_str(&format!(
            " pv {}; c0 \"{}\"; c1 \"{}\"; id \"{}\";",
            line.join(" "),
            Vec::from_iter(self.themes.iter().map(Theme::to_string)).join(" "),
            self.difficulty,
            self.source.replace(['"', ';'], "'")
        ));
        text
    }
}

/// Reads puzzles, one a line; empty lines and those that start with `#` are
/// left out.
pub fn read(text: &str) -> Vec<Result<Puzzle, EpdError>> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(index, line)| {
            puzzle(line).map_err(|fault| EpdError {
                line: index + 1,
                fault,
            })
        })
        .collect()
}

fn puzzle(text: &str) -> Result<Puzzle, Fault> {
    let position = Position::from_fen(&fen_of_epd(text), Ruleset::Lichess)?;
    let operation = |name: &str| {
        text.split(';').find_map(|part| {
            let part = part.trim();
            // The first operation follows the fields of the position.
            let start = part.rfind(&format!("{name} ")).filter(|&start| {
                start == 0
                    || part[..start].ends_with("- ")
                    || part[..start].matches(' ').count() == 4
            })?;
            Some(
                part[start + name.len()..]
                    .trim()
                    .trim_matches('"')
                    .to_owned(),
            )
        })
    };
    let line = line::parse(&position, &operation("pv").ok_or(Fault::NoLine)?)?;
    if line.is_empty() {
        return Err(Fault::NoLine);
    }
    let themes = operation("c0").unwrap_or_default();
    Ok(Puzzle {
        position,
        line,
        mate: operation("dm").and_then(|moves| moves.parse().ok()),
        themes: Theme::ALL
            .into_iter()
            .filter(|theme| themes.split(' ').any(|word| word == theme.as_str()))
            .collect(),
        difficulty: operation("c1")
            .and_then(|difficulty| difficulty.parse().ok())
            .unwrap_or(1500),
        source: operation("id").unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puzzles_come_back_as_written() {
        let fen = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("FEN");
        let puzzle = Puzzle {
            line: line::parse(&position, "Nd7 d4 Nxf8").expect("legal"),
            position,
            mate: Some(2),
            themes: vec![Theme::Explosion, Theme::Quiet],
            difficulty: 1234,
            source: "game 3, move 12".to_owned(),
        };
        let text = puzzle.epd();
        assert!(text.contains(" bm Nd7; dm 2; pv Nd7 d4 Nxf8#;"), "{text}");
        let read = read(&text).remove(0).expect("a puzzle");
        assert_eq!(read, puzzle);
    }

    #[test]
    fn lines_without_a_solution_are_named() {
        let text = "\n8/8/8/K7/1k6/p7/Q7/8 w - - bm Qxa3;\n8/8/8/K7/1k6/p7/Q7/8 w - - pv Qh8;\n";
        let faults = Vec::from_iter(
            read(text)
                .into_iter()
                .map(|line| line.expect_err("no puzzle").to_string()),
        );
        assert!(
            faults[0].starts_with("line 2: no operation pv"),
            "{faults:?}"
        );
        assert!(faults[1].starts_with("line 3: pv: move 1"), "{faults:?}");
    }
}
