//! Writes PGN, with comments, glyphs and variations.

use std::fmt::Write;

use crate::rules::{Position, Ruleset};

/// Longest line of move text.
const WIDTH: usize = 80;

/// Tags as text, ending in an empty line.
#[must_use]
pub fn tags<'a>(tags: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::new();
    for (name, value) in tags {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    text
}

/// The value of the tag `Variant`.
#[must_use]
pub const fn variant(ruleset: Ruleset) -> &'static str {
    match ruleset {
        Ruleset::Lichess => "Atomic",
        Ruleset::Icc => ruleset.uci_name(),
    }
}

/// Move text that breaks its lines.
#[derive(Debug, Default)]
pub struct Movetext {
    text: String,
    line: usize,
    /// Whether the next move of Black needs its number.
    interrupted: bool,
    begun: bool,
}

impl Movetext {
    /// Adds the move `san` that is played in `position`, with its number where
    /// one is needed.
    pub fn play(&mut self, position: &Position, san: &str) {
        let number = position.fullmoves();
        if position.turn().is_white() {
            self.word(&format!("{number}."));
        } else if self.interrupted || !self.begun {
            self.word(&format!("{number}..."));
        }
        self.word(san);
        self.interrupted = false;
        self.begun = true;
    }

    /// Adds a glyph by its number.
    pub fn nag(&mut self, nag: u8) {
        self.word(&format!("${nag}"));
    }

    /// Adds a comment; braces in it become parentheses, and commands such as
    /// `[%eval 0.1]` stay on one line.
    pub fn comment(&mut self, words: &str) {
        let safe = words.replace('{', "(").replace('}', ")");
        self.enclosed('{', &safe, '}');
    }

    /// Adds a variation, given as text without its parentheses.
    pub fn variation(&mut self, text: &str) {
        self.enclosed('(', text, ')');
    }

    fn enclosed(&mut self, open: char, text: &str, close: char) {
        let mut words: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match words.last_mut() {
                Some(command) if command.starts_with("[%") && !command.contains(']') => {
                    command.push(' ');
                    command.push_str(word);
                }
                _ => words.push(word.to_owned()),
            }
        }
        if let Some(first) = words.first_mut() {
            first.insert(0, open);
        }
        if let Some(last) = words.last_mut() {
            last.push(close);
        }
        for word in &words {
            self.word(word);
        }
        self.interrupted = true;
    }

    /// Ends with the result and an empty line.
    #[must_use]
    pub fn end(mut self, result: &str) -> String {
        self.word(result);
        self.text.push_str("\n\n");
        self.text
    }

    fn word(&mut self, word: &str) {
        let length = word.chars().count();
        if self.line > 0 && self.line + 1 + length > WIDTH {
            self.text.push('\n');
            self.line = 0;
        } else if self.line > 0 {
            self.text.push(' ');
            self.line += 1;
        }
        self.text.push_str(word);
        self.line += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_gets_a_number_after_an_interruption() {
        let mut position = Position::startpos(Ruleset::Lichess);
        let mut text = Movetext::default();
        for san in ["Nf3", "d5", "Ne5", "f6"] {
            text.play(&position, san);
            let m = position.parse_san(san).expect("test move");
            position.play(m);
            if san == "Ne5" {
                text.nag(1);
                text.comment("so {it} goes");
            }
        }
        text.variation("2... f5 3. Nd7");
        assert_eq!(
            text.end("*"),
            "1. Nf3 d5 2. Ne5 $1 {so (it) goes} 2... f6 (2... f5 3. Nd7) *\n\n"
        );
    }

    #[test]
    fn lines_are_short() {
        let mut text = Movetext::default();
        text.comment(&"words and ".repeat(60));
        let text = text.end("1-0");
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        let mut text = Movetext::default();
        text.comment(&"[%eval 0.12,10] ".repeat(40));
        assert!(text.end("*").lines().all(|line| !line.ends_with("[%eval")));
    }
}
