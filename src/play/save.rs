//! Keeps games in a PGN file, so that one that was laid aside can go on.
//!
//! The file may hold other games: they stay as they are, and the game is always
//! the last one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use shakmaty::{ByColor, Color};
use thiserror::Error;

use super::{
    clock::{Clock, ClockSetting},
    game::Game,
};
use crate::{
    games::{
        self, Skipped,
        pgn::{Movetext, tags, variant},
        read::{self, Reading},
        scan::Scanner,
    },
    rules::Position,
    tournament::pgn::utc_date,
};

/// The player's name in the tags.
const PLAYER: &str = "Player";
/// The engine's.
const ENGINE: &str = "Fission";

/// Who plays what.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Sides {
    /// The player's colour.
    pub player: Color,
    /// The engine's level, 0 to 20.
    pub level: u32,
}

/// A file of games and the text before the one that is played.
#[derive(Clone, Debug)]
pub struct SaveFile {
    path: PathBuf,
    before: Vec<u8>,
    date: String,
}

/// Why a game could not be kept or found.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The file cannot be read or written.
    #[error("{path}: {source}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// No game in it can go on.
    #[error("{path}: no unfinished game to go on with", path = .path.display())]
    Nothing {
        /// The file.
        path: PathBuf,
    },
    /// Its last game is no game.
    #[error("{0}")]
    Bad(#[from] Skipped),
}

