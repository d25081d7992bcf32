//! Where games come from: files, whole folders, and standard input.

use std::{
    collections::{HashSet, VecDeque},
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use super::{
    Fault, Game, Place, Skipped,
    read::{self, Reading},
    scan::{Scanner, decoded},
};
use crate::rules::{Position, Ruleset};

/// The name that stands for standard input.
pub const STDIN: &str = "-";

/// How texts in UTF-16 start, by the order of their bytes.
const UTF_16_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];

/// Endings of files that are taken from a folder.
const ENDINGS: [&str; 3] = ["pgn", "epd", "fen"];

/// The games and positions of many files, one after the other; only one game is
/// in memory at a time.
pub struct Source {
    waiting: VecDeque<PathBuf>,
    open: Option<Open>,
    reading: Reading,
}

/// A file that is being read.
struct Open {
    name: String,
    found: usize,
    kind: Kind,
}

enum Kind {
    Games(Scanner<Box<dyn BufRead + Send>>),
    Positions(Box<dyn BufRead + Send>, usize),
}

impl Source {
    /// Reads these files; a folder stands for all PGN, EPD and FEN files in it
    /// and below, in the order of their names.
    #[must_use]
    pub fn new(paths: &[PathBuf], reading: Reading) -> Source {
        Source::of_files(files(paths), reading)
    }

    /// Reads exactly these, none of which is taken for a folder.
    #[must_use]
    pub fn of_files(files: Vec<PathBuf>, reading: Reading) -> Source {
        Source {
            waiting: files.into(),
            open: None,
            reading,
        }
    }

    /// What the next file holds: looks at its first line that says something.
    fn open(&mut self, path: &Path) -> io::Result<Open> {
        let mut input: Box<dyn BufRead + Send> = if path == Path::new(STDIN) {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::with_capacity(1 << 16, File::open(path)?))
        };
        let start = input.fill_buf()?;
        if UTF_16_MARKS.iter().any(|mark| start.starts_with(mark)) {
            let told = "its text is in UTF-16; save it as UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, told));
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let positions = match ending.map(str::to_ascii_lowercase).as_deref() {
            Some("pgn") => false,
            Some("epd" | "fen") => true,
            _ => looks_like_positions(input.fill_buf()?),
        };
        let name = if path == Path::new(STDIN) {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        let kind = if positions {
            Kind::Positions(input, 0)
        } else {
            Kind::Games(Scanner::new(input))
        };
        Ok(Open {
            name,
            found: 0,
            kind,
        })
    }
}

impl Iterator for Source {
    type Item = Result<Game, Skipped>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(open) = &mut self.open {
                let next = open.next(self.reading);
                let (name, found) = (open.name.clone(), open.found);
                open.found += 1;
                let failed = |fault| {
                    Some(Err(Skipped {
                        file: name,
                        place: Place::File,
                        fault,
                    }))
                };
                match next {
                    Ok(Some(item)) => return Some(item),
                    Ok(None) if found == 0 => {
                        self.open = None;
                        return failed(Fault::Empty);
                    }
                    Ok(None) => self.open = None,
                    Err(error) => {
                        self.open = None;
                        return failed(Fault::Read(error.to_string()));
                    }
                }
            }
            let path = self.waiting.pop_front()?;
            match self.open(&path) {
                Ok(open) => self.open = Some(open),
                Err(error) => {
                    return Some(Err(Skipped {
                        file: path.display().to_string(),
                        place: Place::File,
                        fault: Fault::Read(error.to_string()),
                    }));
                }
            }
        }
    }
}

impl Open {
    fn next(&mut self, reading: Reading) -> io::Result<Option<Result<Game, Skipped>>> {
        match &mut self.kind {
            Kind::Games(scanner) => Ok(scanner
                .next_game()?
                .map(|chunk| read::game(&self.name, &chunk, reading))),
            Kind::Positions(input, line) => {
                let mut bytes = Vec::new();
                loop {
                    bytes.clear();
                    if input.read_until(b'\n', &mut bytes)? == 0 {
                        return Ok(None);
                    }
                    *line += 1;
                    let text = decoded(&bytes);
                    let text = text.trim_start_matches('\u{feff}').trim();
                    if !text.is_empty() && !text.starts_with('#') {
                        return Ok(Some(position(&self.name, *line, text, reading.positions)));
                    }
                }
            }
        }
    }
}

