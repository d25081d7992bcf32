//! `fission mate`: forced wins, proved.

use std::{
    io::{self, Write, stdout},
    path::Path,
    process::ExitCode,
    sync::Mutex,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use fission::{
    games::line,
    mate::{self, Bounds, MAX_MOVES, Problem, Progress, Solution, Solver, Verdict},
    rules::{Position, Ruleset, result},
};
use rayon::prelude::*;

use super::job::{self, ProgressLine};

/// Prove the shortest forced win, or that there is none.
///
/// A win is the explosion of the king or checkmate. "No win" is said only when
/// every move was tried.
///
/// Example: fission mate "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3" --max 4
///
/// A file of EPD or FEN lines is solved on all cores; the answers come in its
/// order, with the operations dm (moves to the win) and pv.
///
/// Example: fission mate positions.epd --max 6
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct Mate {
    /// A position as FEN in quotes, or a file of EPD or FEN lines (- reads
    /// standard input)
    #[arg(value_name = "FEN|FILE")]
    position: String,
    /// The longest win to look for, in moves
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_MOVES)))]
    max: u8,
    /// Print the whole proof as a PGN game with a variation for each reply
    #[arg(long)]
    tree: bool,
    /// Be content with any proved win, be there a shorter one or not
    #[arg(long)]
    any: bool,
    /// Give a position up after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Give a position up after this many nodes
    #[arg(long)]
    nodes: Option<u64>,
    /// Memory of each thread in MiB
    #[arg(long, default_value_t = 128, value_parser = super::hash_size)]
    hash: usize,
    /// Positions solved at once; all cores if left out
    #[arg(long, value_parser = super::thread_count)]
    threads: Option<usize>,
    /// The rules: atomic (Lichess, FICS) or nocheckatomic (ICC)
    #[arg(long, default_value_t)]
    rules: Ruleset,
}

impl Mate {
    /// Solves and prints. The exit status is 0 when everything was decided, 1
    /// when something was not or could not be read.
    pub fn run(&self) -> Result<ExitCode> {
        job::catch_interrupts()?;
        let bounds = self.bounds()?;
        if self.position.contains(char::is_whitespace) {
            let position = Position::from_fen(&self.position, self.rules)?;
            return self.solve_one(&position, &bounds);
        }
        if self.tree {
            bail!("--tree shows one position, given as FEN in quotes");
        }
        let text = job::read_text(Path::new(&self.position)).with_context(|| {
            format!(
                "{:?} is neither a FEN in quotes nor a file of positions",
                self.position
            )
        })?;
        self.solve_all(&text, &bounds)
    }

    fn bounds(&self) -> Result<Bounds> {
        let time = match self.time {
            Some(seconds) if !(0.0..1e9).contains(&seconds) => {
                bail!("--time {seconds}: expected a number of seconds from 0 to a billion")
            }
            time => time.map(Duration::from_secs_f64),
        };
        Ok(Bounds {
            nodes: self.nodes,
            time,
            any_length: self.any,
            ..Bounds::moves(self.max)
        })
    }

    fn solve_one(&self, position: &Position, bounds: &Bounds) -> Result<ExitCode> {
        if let Some(over) = result(position, &[]) {
            writeln!(
                stdout(),
                "No forced win: the game is over, {} ({})",
                over.as_str(),
                over.termination
            )?;
            return Ok(ExitCode::SUCCESS);
        }
        let progress = ProgressLine::new();
        let mut solver = Solver::new(self.hash);
        let mut tell = |news: Progress| {
            progress.show(|| {
                let win = news
                    .win_in
                    .map_or_else(String::new, |moves| format!(", win in {moves} found"));
                format!(
                    "no win in {}{win}, {} nodes, {:.1} s",
                    news.no_win_in,
                    news.nodes,
                    news.time.as_secs_f64()
                )
            });
        };
        let solution = solver.solve(position, &[], bounds, &job::is_interrupted, &mut tell);
        progress.clear();
        let mut out = stdout().lock();
        let side = position.turn().fold_wb("White", "Black");
        let verdict = match solution.verdict {
            Verdict::Win { moves, shortest } => format!(
                "{side} wins in {moves}{}",
                if shortest {
                    " and not faster"
                } else {
                    " at most"
                }
            ),
            Verdict::NoWin => format!("{side} has no forced win in {} or fewer", bounds.moves),
            Verdict::Open { no_win_in: 0 } => "Not decided".to_owned(),
            Verdict::Open { no_win_in } => {
                format!("Not decided: {side} has no forced win in {no_win_in} or fewer")
            }
        };
        writeln!(
            out,
            "{verdict} ({} nodes, {:.2} s)",
            solution.nodes,
            solution.time.as_secs_f64()
        )?;
        if !solution.line.is_empty() {
            writeln!(out, "{}", line::numbered(position, &solution.line))?;
            if self.tree {
                writeln!(out)?;
                let mut buffered = io::BufWriter::new(&mut out);
                solver.write_tree(
                    position,
                    &[],
                    &solution,
                    &job::is_interrupted,
                    &mut buffered,
                )?;
                buffered.flush()?;
            }
        }
        Ok(job::status(!matches!(
            solution.verdict,
            Verdict::Open { .. }
        )))
    }

