//! Cuts a stream of PGN into games.
//!
//! A game ends at its result, or where the tags of the next one begin. Words
//! are checked here, before pgn-reader sees them, because it passes over what it
//! does not know and would read the `f3` in a German `Sf3` as a pawn move. What
//! comes out is plain: one tag a line, then words and comments with single
//! spaces between them, in UTF-8 whatever it was before.

use std::io::{self, BufRead};

use shakmaty::san::SanPlus;

use super::{
    Fault,
    line::{castling_letters, without_number},
};

/// The most bytes of one game that are kept.
pub const LONGEST: usize = 1 << 20;

/// One game, not played through yet.
#[derive(Debug, Default)]
pub struct Chunk {
    /// Its number in the stream, from 1.
    pub number: usize,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Its tags, one a line.
    pub tags: String,
    /// Moves, glyphs, variations, comments and result.
    pub movetext: String,
    /// The line of every move, those of variations included.
    pub move_lines: Vec<usize>,
    /// The first thing found wrong, and its line.
    pub fault: Option<(usize, Fault)>,
}

impl Chunk {
    fn spoil(&mut self, line: usize, fault: Fault) {
        self.fault.get_or_insert((line, fault));
    }

    fn put(&mut self, line: usize, word: &str) {
        if self.tags.len() + self.movetext.len() + word.len() > LONGEST {
            self.spoil(line, Fault::TooLong);
        } else {
            self.movetext.push_str(word);
            self.movetext.push(' ');
        }
    }

    fn has_tag(&self, name: &str) -> bool {
        self.tags.lines().any(|tag| tag_name(tag) == Some(name))
    }
}

/// How far a game has come.
#[derive(Copy, Clone, Eq, PartialEq)]
enum Stage {
    /// Nothing yet.
    Before,
    Tags,
    Moves,
    /// The result was read; a comment may follow on the same line.
    Done,
}

/// Reads games one by one.
pub struct Scanner<R> {
    input: R,
    /// The number of the line read last.
    line: usize,
    games: usize,
    /// What is left of that line for the next game.
    rest: Option<String>,
    ended: bool,
}

impl<R: BufRead> Scanner<R> {
    /// Begins at the first line of `input`.
    pub fn new(input: R) -> Scanner<R> {
        Scanner {
            input,
            line: 0,
            games: 0,
            rest: None,
            ended: false,
        }
    }

    /// The next game.
    ///
    /// # Errors
    ///
    /// When the stream cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<Chunk>> {
        let mut game = Building::default();
        while let Some(text) = self.next_line()? {
            match game.take_line(&text, self.line) {
                Next::Line => {}
                Next::Game(rest) => {
                    self.rest = rest;
                    return Ok(Some(self.number(game)));
                }
            }
        }
        game.end(self.line);
        Ok((game.stage != Stage::Before).then(|| self.number(game)))
    }

    fn number(&mut self, game: Building) -> Chunk {
        self.games += 1;
        Chunk {
            number: self.games,
            ..game.chunk
        }
    }

    fn next_line(&mut self) -> io::Result<Option<String>> {
        if let Some(rest) = self.rest.take() {
            return Ok(Some(rest));
        }
        if self.ended {
            return Ok(None);
        }
        let bytes = read_line(&mut self.input)?;
        if bytes.is_empty() {
            self.ended = true;
            return Ok(None);
        }
        self.line += 1;
        let text = decoded(&bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        Ok(Some(text.trim_start_matches('\u{feff}').to_owned()))
    }
}

/// A line with its end; a line longer than any game is cut at a space.
fn read_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let long = line.len() >= LONGEST;
        let end = buffer
            .iter()
            .position(|&byte| byte == b'\n' || (long && byte == b' '));
        let taken = end.map_or(buffer.len(), |end| end + 1);
        line.extend_from_slice(&buffer[..taken]);
        input.consume(taken);
        if end.is_some() || taken == 0 || line.len() >= 2 * LONGEST {
            return Ok(line);
        }
    }
}

/// The text in `bytes`: UTF-8, or else Latin-1, in which every byte is a letter.
#[must_use]
pub fn decoded(bytes: &[u8]) -> String {
    str::from_utf8(bytes).map_or_else(
        |_| bytes.iter().map(|&byte| char::from(byte)).collect(),
        str::to_owned,
    )
}

/// The name in a tag such as `[White "A"]`, if the line is one.
fn tag_name(line: &str) -> Option<&str> {
    let (name, value) = line
        .trim()
        .strip_prefix('[')?
        .trim_start()
        .split_once([' ', '\t', '"'])?;
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    (is_name && (value.contains('"'))).then_some(name)
}

/// What to read next.
enum Next {
    Line,
    /// The game is complete; this is what follows it on its last line.
    Game(Option<String>),
}

/// A game that is being put together.
struct Building {
    chunk: Chunk,
    stage: Stage,
    /// The line on which the open comment began, and its text so far.
    comment: Option<(usize, String)>,
    /// Whether a comment had an opening brace in it.
    nested: bool,
    /// Open parentheses.
    depth: usize,
    /// Whether the last line was empty.
    gap: bool,
}

