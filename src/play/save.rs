//! Keeps games in a PGN file, so that one that was laid aside can go on.
//!
//! The file may hold other games, and other programs may add to it meanwhile:
//! only the game that is played is written, where it was written before or else
//! at the end, and everything else stays as it is.

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
    shared_file::SharedFile,
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

/// The event in the tags, by which a game of ours is known.
const EVENT: &str = "Play against Fission";
/// The player's name in the tags.
const PLAYER: &str = "Player";
/// The engine's.
const ENGINE: &str = "Fission";
/// The engine's highest level.
pub const HIGHEST_LEVEL: u32 = 20;

/// Who plays what.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Sides {
    /// The player's colour.
    pub player: Color,
    /// The engine's level, 0 to [`HIGHEST_LEVEL`].
    pub level: u32,
}

/// A file of games, one of which is played.
#[derive(Clone, Debug)]
pub struct SaveFile {
    path: PathBuf,
    file: SharedFile,
    /// The game as it was last written, without the empty line after it.
    written: Option<Vec<u8>>,
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
    /// Its last game was not played here.
    #[error(
        "{path}: the last game is {white} against {black} ({event}), not one that fission play saved",
        path = .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Who had White.
        white: String,
        /// Who had Black.
        black: String,
        /// Where it was played.
        event: String,
    },
    /// Its last game holds what would be lost.
    #[error(
        "{path}: the last game was changed since fission play saved it, \
         and to go on would lose what was added",
        path = .path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// Its last game is no game.
    #[error("{0}")]
    Bad(#[from] Skipped),
}

impl SaveFile {
    /// A new game goes to the end of this file, as soon as there is something
    /// to save.
    ///
    /// # Errors
    ///
    /// When the file could not be written.
    pub fn append(path: &Path) -> Result<SaveFile, SaveError> {
        Ok(SaveFile {
            path: path.to_owned(),
            file: shared(path)?,
            written: None,
            date: utc_date(SystemTime::now()),
        })
    }

