//! `fission tablebase probe`: what the tables say of a position.

use std::{
    io::{BufRead, BufWriter, Write, stderr, stdin, stdout},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::{
    endgame::{Promise, Tables, Verdict},
    games::shortened,
    rules::{Position, Ruleset},
};

/// The exit status when a line is no position.
const WRONG: u8 = 1;

/// Look a position up: who wins, how far the next capture or pawn move is, and
/// what becomes of each move.
///
/// WDL is 2 for a win, 1 for one that the fifty-move rule makes a draw, 0 for a
/// draw, and less for losses; DTZ counts plies to the next capture, pawn move or
/// mate. Most tables round, so DTZ may be one ply less than the truth.
///
/// With - in place of the position, reads a position from each line of the
/// input and prints its WDL and DTZ values, or ? where no table has it. Blank
/// lines are passed over; for a line that is no position, ? is printed and the
/// line named, and the exit status is 1.
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
            let mut out = BufWriter::new(stdout().lock());
            let wrong = each_line(&tables, stdin().lock(), &mut out, &mut stderr())?;
            return Ok(ExitCode::from(if wrong { WRONG } else { 0 }));
        }
        let position = Position::from_fen(&self.fen, Ruleset::Lichess)?;
        let mut out = stdout().lock();
        writeln!(out, "{}\n{}\n", position.diagram(), position.fen())?;
        let (Some(wdl), Some(dtz)) = (tables.wdl(&position), tables.dtz(&position)) else {
            tell_faults(&tables, &mut stderr())?;
            let why = if position.castles().any() {
                "tables have no positions with castling rights".to_owned()
            } else {
                let men = tables.max_men();
                format!("no table of up to {men} men has it; --tables DIR adds others")
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
        tell_faults(&tables, &mut stderr())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Looks up each line that is not blank and writes a line for it; returns
/// whether any was no position.
fn each_line(
    tables: &Tables,
    input: impl BufRead,
    out: &mut impl Write,
    faults: &mut impl Write,
) -> Result<bool> {
    let mut wrong = false;
    for (index, line) in input.split(b'\n').enumerate() {
        let line = line.context("the input cannot be read")?;
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        let position = match Position::from_fen(line.trim(), Ruleset::Lichess) {
            Ok(position) => position,
            Err(error) => {
                // In the order in which things are said.
                writeln!(out, "?")?;
                out.flush()?;
                let text = error.to_string();
                writeln!(faults, "fission: line {}: {}", index + 1, shortened(&text))?;
                wrong = true;
                continue;
            }
        };
        match tables.wdl(&position).zip(tables.dtz(&position)) {
            Some((wdl, dtz)) => writeln!(out, "{} {}", wdl as i8, dtz.ignore_rounding().0)?,
            None => {
                writeln!(out, "?")?;
                out.flush()?;
                tell_faults(tables, faults)?;
            }
        }
    }
    out.flush()?;
    Ok(wrong)
}

/// Tells what looking up found wrong with files.
fn tell_faults(tables: &Tables, faults: &mut impl Write) -> Result<()> {
    for fault in tables.take_faults() {
        writeln!(faults, "fission: {fault}")?;
    }
    Ok(())
}

/// What a move leads to, in words.
fn told(verdict: &Verdict, halfmoves: u32) -> String {
    if verdict.wins_at_once {
        return "wins at once".to_owned();
    }
    let dtz = verdict.dtz;
    if verdict.is_open(halfmoves) {
        let word = if dtz > 0 { "wins" } else { "loses" };
        return format!(
            "{word} unless it takes one ply more, too late by the fifty-move rule, DTZ {dtz:+}"
        );
    }
    match verdict.promise(halfmoves, true) {
        Promise::Win(_) => format!("wins, DTZ {dtz:+}"),
        Promise::Hope => format!("draws by the fifty-move rule, else wins, DTZ {dtz:+}"),
        Promise::Draw => "draws".to_owned(),
        Promise::Fear => format!("draws by the fifty-move rule, else loses, DTZ {dtz:+}"),
        Promise::Loss(_) => format!("loses, DTZ {dtz:+}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_position_is_named_and_the_rest_goes_on() {
        let (tables, _) = Tables::with_folders(&[]);
        let answers = |input: &[u8]| {
            let (mut out, mut faults) = (Vec::new(), Vec::new());
            let wrong = each_line(&tables, input, &mut out, &mut faults).expect("answers");
            let text = |bytes| String::from_utf8(bytes).expect("text");
            (wrong, text(out), text(faults))
        };
        let lines = "8/8/8/8/6k1/8/6KQ/8 w - - 0 1\r\n\n  \n\
            rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
        let (wrong, out, faults) = answers(lines.as_bytes());
        assert!(!wrong && faults.is_empty());
        assert_eq!(out.lines().count(), 2);
        assert!(out.starts_with("2 ") && out.ends_with("\n?\n"), "{out}");

        let input = [lines.as_bytes(), b"no \xff position\n", lines.as_bytes()].concat();
        let (wrong, both, faults) = answers(&input);
        assert!(wrong);
        assert_eq!(both, format!("{out}?\n{out}"));
        assert!(faults.starts_with("fission: line 5: "), "{faults}");
        assert_eq!(faults.lines().count(), 1);
    }
}
