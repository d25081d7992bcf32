//! `fission tablebase probe`: what the tables say of a position.

use std::{
    io::{BufRead, BufWriter, Write, stdin, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::{
    endgame::{Promise, Tables, Verdict},
    rules::{Position, Ruleset},
};

/// Look a position up: who wins, how far the next capture or pawn move is, and
/// what becomes of each move.
///
/// With - in place of the position, reads a position from each line of the
/// input and prints its WDL and DTZ values, or ? where no table has it.
///
/// Example: fission tablebase probe "8/8/8/8/6k1/8/6KQ/8 w - - 0 1"
#[derive(Debug, Args)]
pub struct Probe {
    /// The position, or -
    fen: String,
    /// Folders of larger tables; three and four men are in the program
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
}

impl Probe {
    /// Looks up and prints.
    pub fn run(&self) -> Result<ExitCode> {
        let tables = super::tables(&self.tables);
        if self.fen == "-" {
            return each_line(&tables);
        }
        let position = Position::from_fen(&self.fen, Ruleset::Lichess)?;
        let mut out = stdout().lock();
        writeln!(out, "{}\n{}\n", position.diagram(), position.fen())?;
        let (Some(wdl), Some(dtz)) = (tables.wdl(&position), tables.dtz(&position)) else {
            let why = if position.castles().any() {
                "tables have no positions with castling rights".to_owned()
            } else {
                format!("no table of up to {} men has it", tables.max_men())
            };
            bail!("{:?} is in no table: {why}", self.fen);
        };
        writeln!(
            out,
            "WDL {:+}  DTZ {:+}",
            wdl as i8,
            dtz.ignore_rounding().0
        )?;
        let mut verdicts = tables.verdicts(&position).unwrap_or_default();
        let halfmoves = position.halfmoves();
        verdicts.sort_by_key(|verdict| std::cmp::Reverse(verdict.rank(halfmoves, true)));
        for verdict in verdicts {
            let san = position.san(verdict.m);
            writeln!(out, "{san:<8} {}", told(&verdict, halfmoves))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn each_line(tables: &Tables) -> Result<ExitCode> {
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let line = line.context("the input cannot be read")?;
        let position = Position::from_fen(line.trim(), Ruleset::Lichess)?;
        match tables.wdl(&position).zip(tables.dtz(&position)) {
            Some((wdl, dtz)) => writeln!(out, "{} {}", wdl as i8, dtz.ignore_rounding().0)?,
            None => writeln!(out, "?")?,
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What a move leads to, in words.
fn told(verdict: &Verdict, halfmoves: u32) -> String {
    if verdict.wins_at_once {
        return "wins at once".to_owned();
    }
    let dtz = verdict.dtz;
    match verdict.promise(halfmoves, true) {
        Promise::Win(_) => format!("wins, DTZ {dtz:+}"),
        Promise::Hope => format!("draws by the fifty-move rule, else wins, DTZ {dtz:+}"),
        Promise::Draw => "draws".to_owned(),
        Promise::Fear => format!("draws by the fifty-move rule, else loses, DTZ {dtz:+}"),
        Promise::Loss(_) => format!("loses, DTZ {dtz:+}"),
    }
}
