//! Files of games keep what was written, and say what is damaged.

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use fission::{
    data::{Ending, FileError, Game, Ply, Reader, Writer, file::MARKER},
    rules::PackedMove,
};
use shakmaty::Color;

fn random_game(number: u64) -> Game {
    let mut rng = fastrand::Rng::with_seed(number);
    let mut position = support::random_start(number, &mut rng);
    for _ in 0..rng.usize(0..20) {
        if let Some(m) = support::random_move(&position, &mut rng) {
            position.play(m);
        }
    }
    let start = position.clone();
    let mut plies = Vec::new();
    while plies.len() < 150
        && let Some(m) = support::random_move(&position, &mut rng)
    {
        plies.push(Ply {
            played: PackedMove::new(m),
            score: rng.i16(..),
        });
        position.play(m);
    }
    Game {
        start,
        plies,
        winner: *rng
            .choice(&[None, Some(Color::White), Some(Color::Black)])
            .expect("choices"),
        ending: *rng.choice(&Ending::ALL).expect("choices"),
    }
}

struct TempFile(PathBuf);

impl TempFile {
    fn new(name: &str) -> TempFile {
        let name = format!("fission-{}-{name}.games", std::process::id());
        TempFile(std::env::temp_dir().join(name))
    }

    fn with_games(name: &str, games: &[Game]) -> TempFile {
        let file = TempFile::new(name);
        let mut writer = Writer::create(&file.0).expect("temporary file");
        for game in games {
            writer.write(game).expect("write");
        }
        file
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn read(path: &Path) -> (Vec<Game>, Vec<FileError>) {
    let mut games = Vec::new();
    let mut errors = Vec::new();
    for game in Reader::open(path).expect("header") {
        match game {
            Ok(game) => games.push(game),
            Err(error) => errors.push(error),
        }
    }
    (games, errors)
}

#[test]
fn games_come_back_as_they_were_written() {
    let games: Vec<Game> = (0..300).map(random_game).collect();
    let file = TempFile::with_games("round-trip", &games);
    let (back, errors) = read(&file.0);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(back, games);
    for (game, back) in games.iter().zip(&back) {
        assert_eq!(game.start.fen(), back.start.fen());
        back.check().expect("every move is legal");
    }
}

#[test]
fn a_torn_tail_loses_only_the_last_game() {
    let games: Vec<Game> = (0..5).map(random_game).collect();
    let file = TempFile::with_games("torn", &games);
    let whole = fs::read(&file.0).expect("read");
    let last = games[4].encode().expect("encode").len() + 8;
    for cut in [1, 5, last / 2, last - 1] {
        fs::write(&file.0, &whole[..whole.len() - cut]).expect("write");
        let (back, errors) = read(&file.0);
        assert_eq!(back, games[..4], "cut by {cut}");
        assert!(
            matches!(errors[..], [FileError::Truncated { bytes, .. }] if bytes == (last - cut) as u64),
            "cut by {cut}: {errors:?}"
        );
    }
}

#[test]
fn appending_goes_on_behind_the_last_whole_game() {
    let games: Vec<Game> = (0..4).map(random_game).collect();
    let file = TempFile::with_games("append", &games[..3]);
    let whole = fs::read(&file.0).expect("read");
    fs::write(&file.0, &whole[..whole.len() - 7]).expect("write");
    let mut writer = Writer::append(&file.0).expect("open");
    writer.write(&games[3]).expect("write");
    let (back, errors) = read(&file.0);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(back, [games[0].clone(), games[1].clone(), games[3].clone()]);
}

#[test]
fn a_flipped_byte_is_reported_and_costs_one_game() {
    let games: Vec<Game> = (0..4).map(random_game).collect();
    let file = TempFile::with_games("flipped", &games);
    let whole = fs::read(&file.0).expect("read");
    let length = |game: &Game| game.encode().expect("encode").len() + 8;
    let second = 12 + length(&games[0]);
    for at in (second..second + length(&games[1])).step_by(3) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        fs::write(&file.0, &bytes).expect("write");
        let (back, errors) = read(&file.0);
        assert_eq!(
            back,
            [games[0].clone(), games[2].clone(), games[3].clone()],
            "flipped at {at}"
        );
        assert!(
            matches!(errors[..], [FileError::Damaged { offset, bytes, .. }]
                if offset == second as u64 && bytes == length(&games[1]) as u64),
            "flipped at {at}: {errors:?}"
        );
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let file = TempFile::new("other");
    for content in ["not a file of games at all", "short"] {
        fs::write(&file.0, content).expect("write");
        assert!(matches!(Reader::open(&file.0), Err(FileError::Magic(_))));
        assert!(matches!(Writer::append(&file.0), Err(FileError::Magic(_))));
        assert_eq!(fs::read(&file.0).expect("read"), content.as_bytes());
    }
}

#[test]
fn markers_within_a_game_do_no_harm() {
    let mut game = random_game(1);
    for ply in &mut game.plies {
        ply.score = i16::from_le_bytes(MARKER);
    }
    let file = TempFile::with_games("marker", &[game.clone(), game.clone()]);
    let (back, errors) = read(&file.0);
    assert!(errors.is_empty());
    assert_eq!(back, [game.clone(), game]);
}
