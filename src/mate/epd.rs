//! Positions to solve, from EPD or FEN lines.

use thiserror::Error;

use crate::rules::{FenError, Position, Ruleset};

/// A position to solve.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The line it stands in, from 1.
    pub line: usize,
    /// The position.
    pub position: Position,
    /// What the operation `id` calls it.
    pub id: Option<String>,
    /// The number of moves that the operation `dm` says the win takes.
    pub mate: Option<u8>,
}

/// A line that is no position.
#[derive(Clone, Debug, Error)]
#[error("line {line}: {source}")]
pub struct EpdError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub source: FenError,
}

/// Reads EPD or FEN lines; empty lines and those that start with `#` are left
/// out. Each line is a problem or an error of its own.
pub fn read_epd(text: &str, ruleset: Ruleset) -> Vec<Result<Problem, EpdError>> {
    text.trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            let (mut fen, operations) = split(line);
            if let Some(halfmoves) = operation(operations, "hmvc")
                && fen.split(' ').count() == 4
            {
                fen.push_str(&format!(" {halfmoves} 1"));
            }
            let position = Position::from_fen(&fen, ruleset).map_err(|source| EpdError {
                line: number,
                source,
            })?;
            Ok(Problem {
                line: number,
                position,
                id: operation(operations, "id"),
                mate: operation(operations, "dm").and_then(|value| value.parse().ok()),
            })
        })
        .collect()
}

/// The fields of the position, and the operations behind them.
fn split(line: &str) -> (String, &str) {
    let mut fields = Vec::new();
    let mut rest = line;
    while fields.len() < 6 {
        let field = rest.split_whitespace().next().unwrap_or("");
        if field.is_empty() || (fields.len() >= 4 && field.parse::<u32>().is_err()) {
            break;
        }
        fields.push(field);
        rest = rest.trim_start()[field.len()..].trim_start();
    }
    (fields.join(" "), rest)
}

/// The operand of an operation, without quotes.
fn operation(operations: &str, name: &str) -> Option<String> {
    operations.split(';').find_map(|operation| {
        let operand = operation.trim().strip_prefix(name)?.strip_prefix(' ')?;
        Some(operand.trim().trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_and_wrong_lines_named() {
        let text = "# comment\n8/8/8/K7/1k6/p7/Q7/8 w - - hmvc 4; dm 1; id \"a\";\n\nhello\n\
                    8/8/8/K7/1k6/p7/Q7/8 w - - 8 22\n";
        let problems = read_epd(text, Ruleset::Lichess);
        assert_eq!(problems.len(), 3);
        let first = problems[0].as_ref().expect("a position");
        assert_eq!((first.line, first.mate), (2, Some(1)));
        assert_eq!(first.position.halfmoves(), 4);
        assert_eq!(first.id.as_deref(), Some("a"));
        let error = problems[1].as_ref().expect_err("no position");
        assert!(
            error.to_string().starts_with("line 4: \"hello\""),
            "{error}"
        );
        let last = problems[2].as_ref().expect("a position");
        assert_eq!((last.position.halfmoves(), last.mate), (8, None));
    }
}