/// A line of EPD or FEN as a game without moves. Its name is the operation
/// `id`, if there is one.
fn position(file: &str, line: usize, text: &str, ruleset: Ruleset) -> Result<Game, Skipped> {
    let start = Position::from_fen(&fen_of_epd(text), ruleset).map_err(|error| Skipped {
        file: file.to_owned(),
        place: Place::Line(line),
        fault: Fault::Fen(error),
    })?;
    let id = text
        .split_once("id \"")
        .and_then(|(_, rest)| rest.split_once('"'))
        .map(|(id, _)| ("Event".to_owned(), id.to_owned()));
    Ok(Game {
        file: file.to_owned(),
        number: line,
        line,
        tags: id.into_iter().collect(),
        start,
        comments: Vec::new(),
        plies: Vec::new(),
        result: "*".to_owned(),
        left_out: Vec::new(),
    })
}

/// The position fields of an EPD or FEN line; operations such as `id "x";` go.
#[must_use]
pub fn fen_of_epd(line: &str) -> String {
    let fields = line
        .split_ascii_whitespace()
        .enumerate()
        .take_while(|(index, field)| *index < 4 || (*index < 6 && field.parse::<u32>().is_ok()));
    Vec::from_iter(fields.map(|(_, field)| field)).join(" ")
}

/// Whether the first line that says something is a board.
fn looks_like_positions(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .is_some_and(|line| {
            line.split_whitespace()
                .next()
                .is_some_and(|board| board.matches('/').count() == 7)
        })
}

/// The files that these paths stand for: a folder for all PGN, EPD and FEN files
/// in it and below, in the order of their names, each folder once.
#[must_use]
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        gather(path, &mut files, &mut HashSet::new());
    }
    files
}

/// Adds a file, or what a folder holds that is not among those `seen`: links
/// may lead around in circles.
fn gather(path: &Path, files: &mut Vec<PathBuf>, seen: &mut HashSet<PathBuf>) {
    let Ok(entries) = fs::read_dir(path) else {
        // A file, or something that will be reported when it cannot be opened.
        files.push(path.to_owned());
        return;
    };
    if !seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())) {
        return;
    }
    let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    inside.sort();
    for path in inside {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let wanted = ending.is_some_and(|ending| {
            ENDINGS
                .iter()
                .any(|known| known.eq_ignore_ascii_case(ending))
        });
        if wanted || path.is_dir() {
            gather(&path, files, seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_positions_are_known_by_their_first_line() {
        let fen = "# start\n\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n";
        assert!(looks_like_positions(fen.as_bytes()));
        assert!(!looks_like_positions(b"[Event \"1/2/3/4/5/6/7/8\"]\n"));
        assert!(!looks_like_positions(b"1. e4 e5"));
    }

    #[test]
    fn a_position_is_a_game_without_moves() {
        let text = "8/8/8/p3Q3/8/3Kk3/8/8 w - - bm Kc4; id \"zugzwang\";";
        let game = position("x.epd", 3, text, Ruleset::Lichess).expect("a position");
        assert_eq!(game.tag("Event"), Some("zugzwang"));
        let fault = position("x.epd", 3, "8/8 w - -", Ruleset::Lichess).expect_err("no position");
        assert!(fault.to_string().starts_with("x.epd: line 3: "));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_links_to_itself_is_read_once() {
        let folder = std::env::temp_dir().join(format!("fission-source-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).expect("a folder");
        fs::write(folder.join("below/game.pgn"), "").expect("a file");
        for link in ["one", "two"] {
            let _ = fs::remove_file(folder.join(link));
            std::os::unix::fs::symlink(&folder, folder.join(link)).expect("a link");
        }
        let found = files(std::slice::from_ref(&folder));
        fs::remove_dir_all(&folder).expect("to be removed");
        assert_eq!(found, [folder.join("below/game.pgn")]);
    }
}
