//! The whole proof as a PGN game: the best defence in the main line, every
//! other reply as a variation with its refutation.

use std::io::{self, Write};

use shakmaty::{Color, Move};
use thiserror::Error;

use super::{
    searcher::Searcher,
    solver::{Solution, Solver, Verdict, drawn_by_repetition},
};
use crate::rules::{Position, Ruleset, movegen};

/// Longest line of move text.
const WIDTH: usize = 80;

/// Why a proof was not written whole.
#[derive(Debug, Error)]
pub enum TreeError {
    /// There is no win to show.
    #[error("there is no proved win to show")]
    NoWin,
    /// The proof could not be made again within the memory of the table.
    #[error("the proof was lost in {0}: more memory may help")]
    Lost(String),
    /// The work was ended.
    #[error("interrupted")]
    Stopped,
    /// Writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Solver {
    /// Writes the tree that proves `solution` of `position` as a PGN game. The
    /// parts of the proof that the table has lost are searched again.
    ///
    /// # Errors
    ///
    /// [`TreeError`] if there is no win, or the tree could not be written whole.
    pub fn write_tree(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        solution: &Solution,
        is_stopped: &dyn Fn() -> bool,
        out: &mut dyn Write,
    ) -> Result<(), TreeError> {
        let (Verdict::Win { moves, .. }, Some(&first)) = (solution.verdict, solution.line.first())
        else {
            return Err(TreeError::NoWin);
        };
        let drawn = drawn_by_repetition(position, earlier_keys);
        self.use_for(position, &drawn);
        let result = position.turn().fold_wb("1-0", "0-1");
        tags(position, moves, result, out)?;
        let mut writer = TreeWriter {
            search: Searcher::new(&mut self.table, &drawn, is_stopped),
            is_stopped,
            text: Wrapped {
                out,
                column: 0,
                glue: true,
            },
        };
        writer.put_move(position, first, true)?;
        writer.defence(&position.after(first), moves - 1)?;
        writer.text.word(result)?;
        writeln!(writer.text.out, "\n")?;
        Ok(())
    }
}

fn tags(position: &Position, moves: u8, result: &str, out: &mut dyn Write) -> io::Result<()> {
    let ruleset = position.ruleset();
    let variant = match ruleset {
        Ruleset::Lichess => "Atomic",
        Ruleset::Icc => ruleset.uci_name(),
    };
    writeln!(
        out,
        "[Event \"Forced win in {moves}\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"-\"]\n\
         [White \"?\"]\n[Black \"?\"]\n[Result \"{result}\"]\n[Variant \"{variant}\"]"
    )?;
    if *position != Position::startpos(ruleset) {
        writeln!(out, "[SetUp \"1\"]\n[FEN \"{}\"]", position.fen())?;
    }
    writeln!(out)
}

/// Words put into lines of bounded length.
struct Wrapped<'a> {
    out: &'a mut dyn Write,
    column: usize,
    /// No space before the next word.
    glue: bool,
}

impl Wrapped<'_> {
    fn word(&mut self, word: &str) -> io::Result<()> {
        if !self.glue {
            if self.column + 1 + word.len() > WIDTH {
                writeln!(self.out)?;
                self.column = 0;
            } else {
                write!(self.out, " ")?;
                self.column += 1;
            }
        }
        write!(self.out, "{word}")?;
        self.column += word.len();
        self.glue = false;
        Ok(())
    }
}

struct TreeWriter<'a> {
    search: Searcher<'a>,
    is_stopped: &'a dyn Fn() -> bool,
    text: Wrapped<'a>,
}

impl TreeWriter<'_> {
    fn put_move(&mut self, position: &Position, m: Move, numbered: bool) -> io::Result<()> {
        let number = position.fullmoves();
        match position.turn() {
            Color::White => self.text.word(&format!("{number}."))?,
            Color::Black if numbered => self.text.word(&format!("{number}..."))?,
            Color::Black => {}
        }
        self.text.word(&position.san(m))
    }

    /// All replies at a node of the defender that is lost within `moves` moves.
    fn defence(&mut self, position: &Position, moves: u8) -> Result<(), TreeError> {
        if (self.is_stopped)() {
            return Err(TreeError::Stopped);
        }
        if moves == 0 || position.king_is_gone() {
            return Ok(());
        }
        let Some((main, length)) = self.search.longest_reply(position, moves) else {
            return Ok(());
        };
        self.put_move(position, main, position.turn().is_black() && self.text.glue)?;
        for m in movegen::legal_moves(position) {
            if m != main {
                self.text.word("(")?;
                self.text.glue = true;
                self.put_move(position, m, true)?;
                self.attack(&position.after(m), moves, position.turn().is_white())?;
                self.text.glue = true;
                self.text.word(")")?;
            }
        }
        self.attack(&position.after(main), length, true)
    }

    /// The winning move, and what follows.
    fn attack(&mut self, position: &Position, moves: u8, numbered: bool) -> Result<(), TreeError> {
        let length = self.search.length(position, moves);
        let (m, left) = self.search.winning_move(position, length).ok_or_else(|| {
            if (self.is_stopped)() {
                TreeError::Stopped
            } else {
                TreeError::Lost(position.fen())
            }
        })?;
        self.put_move(position, m, numbered)?;
        self.defence(&position.after(m), left)
    }
}