    fn solve_all(&self, text: &str, bounds: &Bounds) -> Result<ExitCode> {
        let lines = mate::read_epd(text, self.rules);
        if lines.is_empty() {
            bail!("{:?} holds no position", self.position);
        }
        let mut wrong = 0;
        let mut problems = Vec::new();
        for line in lines {
            match line {
                Ok(problem) => problems.push(problem),
                Err(error) => {
                    eprintln!("fission: {}: {error}: skipped", self.position);
                    wrong += 1;
                }
            }
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.unwrap_or(0))
            .build()
            .context("cannot start the threads")?;
        let report = Mutex::new(Report::new(problems.len()));
        pool.install(|| {
            problems.par_iter().enumerate().try_for_each_init(
                || Solver::new(self.hash),
                |solver, (index, problem)| {
                    if job::is_interrupted() {
                        return Ok(());
                    }
                    let solution = solve(solver, &problem.position, bounds);
                    report
                        .lock()
                        .expect("no thread panics")
                        .take(index, problem, &solution)
                },
            )
        })?;
        let report = report.into_inner().expect("no thread panics");
        report.progress.clear();
        eprintln!(
            "{} of {} positions decided, {} won, {} nodes, {:.1} s of thinking{}",
            report.decided,
            problems.len(),
            report.won,
            report.nodes,
            report.time.as_secs_f64(),
            match report.differing {
                0 => String::new(),
                differing => format!(", {differing} not as dm says"),
            }
        );
        Ok(job::status(
            wrong == 0 && report.differing == 0 && report.decided == problems.len(),
        ))
    }
}

/// Solves a position of a file. Where the game is over there is no win.
fn solve(solver: &mut Solver, position: &Position, bounds: &Bounds) -> Solution {
    if result(position, &[]).is_some() {
        return Solution {
            verdict: Verdict::NoWin,
            line: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
        };
    }
    solver.solve(position, &[], bounds, &job::is_interrupted, &mut |_| {})
}

/// Answers in the order of the file, and the sums.
struct Report {
    progress: ProgressLine,
    /// Answers that wait for an earlier one.
    waiting: Vec<Option<String>>,
    printed: usize,
    finished: usize,
    decided: usize,
    won: usize,
    differing: usize,
    nodes: u64,
    time: Duration,
}

impl Report {
    fn new(total: usize) -> Report {
        Report {
            progress: ProgressLine::new(),
            waiting: vec![None; total],
            printed: 0,
            finished: 0,
            decided: 0,
            won: 0,
            differing: 0,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    fn take(&mut self, index: usize, problem: &Problem, solution: &Solution) -> io::Result<()> {
        self.finished += 1;
        self.nodes += solution.nodes;
        self.time += solution.time;
        let moves = match solution.verdict {
            Verdict::Win { moves, .. } => Some(moves),
            _ => None,
        };
        self.won += usize::from(moves.is_some());
        if !matches!(solution.verdict, Verdict::Open { .. }) {
            self.decided += 1;
            self.differing += usize::from(problem.mate.is_some() && problem.mate != moves);
        }
        self.waiting[index] = Some(answer(problem, solution));
        let mut out = stdout().lock();
        self.progress.clear();
        while let Some(line) = self.waiting.get_mut(self.printed).and_then(Option::take) {
            writeln!(out, "{line}")?;
            self.printed += 1;
        }
        out.flush()?;
        let (finished, total, won) = (self.finished, self.waiting.len(), self.won);
        self.progress
            .show(|| format!("{finished}/{total} positions, {won} won"));
        Ok(())
    }
}

/// One line of EPD.
fn answer(problem: &Problem, solution: &Solution) -> String {
    let fen = problem.position.fen();
    let mut text = Vec::from_iter(fen.split(' ').take(4)).join(" ");
    text.push_str(&format!(" hmvc {};", problem.position.halfmoves()));
    match solution.verdict {
        Verdict::Win { moves, shortest } => {
            let kind = if shortest {
                String::new()
            } else {
                " c0 \"there may be a shorter win\";".to_owned()
            };
            let pv = problem.position.san_line(&solution.line).join(" ");
            text.push_str(&format!(" dm {moves}; pv {pv};{kind}"));
        }
        Verdict::NoWin => text.push_str(&match result(&problem.position, &[]) {
            Some(over) => format!(" c0 \"no win, the game is over: {}\";", over.termination),
            None => " c0 \"no win\";".to_owned(),
        }),
        Verdict::Open { no_win_in } => {
            text.push_str(&format!(" c0 \"not decided, no win in {no_win_in}\";"));
        }
    }
    if let Some(id) = &problem.id {
        text.push_str(&format!(" id \"{id}\";"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_to(epd: &str) -> String {
        let problem = mate::read_epd(epd, Ruleset::Lichess).remove(0);
        let problem = problem.expect("a position");
        let solution = solve(&mut Solver::new(4), &problem.position, &Bounds::moves(2));
        answer(&problem, &solution)
    }

    #[test]
    fn nobody_wins_a_game_that_is_over() {
        let won = answer_to("8/8/8/K7/1k6/p7/Q7/8 w - - hmvc 99;");
        assert!(won.contains(" dm 1; pv Qxa3#;"), "{won}");
        for (epd, reason) in [
            ("8/8/8/K7/1k6/p7/Q7/8 w - - hmvc 100;", "fifty-move rule"),
            ("8/8/8/K7/1k6/8/8/8 w - -", "insufficient material"),
            ("7k/8/6Q1/8/8/8/8/K7 b - -", "stalemate"),
        ] {
            let told = answer_to(epd);
            let expected = format!(" c0 \"no win, the game is over: {reason}\";");
            assert!(told.ends_with(&expected), "{told}");
        }
    }
}
