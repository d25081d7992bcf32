//! `fission tablebase stats`: how an ending is usually decided.

use std::{
    io::{Write, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result};
use clap::Args;
use fission::{
    endgame::{
        Tables,
        build::Computation,
        generate::{
            Solution,
            solution::{ILLEGAL, wdl_of},
        },
        material::Material,
        verify,
    },
    rules::Position,
};
use shakmaty::Color;

use super::super::job::{catch_interrupts, is_interrupted, status};

/// Print wins, draws and losses of endings, and the longest win of each with
/// its line. The tables are computed anew.
///
/// Example: fission tablebase stats KQvK KRvKN
#[derive(Debug, Args)]
pub struct Stats {
    /// Names of tables
    #[arg(required = true)]
    names: Vec<Material>,
    /// Folders of larger tables for the lines; three and four men are in the program
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
}

/// The longest line that is printed, in plies.
const LINE: usize = 200;

impl Stats {
    /// Computes and prints.
    pub fn run(&self) -> Result<ExitCode> {
        let tables = super::tables(&self.tables);
        catch_interrupts()?;
        let mut computation = Computation::new(&self.names);
        let mut out = stdout().lock();
        loop {
            super::show_next(&computation);
            let next = computation.next(&is_interrupted);
            super::show_nothing();
            let Some(solution) = next else { break };
            if !self.names.contains(&solution.space.material) {
                continue;
            }
            writeln!(out, "{}", solution.space.material)?;
            for turn in Color::ALL {
                writeln!(out, "  {turn} to move: {}", counts(&solution, turn))?;
            }
            if let Some((turn, index)) = longest_win(&solution) {
                let plies = solution.value(turn, index);
                let position = verify::position(&solution, turn, index)
                    .context("the longest win is no position")?;
                writeln!(
                    out,
                    "  longest win: {plies} plies to the next capture, pawn move or mate\n  \
                     {}\n  {}",
                    position.fen(),
                    line(&tables, &position)
                )?;
            }
        }
        if is_interrupted() {
            eprintln!("fission: interrupted before the last table");
        }
        Ok(status(true))
    }
}

/// Positions that are the same by symmetry count as one, except that those with
/// White's king on the diagonal or with like men may count twice.
fn counts(solution: &Solution, turn: Color) -> String {
    let mut counts = [0_u64; 5];
    for value in solution
        .values(turn)
        .iter()
        .filter(|&&value| value != ILLEGAL)
    {
        counts[(wdl_of(*value) + 2) as usize] += 1;
    }
    let all = counts.iter().sum::<u64>().max(1);
    let share = |count: u64| 100.0 * count as f64 / all as f64;
    let [losses, blessed, draws, cursed, wins] = counts;
    let mut text = format!(
        "{all} positions, {:.1}% wins, {:.1}% draws, {:.1}% losses",
        share(wins),
        share(draws + blessed + cursed),
        share(losses)
    );
    if blessed + cursed > 0 {
        text += &format!(", {} drawn only by the fifty-move rule", blessed + cursed);
    }
    text
}

fn longest_win(solution: &Solution) -> Option<(Color, usize)> {
    let sides = Color::ALL.into_iter().flat_map(|turn| {
        let values = solution.values(turn).iter().enumerate();
        values.map(move |(index, &value)| (value, turn, index))
    });
    let won = sides.filter(|(value, ..)| *value > 0);
    won.max_by_key(|(value, turn, index)| (*value, turn.is_white(), std::cmp::Reverse(*index)))
        .map(|(_, turn, index)| (turn, index))
}

/// Best play of both sides by the tables, to the end of the game.
fn line(tables: &Tables, position: &Position) -> String {
    let mut position = position.clone();
    let mut text = String::new();
    for ply in 0..LINE {
        let verdicts = tables.verdicts(&position).unwrap_or_default();
        let best = verdicts
            .iter()
            .max_by_key(|verdict| verdict.rank(position.halfmoves(), true));
        let Some(best) = best else { break };
        if position.turn().is_white() || ply == 0 {
            let dots = position.turn().fold_wb(".", "...");
            text += &format!("{}{dots} ", position.fullmoves());
        }
        text += &format!("{} ", position.san(best.m));
        position.play(best.m);
    }
    text.trim_end().to_owned()
}
