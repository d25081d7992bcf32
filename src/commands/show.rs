//! `fission show`: a position and every explosion on the way, as a drawing.

use std::{
    io::{IsTerminal, Write, stdout},
    process::ExitCode,
};

use anyhow::Result;
use clap::Args;
use fission::{
    diagram::{Blast, Scene, svg, text::Style},
    games::line,
    rules::{Position, Ruleset, result},
};
use shakmaty::Color;

/// Draw a position, the moves that follow and every explosion.
///
/// Example: fission show start Nf3 d5 Ne5 Nc6 Nxf7
/// or, as a picture, fission show start "1. Nf3 d5 2. Ne5 Nc6 3. Nxf7" --svg > trap.svg
#[derive(Debug, Args)]
pub struct Show {
    /// The position, or `start` for the start of the game
    fen: String,
    /// Moves to play, in SAN or UCI notation; move numbers are ignored
    moves: Vec<String>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    rules: Ruleset,
    /// Write an SVG picture with a board for the position and for each move
    #[arg(long)]
    svg: bool,
    /// Draw with letters, not with Unicode chess men
    #[arg(long, conflicts_with = "svg")]
    ascii: bool,
    /// Draw Black's side below
    #[arg(long)]
    flip: bool,
}

impl Show {
    /// Draws.
    pub fn run(&self) -> Result<ExitCode> {
        let start = super::start_position(Some(&self.fen), self.rules)?;
        let moves = line::parse(&start, &self.moves.join(" "))?;
        let below = Color::from_white(!self.flip);
        let mut out = stdout().lock();
        if self.svg {
            let mut scenes = vec![(Scene::of_position(&start), turn(&start).to_owned())];
            let mut position = start;
            for m in moves {
                let caption = line::numbered(&position, &[m]);
                scenes.push((Scene::of_move(&position, m), caption));
                position.play(m);
            }
            out.write_all(svg::strip(&scenes, below).as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        let style = Style {
            ascii: self.ascii,
            color: stdout().is_terminal(),
            below: Some(below),
        };
        write!(out, "{}", style.board(&Scene::of_position(&start)))?;
        let mut position = start;
        let mut keys = Vec::new();
        for m in moves {
            writeln!(out, "\n{}", line::numbered(&position, &[m]))?;
            if let Some(blast) = Blast::of_move(&position, m) {
                write!(out, "{}", style.blast(&position, &blast))?;
                writeln!(out, "{}", blast.describe())?;
            }
            write!(out, "{}", style.board(&Scene::of_move(&position, m)))?;
            keys.push(position.key());
            position.play(m);
        }
        writeln!(out, "\n{}", position.fen())?;
        match result(&position, &keys) {
            Some(over) => writeln!(out, "{} ({})", over.as_str(), over.termination)?,
            None => writeln!(out, "{}", turn(&position))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn turn(position: &Position) -> &'static str {
    position.turn().fold_wb("White to move", "Black to move")
}