impl SaveFile {
    /// Games go to the end of this file from now on.
    ///
    /// # Errors
    ///
    /// When the file is there but cannot be read.
    pub fn append(path: &Path) -> Result<SaveFile, SaveError> {
        let mut before = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => {
                return Err(SaveError::File {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        while !before.is_empty() && !before.ends_with(b"\n\n") {
            before.push(b'\n');
        }
        Ok(SaveFile {
            path: path.to_owned(),
            before,
            date: utc_date(SystemTime::now()),
        })
    }

    /// Reads the last game of the file, which must be unfinished, to go on with
    /// it. Its clocks stand where they stood.
    ///
    /// # Errors
    ///
    /// When there is no such game.
    pub fn open(path: &Path) -> Result<(SaveFile, Game, Sides), SaveError> {
        let failed = |source| SaveError::File {
            path: path.to_owned(),
            source,
        };
        let nothing = || SaveError::Nothing {
            path: path.to_owned(),
        };
        let bytes = fs::read(path).map_err(failed)?;
        let mut scanner = Scanner::new(bytes.as_slice());
        let mut last = None;
        while let Some(chunk) = scanner.next_game().map_err(failed)? {
            last = Some(chunk);
        }
        let chunk = last.ok_or_else(nothing)?;
        let saved = read::game_or_start(&path.display().to_string(), &chunk, Reading::default())?;
        if saved.result != "*" {
            return Err(nothing());
        }
        let before = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .take(chunk.line - 1)
            .flatten()
            .copied()
            .collect();
        let sides = Sides {
            player: Color::from_white(saved.tag("White") == Some(PLAYER)),
            level: saved
                .tag("Level")
                .and_then(|level| level.parse().ok())
                .unwrap_or(20),
        };
        let file = SaveFile {
            path: path.to_owned(),
            before,
            date: saved.tag("Date").unwrap_or("????.??.??").to_owned(),
        };
        Ok((file, replayed(&saved), sides))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game as it stands.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; what was in it stays.
    pub fn save(&self, game: &Game, sides: Sides) -> Result<(), SaveError> {
        let failed = |source| SaveError::File {
            path: self.path.clone(),
            source,
        };
        let mut text = self.before.clone();
        text.extend_from_slice(self.text(game, sides).as_bytes());
        let mut fresh = self.path.as_os_str().to_owned();
        fresh.push(".new");
        fs::write(&fresh, text).map_err(failed)?;
        fs::rename(&fresh, &self.path).map_err(failed)
    }

    fn text(&self, game: &Game, sides: Sides) -> String {
        let start = &game.positions()[0];
        let ruleset = start.ruleset();
        let result = game.end().map_or("*", super::End::as_str);
        let (white, black) = match sides.player {
            Color::White => (PLAYER, ENGINE),
            Color::Black => (ENGINE, PLAYER),
        };
        let (fen, level) = (start.fen(), sides.level.to_string());
        let control = game
            .clock()
            .map_or("-".to_owned(), |clock| clock.setting().to_string());
        let mut list = vec![
            ("Event", "Play against Fission"),
            ("Site", "?"),
            ("Date", self.date.as_str()),
            ("Round", "-"),
            ("White", white),
            ("Black", black),
            ("Result", result),
            ("Variant", variant(ruleset)),
        ];
        if fen != Position::startpos(ruleset).fen() {
            list.extend([("SetUp", "1"), ("FEN", fen.as_str())]);
        }
        list.extend([("TimeControl", control.as_str()), ("Level", level.as_str())]);
        let reason = game.end().map(super::End::reason);
        list.extend(reason.iter().map(|reason| ("Termination", reason.as_str())));
        let mut movetext = Movetext::default();
        for (index, &m) in game.moves().iter().enumerate() {
            let position = &game.positions()[index];
            movetext.play(position, &position.san(m));
            if let Some(times) = game.times().get(index) {
                let left = *times.get(position.turn());
                movetext.comment(&format!("[%clk {}]", clock_text(left)));
            }
        }
        tags(list) + &movetext.end(result)
    }
}

/// The game with its clocks as the comments tell them.
fn replayed(saved: &games::Game) -> Game {
    let setting = saved.tag("TimeControl").and_then(ClockSetting::from_tag);
    let mut game = Game::new(saved.start.clone(), setting.map(Clock::new));
    let now = Instant::now();
    let mut times: ByColor<Option<Duration>> = ByColor::default();
    for ply in &saved.plies {
        let mover = game.turn();
        game.play(ply.m, now);
        let told = ply.comments.iter().find_map(|text| read_clock(text));
        if let Some(left) = told {
            *times.get_mut(mover) = Some(left);
        }
        for color in Color::ALL {
            if let Some(left) = *times.get(color) {
                game.set_time(color, left);
            }
        }
    }
    game.stop_clock(now);
    game
}

fn clock_text(left: Duration) -> String {
    let tenths = left.as_millis() / 100;
    let seconds = tenths / 10;
    format!(
        "{}:{:02}:{:02}.{}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        tenths % 10
    )
}

fn read_clock(comment: &str) -> Option<Duration> {
    let (_, rest) = comment.split_once("[%clk ")?;
    let (text, _) = rest.split_once(']')?;
    let mut seconds = 0.0;
    for part in text.trim().split(':') {
        seconds = 60.0 * seconds + part.parse::<f64>().ok()?;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn a_game_goes_on_where_it_was_left_and_others_stay() {
        let folder = std::env::temp_dir().join(format!("fission-save-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("games.pgn");
        let other = "[Event \"other\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n";
        fs::write(&path, other).expect("to be written");
        let sides = Sides {
            player: Color::Black,
            level: 7,
        };
        let clock = Clock::new("3+2".parse().expect("a setting"));
        let mut game = Game::new(Position::startpos(Ruleset::Icc), Some(clock));
        let now = Instant::now();
        game.start_clock(now);
        let file = SaveFile::append(&path).expect("a file");
        for (san, second) in [("Nf3", 5), ("d5", 25), ("Ne5", 26)] {
            let m = game.position().parse_san(san).expect("test move");
            game.play(m, now + Duration::from_secs(second));
        }
        file.save(&game, sides).expect("to be saved");

        let (again, mut found, read_sides) = SaveFile::open(&path).expect("the game");
        assert_eq!(read_sides, sides);
        assert_eq!(found.moves(), game.moves());
        assert_eq!(found.position().ruleset(), Ruleset::Icc);
        let clock = found.clock().expect("a clock");
        assert_eq!(clock.left(Color::White, now), Duration::from_secs(178));
        assert_eq!(clock.left(Color::Black, now), Duration::from_secs(162));
        found.resign(Color::Black, now);
        again.save(&found, sides).expect("to be saved");
        let text = fs::read_to_string(&path).expect("text");
        assert!(
            text.starts_with(other) && text.matches("[Event ").count() == 2,
            "{text}"
        );
        assert!(matches!(
            SaveFile::open(&path),
            Err(SaveError::Nothing { .. })
        ));
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
