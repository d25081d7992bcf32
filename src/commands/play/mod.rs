//! `fission play`: a game against the engine in the terminal.

mod session;

use std::{path::PathBuf, process::ExitCode, time::Instant};

use anyhow::Result;
use clap::Args;
use fission::{
    play::{
        Clock, ClockSetting, Game,
        command::parse_side,
        save::{HIGHEST_LEVEL, SaveFile, Sides},
    },
    rules::{Position, Ruleset},
};
use shakmaty::{Board, Color};

use session::Session;

/// Play against the engine in the terminal.
///
/// The game is saved after every move; Ctrl-C or `quit` lays it aside, and --continue
/// goes on with it if it is the last one in the file. `help` lists what can be typed.
///
/// Example: fission play --color black --level 8 --clock 3+2
#[derive(Debug, Args)]
pub struct Play {
    /// Your side: white, black or random
    #[arg(long, alias = "colour", default_value = "white", value_parser = side)]
    color: Side,
    /// The engine's strength, from 0 to 20; 20 if left out, with --continue the one before
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=i64::from(HIGHEST_LEVEL)))]
    level: Option<u32>,
    /// Play with clocks: minutes, as 3, or minutes and seconds a move, as 3+2
    #[arg(long)]
    clock: Option<ClockSetting>,
    /// Seconds that the engine thinks about a move without clocks
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = seconds)]
    think: f64,
    /// The position to start from
    #[arg(long, conflicts_with = "chess960")]
    fen: Option<String>,
    /// Start from a position of Chess960: its number, from 0 to 959, or any if left out
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, value_parser = clap::value_parser!(u32).range(0..960))]
    chess960: Option<Option<u32>>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    rules: Ruleset,
    /// The file of games; those of others in it stay as they are
    #[arg(long, default_value = "fission-games.pgn", value_name = "FILE")]
    save: PathBuf,
    /// Go on with the last game of the file, if it was laid aside here
    #[arg(long = "continue", conflicts_with_all = ["color", "clock", "fen", "chess960", "rules"])]
    go_on: bool,
    /// Draw the board with letters, not with Unicode chess men
    #[arg(long)]
    ascii: bool,
    /// Threads to think with
    #[arg(long, default_value_t = 1, value_parser = super::thread_count)]
    threads: usize,
    /// Size of the hash table in MiB
    #[arg(long, default_value_t = 64, value_parser = super::hash_size)]
    hash: usize,
}

/// White, Black, or whatever comes.
type Side = Option<Color>;

fn side(text: &str) -> Result<Side, String> {
    parse_side(text)
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|seconds| (0.0..1e6).contains(seconds))
        .ok_or_else(|| "expected a number of seconds".to_owned())
}

impl Play {
    /// Plays a game to its end, or until it is laid aside.
    pub fn run(&self) -> Result<ExitCode> {
        let (file, mut game, sides) = if self.go_on {
            let (file, game, before) = SaveFile::open(&self.save)?;
            let level = self.level.unwrap_or(before.level);
            (file, game, Sides { level, ..before })
        } else {
            let game = Game::new(self.start()?, self.clock.map(Clock::new));
            let player = self
                .color
                .unwrap_or_else(|| Color::from_white(fastrand::bool()));
            let sides = Sides {
                player,
                level: self.level.unwrap_or(HIGHEST_LEVEL),
            };
            (SaveFile::append(&self.save)?, game, sides)
        };
        game.start_clock(Instant::now());
        Session::new(self, file, game, sides)?.run()
    }

    fn start(&self) -> Result<Position> {
        match self.chess960 {
            None => super::start_position(self.fen.as_deref(), self.rules),
            Some(number) => {
                let number = number.unwrap_or_else(|| fastrand::u32(0..960));
                let fen = format!("{} w KQkq - 0 1", Board::chess960(number));
                Ok(Position::from_fen(&fen, self.rules)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, error::ErrorKind};

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        play: Play,
    }

    fn parse(arguments: &str) -> Result<Play, ErrorKind> {
        Line::try_parse_from(format!("play {arguments}").split_whitespace())
            .map(|line| line.play)
            .map_err(|error| error.kind())
    }

    #[test]
    fn what_a_game_laid_aside_has_settled_cannot_be_given_anew() {
        for settled in [
            "--color white",
            "--colour black",
            "--rules atomic",
            "--clock 3",
            "--fen start",
            "--chess960",
        ] {
            let refused = parse(&format!("{settled} --continue")).err();
            assert_eq!(refused, Some(ErrorKind::ArgumentConflict), "{settled}");
            assert!(parse(settled).is_ok(), "{settled}");
        }
        let play = parse("--continue --level 3 --think 2").expect("no conflict");
        assert_eq!(play.level, Some(3));
        assert_eq!(parse("--continue").expect("no conflict").level, None);
    }
}