impl Default for Building {
    fn default() -> Building {
        Building {
            chunk: Chunk::default(),
            stage: Stage::Before,
            comment: None,
            nested: false,
            depth: 0,
            gap: false,
        }
    }
}

impl Building {
    fn take_line(&mut self, text: &str, line: usize) -> Next {
        let gap = std::mem::replace(&mut self.gap, text.trim().is_empty());
        let name = tag_name(text);
        if let Some((began, _)) = self.comment {
            // An unclosed comment must not swallow the games after it.
            if gap && name == Some("Event") {
                self.chunk.spoil(began, Fault::OpenComment);
                return Next::Game(Some(text.to_owned()));
            }
            return self.take_moves(text, line);
        }
        if text.trim().is_empty() || text.starts_with('%') {
            return Next::Line;
        }
        match (self.stage, name) {
            (Stage::Before | Stage::Tags, Some(name)) => {
                if gap && self.chunk.has_tag(name) {
                    return Next::Game(Some(text.to_owned()));
                }
                self.begin(Stage::Tags, line);
                if self.chunk.tags.len() + text.len() > LONGEST {
                    self.chunk.spoil(line, Fault::TooLong);
                } else {
                    self.chunk.tags.push_str(text.trim());
                    self.chunk.tags.push('\n');
                }
                Next::Line
            }
            (_, Some(_)) => {
                self.end(line);
                Next::Game(Some(text.to_owned()))
            }
            (_, None) => {
                self.begin(Stage::Moves, line);
                self.take_moves(text, line)
            }
        }
    }

    fn begin(&mut self, stage: Stage, line: usize) {
        if self.stage == Stage::Before {
            self.chunk.line = line;
        }
        self.stage = stage;
    }

    /// Notes what is still open where the game ends.
    fn end(&mut self, line: usize) {
        if let Some((began, _)) = self.comment {
            self.chunk.spoil(began, Fault::OpenComment);
        } else if self.depth > 0 {
            self.chunk.spoil(line, Fault::Parentheses);
        }
    }

    fn take_moves(&mut self, text: &str, line: usize) -> Next {
        let mut rest = text;
        loop {
            if let Some((_, comment)) = &mut self.comment {
                let Some((inside, after)) = rest.split_once('}') else {
                    if comment.len() + rest.len() <= LONGEST {
                        comment.push_str(rest);
                        comment.push(' ');
                    }
                    return Next::Line;
                };
                comment.push_str(inside);
                self.nested |= comment.contains('{');
                let words = Vec::from_iter(comment.split_whitespace()).join(" ");
                self.comment = None;
                self.chunk.put(line, &format!("{{{words}}}"));
                rest = after;
            }
            rest = rest.trim_start();
            let Some(first) = rest.chars().next() else {
                return match self.stage {
                    Stage::Done => Next::Game(None),
                    _ => Next::Line,
                };
            };
            match first {
                '{' => {
                    self.comment = Some((line, String::new()));
                    rest = &rest[1..];
                }
                ';' => {
                    let words = rest[1..].replace(['{', '}'], "'");
                    self.chunk.put(line, &format!("{{{}}}", words.trim()));
                    rest = "";
                }
                _ if self.stage == Stage::Done => return Next::Game(Some(rest.to_owned())),
                _ => rest = self.take_word(rest, line),
            }
        }
    }