    /// Reads the last game of the file, which must be unfinished and saved by
    /// [`SaveFile::save`], to go on with it. Its clocks stand where they stood.
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
        let file = shared(path)?;
        let bytes = fs::read(path).map_err(failed)?;
        let mut scanner = Scanner::new(bytes.as_slice());
        let mut last = None;
        while let Some(chunk) = scanner.next_game().map_err(failed)? {
            last = Some(chunk);
        }
        let chunk = last.ok_or_else(nothing)?;
        let saved = read::game_or_start(&path.display().to_string(), &chunk, Reading::default())?;
        let sides = sides(&saved).ok_or_else(|| {
            let tag = |name| saved.tag(name).unwrap_or("?").to_owned();
            SaveError::Foreign {
                path: path.to_owned(),
                white: tag("White"),
                black: tag("Black"),
                event: tag("Event"),
            }
        })?;
        if saved.result != "*" {
            return Err(nothing());
        }
        let before: usize = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .take(chunk.line - 1)
            .map(<[u8]>::len)
            .sum();
        let written = bytes[before..].trim_ascii_end();
        let file = SaveFile {
            path: path.to_owned(),
            file,
            written: Some(written.to_owned()),
            date: saved.tag("Date").unwrap_or("????.??.??").to_owned(),
        };
        let game = replayed(&saved);
        if !same_words(written, file.text(&game, sides).as_bytes()) {
            return Err(SaveError::Changed {
                path: path.to_owned(),
            });
        }
        Ok((file, game, sides))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file holds the game.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.written.is_some()
    }

    /// Writes the game as it stands, if it has begun and has changed.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; what was in it stays.
    pub fn save(&mut self, game: &Game, sides: Sides) -> Result<(), SaveError> {
        let text = self.text(game, sides);
        let text = text.trim_end().as_bytes();
        let is_news = match &self.written {
            Some(written) => !same_words(written, text),
            None => !game.moves().is_empty() || game.end().is_some(),
        };
        if !is_news {
            return Ok(());
        }
        self.file
            .change(|games| with_game(games, self.written.as_deref(), text))
            .map_err(|source| SaveError::File {
                path: self.path.clone(),
                source,
            })?;
        self.written = Some(text.to_owned());
        Ok(())
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
            ("Event", EVENT),
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

fn shared(path: &Path) -> Result<SharedFile, SaveError> {
    SharedFile::new(path).map_err(|source| SaveError::File {
        path: path.to_owned(),
        source,
    })
}

/// Who plays what in a game that was saved here; `None` for any other game.
fn sides(saved: &games::Game) -> Option<Sides> {
    if saved.tag("Event") != Some(EVENT) {
        return None;
    }
    let player = match (saved.tag("White")?, saved.tag("Black")?) {
        (PLAYER, ENGINE) => Color::White,
        (ENGINE, PLAYER) => Color::Black,
        _ => return None,
    };
    let level = saved.tag("Level").and_then(|level| level.parse().ok());
    Some(Sides {
        player,
        level: level.unwrap_or(HIGHEST_LEVEL),
    })
}

/// Whether two texts differ at most in the space between their words.
fn same_words(one: &[u8], other: &[u8]) -> bool {
    let words =
        |text| <[u8]>::split(text, u8::is_ascii_whitespace).filter(|word: &&[u8]| !word.is_empty());
    words(one).eq(words(other))
}

/// `games` with the game `new`: in the place of `old` if that is there, or else
/// at the end.
fn with_game(mut games: Vec<u8>, old: Option<&[u8]>, new: &[u8]) -> Vec<u8> {
    if let Some(old) = old
        && let Some(start) = find(&games, old)
    {
        games.splice(start..start + old.len(), new.iter().copied());
        return games;
    }
    while !games.is_empty() && !games.ends_with(b"\n\n") {
        games.push(b'\n');
    }
    games.extend_from_slice(new);
    games.extend_from_slice(b"\n\n");
    games
}

/// Where the lines of `game` begin in `games`, the last time if more than once.
fn find(games: &[u8], game: &[u8]) -> Option<usize> {
    let last = games.len().checked_sub(game.len())?;
    (0..=last).rev().find(|&start| {
        let (before, from) = games.split_at(start);
        from.strip_prefix(game)
            .is_some_and(|after| matches!(after.first(), None | Some(b'\n' | b'\r')))
            && matches!(before.last(), None | Some(b'\n'))
    })
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

    /// A folder of its own for each test.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fission-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    const SIDES: Sides = Sides {
        player: Color::Black,
        level: 7,
    };

    fn play(game: &mut Game, san: &str) {
        let m = game.position().parse_san(san).expect("test move");
        game.play(m, Instant::now());
    }

    fn game(sans: &[&str]) -> Game {
        let mut game = Game::new(Position::startpos(Ruleset::Lichess), None);
        for san in sans {
            play(&mut game, san);
        }
        game
    }

    #[test]
    fn a_game_goes_on_where_it_was_left_and_others_stay() {
        let folder = folder("save");
        let path = folder.join("games.pgn");
        let other = "[Event \"other\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n";
        fs::write(&path, other).expect("to be written");
        let clock = Clock::new("3+2".parse().expect("a setting"));
        let mut game = Game::new(Position::startpos(Ruleset::Icc), Some(clock));
        let now = Instant::now();
        game.start_clock(now);
        let mut file = SaveFile::append(&path).expect("a file");
        for (san, second) in [("Nf3", 5), ("d5", 25), ("Ne5", 26)] {
            let m = game.position().parse_san(san).expect("test move");
            game.play(m, now + Duration::from_secs(second));
        }
        file.save(&game, SIDES).expect("to be saved");

        let (mut again, mut found, sides) = SaveFile::open(&path).expect("the game");
        assert_eq!(sides, SIDES);
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

    #[test]
    fn only_games_of_ours_go_on_and_with_nothing_lost() {
        let folder = folder("save-foreign");
        let path = folder.join("games.pgn");
        let foreign = "[Event \"Club\"]\n[White \"Müller\"]\n[Black \"B\"]\n\
            [Variant \"Atomic\"]\n\n1. e4 $1 {good} (1. d4) e5 *\n";
        SaveFile::append(&path)
            .and_then(|mut file| file.save(&game(&["Nf3"]), SIDES))
            .expect("to be saved");
        let ours = fs::read_to_string(&path).expect("text");
        for (text, says) in [
            (foreign.to_owned(), "Müller against B (Club)"),
            (ours.replace("Player", "Anna"), "Fission against Anna"),
            (ours.replace("Nf3", "Nf3 {a remark}"), "changed"),
            (ours.replace("Nf3", "Nf3 $1"), "changed"),
            (
                ours.replace("[Level", "[Annotator \"A\"]\n[Level"),
                "changed",
            ),
        ] {
            fs::write(&path, &text).expect("to be written");
            let told = SaveFile::open(&path).expect_err("refused").to_string();
            assert!(told.contains(says) && told.contains("games.pgn"), "{told}");
            assert_eq!(fs::read_to_string(&path).expect("text"), text);
        }
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn nothing_is_written_without_news() {
        let folder = folder("save-news");
        let path = folder.join("games.pgn");
        let mut file = SaveFile::append(&path).expect("a file");
        file.save(&game(&[]), SIDES).expect("nothing to save");
        assert!(!file.is_written() && !path.exists());
        file.save(&game(&["Nf3"]), SIDES).expect("to be saved");
        // Other line ends and spaces tell nothing new.
        let text = fs::read_to_string(&path).expect("text");
        let text = text.trim_end().replace('\n', "\r\n");
        fs::write(&path, &text).expect("to be written");
        let (mut file, found, sides) = SaveFile::open(&path).expect("the game");
        file.save(&found, sides).expect("nothing to save");
        assert_eq!(fs::read_to_string(&path).expect("text"), text);
        let level = Sides { level: 3, ..sides };
        file.save(&found, level).expect("to be saved");
        assert_eq!(SaveFile::open(&path).expect("the game").2, level);
        fs::remove_dir_all(&folder).expect("to be removed");
    }

    #[test]
    fn sittings_that_share_a_file_keep_each_others_games() {
        let folder = folder("save-shared");
        let path = folder.join("games.pgn");
        let mut files = [(); 3].map(|()| SaveFile::append(&path).expect("a file"));
        // At first all three games are the same.
        let mut games = [(); 3].map(|()| game(&["Nf3", "d5"]));
        for (file, game) in files.iter_mut().zip(&games) {
            file.save(game, SIDES).expect("to be saved");
        }
        for index in [1, 0, 2] {
            play(&mut games[index], ["e4", "Ne5", "g3"][index]);
            files[index]
                .save(&games[index], SIDES)
                .expect("to be saved");
        }
        let text = fs::read_to_string(&path).expect("text");
        assert_eq!(text.matches("[Event ").count(), 3, "{text}");
        // Somebody rewrites one of the games: it stays, and ours comes again.
        let text = text.replace("2. e4", "2. e4 {hm}");
        fs::write(&path, &text).expect("to be written");
        play(&mut games[0], "e5");
        files[0].save(&games[0], SIDES).expect("to be saved");
        let text = fs::read_to_string(&path).expect("text");
        for moves in ["2. Ne5 *", "2. e4 {hm} *", "2. g3 *", "2. e4 e5 *"] {
            assert_eq!(text.matches(moves).count(), 1, "{moves}: {text}");
        }
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