    /// Takes in the word that `text` begins with; returns the rest.
    fn take_word<'a>(&mut self, text: &'a str, line: usize) -> &'a str {
        let same_kind = |letters: &'static [char]| {
            text.find(|letter| !letters.contains(&letter))
                .unwrap_or(text.len())
        };
        match text.as_bytes()[0] {
            b'(' => {
                self.depth += 1;
                self.chunk.put(line, "(");
                &text[1..]
            }
            b')' => {
                match self.depth.checked_sub(1) {
                    Some(depth) => self.depth = depth,
                    None => self.chunk.spoil(line, Fault::Parentheses),
                }
                self.chunk.put(line, ")");
                &text[1..]
            }
            b'}' => {
                self.chunk.spoil(line, Fault::NestedComment);
                &text[1..]
            }
            b'$' => {
                let end = 1 + text[1..]
                    .find(|letter: char| !letter.is_ascii_digit())
                    .unwrap_or(text.len() - 1);
                self.chunk.put(line, &text[..end]);
                &text[end..]
            }
            b'!' | b'?' => {
                let end = same_kind(&['!', '?']);
                self.chunk.put(line, &text[..end.min(2)]);
                &text[end..]
            }
            _ => {
                let end = text
                    .find(|letter: char| letter.is_whitespace() || "{}();$!?".contains(letter))
                    .unwrap_or(text.len());
                self.take_plain(&text[..end], line);
                &text[end..]
            }
        }
    }

    /// Takes in a move, a number, a result, or a sign that says nothing.
    fn take_plain(&mut self, word: &str, line: usize) {
        if matches!(word, "1-0" | "0-1" | "1/2-1/2" | "½-½" | "1/2" | "*") {
            self.chunk
                .put(line, if word == "1/2" { "1/2-1/2" } else { word });
            if self.depth == 0 {
                self.stage = Stage::Done;
            }
            return;
        }
        let bare = &*castling_letters(without_number(word));
        let is_sign = bare.chars().all(|letter| "+-=/±∓∞□⩲⩱⟳→↑N".contains(letter));
        if matches!(bare, "e.p." | "ep" | "dbl") || (is_sign && bare != "--") {
            return;
        }
        if bare.parse::<SanPlus>().is_ok() {
            self.chunk.move_lines.push(line);
            self.chunk.put(line, bare);
        } else if self.nested {
            // The rest of a comment that its inner comment has ended.
            self.chunk.spoil(line, Fault::NestedComment);
        } else {
            self.chunk.spoil(line, Fault::Word(word.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &[u8]) -> Vec<Chunk> {
        let mut scanner = Scanner::new(text);
        std::iter::from_fn(|| scanner.next_game().expect("no read error")).collect()
    }

    fn faults(text: &str) -> Vec<Option<(usize, String)>> {
        scan(text.as_bytes())
            .into_iter()
            .map(|chunk| chunk.fault.map(|(line, fault)| (line, fault.to_string())))
            .collect()
    }

    #[test]
    fn games_end_at_results_and_at_tags() {
        let text = "\u{feff}[Event \"a\"]\r\n\r\n1. e4 e5\r\n\r\n2. Nf3 *\r\n\r\n[Event \"b\"]\n\n1. d4\n\n\
            [Event \"c\"]\n\n1.d4 d5 1-0 {resigned\nlate} 1. e4 0-1";
        let chunks = scan(text.as_bytes());
        let texts = Vec::from_iter(chunks.iter().map(|chunk| chunk.movetext.as_str()));
        assert_eq!(
            texts,
            [
                "e4 e5 Nf3 * ",
                "d4 ",
                "d4 d5 1-0 {resigned late} ",
                "e4 0-1 "
            ]
        );
        let lines = Vec::from_iter(chunks.iter().map(|chunk| chunk.line));
        assert_eq!(lines, [1, 7, 11, 14]);
        assert_eq!(chunks[0].move_lines, [3, 3, 5]);
        assert_eq!(chunks[3].number, 4);
    }

    #[test]
    fn tags_in_comments_do_not_end_a_game() {
        let text =
            "[Event \"a\"]\n\n1. e4 {\n[%clk 0:01:00]\n\n[%eval 0.1]} e5 ; so {so}\n2. d4 *\n";
        let chunks = scan(text.as_bytes());
        assert_eq!(chunks.len(), 1);
        assert_eq!(
            chunks[0].movetext,
            "e4 {[%clk 0:01:00] [%eval 0.1]} e5 {so 'so'} d4 * "
        );
    }

    #[test]
    fn latin_1_becomes_utf_8() {
        let chunks = scan(b"[White \"M\xfcller\"]\n\n1. e4 *");
        assert!(chunks[0].tags.contains("Müller"));
    }

    #[test]
    fn what_is_wrong_is_found_with_its_line_and_the_next_game_is_whole() {
        let next = "\n\n[Event \"next\"]\n\n1. e4 *\n";
        for (text, line, says) in [
            ("1. e4 {a {b} c} e5 *", 1, "nested"),
            ("1. e4 e5\n2. Sf3 *", 2, "\"Sf3\""),
            ("1. e4\n(1. d4 *", 4, "parentheses"),
            ("1. e4\n1. d4) *", 2, "parentheses"),
            ("1. e4\n{never\nclosed", 2, "not closed"),
        ] {
            let found = faults(&format!("{text}{next}"));
            assert_eq!(found.len(), 2, "{text}");
            let (at, message) = found[0].clone().expect("a fault");
            assert!(message.contains(says), "{text}: {message}");
            assert_eq!(at, line, "{text}");
            assert!(found[1].is_none());
        }
        assert!(faults("1. e4 {never closed")[0].is_some());
    }

    #[test]
    fn a_game_without_moves_is_a_game_of_its_own() {
        let chunks = scan(b"[Event \"a\"]\n\n[Event \"b\"]\n\n1. e4 *");
        assert_eq!(chunks.len(), 2);
        assert!(chunks[0].movetext.is_empty());
    }

    #[test]
    fn endless_games_and_lines_are_bounded() {
        let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(LONGEST / 12);
        let chunks = scan(format!("{moves}*\n\n[Event \"b\"]\n\n1. e4 *").as_bytes());
        assert!(matches!(chunks[0].fault, Some((_, Fault::TooLong))));
        assert!(chunks[0].movetext.len() <= LONGEST + 1);
        let last = chunks.last().expect("games");
        assert!(last.fault.is_none() && last.movetext == "e4 * ");
    }
}
