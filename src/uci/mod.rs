//! The Universal Chess Interface: text in, commands out; events in, text out.
//!
//! One thread reads, one searches, and this one decides. While a search runs,
//! commands that would change what it works on wait until it has given its
//! move; `stop`, `ponderhit`, `isready` and `quit` are obeyed at once.

mod game;
mod go;
pub mod input;
mod options;
mod output;

use std::{
    collections::VecDeque,
    io::{BufRead, Write},
    path::PathBuf,
    sync::Arc,
};

use crossbeam::channel::{Receiver, Sender, unbounded};
use game::abridged;
pub use game::{Game, GameError};
use go::Go;
use input::Input;
pub use options::{Change, OptionError, Options};
use output::Output;
use shakmaty::Move;

use crate::{
    bench,
    book::Book,
    endgame::Tables,
    evaluation::{classical, nnue::Network},
    mate,
    rules::{Position, movegen},
    search::{
        Control, Info, Limits, Pool, Report, SearchResult,
        score::{Bound, UciScore, win_draw_loss},
    },
};

/// Name and version as a client shows them.
pub const NAME: &str = concat!("Fission ", env!("CARGO_PKG_VERSION"));

const HELP: &str = "\
Fission plays atomic chess. It speaks UCI, so it is usually started by a
chess program. Commands:
  uci, isready, ucinewgame, setoption name NAME [value VALUE], quit
  position startpos|fen FEN [moves MOVE...]
  go [depth N] [nodes N] [mate N] [movetime MS] [wtime MS] [btime MS]
     [winc MS] [binc MS] [movestogo N] [infinite] [ponder]
     [searchmoves MOVE...] [perft N]
  stop, ponderhit
  d       shows the position        flip    changes sides
  eval    explains the evaluation   bench   searches fixed positions
Run `fission --help` in a terminal for what else it can do.";

enum Event {
    Input(Input),
    /// A search has its move.
    Done(Box<(Pool, SearchResult)>),
    /// A count or a benchmark is over, with its last words: said only once the
    /// next command is obeyed at once.
    Counted(String),
}

/// A search, count or benchmark in another thread.
struct Running {
    control: Arc<Control>,
    /// Whether it ends only when told to.
    endless: bool,
    chess960: bool,
    root: Position,
}

/// Serves one client until it quits or goes away.
///
/// Reads commands from `input` in a thread of its own and writes answers to
/// `output`.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) {
    let (sender, events) = unbounded();
    let reader = sender.clone();
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let line = input::read(&mut input);
            let end = line == Input::End;
            if reader.send(Event::Input(line)).is_err() || end {
                break;
            }
        }
    });
    let mut engine = Engine {
        output: Output::new(output),
        options: Options::default(),
        game: Game::new(crate::rules::Ruleset::default()),
        pool: Some(Pool::default()),
        book: None,
        rng: fastrand::Rng::new(),
        running: None,
        waiting: VecDeque::new(),
        events: sender,
        ending: false,
        quitting: false,
    };
    engine.run(&events);
}

struct Engine {
    output: Output,
    options: Options,
    game: Game,
    /// Away with the search while one runs.
    pool: Option<Pool>,
    /// The book of a file, in place of the embedded one.
    book: Option<Book>,
    rng: fastrand::Rng,
    running: Option<Running>,
    /// Commands that came during a search and wait for its end.
    waiting: VecDeque<String>,
    events: Sender<Event>,
    /// No more commands come; what waits is still done.
    ending: bool,
    /// The client wants to leave: no new search.
    quitting: bool,
}

impl Engine {
    fn run(&mut self, events: &Receiver<Event>) {
        while !(self.ending && self.running.is_none() && self.waiting.is_empty()) {
            let Ok(event) = events.recv() else { break };
            match event {
                Event::Input(Input::Line(line)) => self.receive(&line),
                Event::Input(Input::TooLong(bytes)) => self
                    .output
                    .notice(&format!("a line of {bytes} bytes is too long: ignored")),
                Event::Input(Input::End) => self.end(),
                Event::Done(done) => {
                    let (pool, result) = *done;
                    self.finish(pool, &result);
                }
                Event::Counted(words) => {
                    self.running = None;
                    self.output.line(&words);
                }
            }
            while self.running.is_none()
                && let Some(line) = self.waiting.pop_front()
            {
                self.obey(&line);
            }
            if self.output.is_closed() {
                self.quit();
            }
        }
    }

    /// A line from the client: done now, or kept until the search is over.
    fn receive(&mut self, line: &str) {
        self.output.log_input(line);
        let line = line.trim();
        let word = line.split_whitespace().next().unwrap_or("");
        let Some(running) = &self.running else {
            return self.obey(line);
        };
        match word {
            "stop" => running.control.stop(),
            "ponderhit" => running.control.ponderhit(),
            "quit" => self.quit(),
            "isready" | "uci" | "d" | "eval" | "help" => self.obey(line),
            "" => {}
            _ => self.waiting.push_back(line.to_owned()),
        }
    }

    /// Carries out one command while no search runs, or one that a running
    /// search does not mind.
    fn obey(&mut self, line: &str) {
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        match word {
            "" => {}
            "uci" => self.output.line(&format!(
                "id name {NAME}\nid author the Fission developers\n\n{}\nuciok",
                Options::declarations()
            )),
            "isready" => self.output.line("readyok"),
            "ucinewgame" => {
                if let Some(pool) = &mut self.pool {
                    pool.clear();
                }
                self.game = Game::new(self.options.ruleset);
            }
            "setoption" => self.set_option(rest),
            "position" => self.set_position(rest),
            "go" | "bench" if self.quitting => {}
            "bench" => self.bench(rest),
            "go" => self.go(rest),
            "stop" | "ponderhit" => self
                .output
                .notice(&format!("{word}: no search is running: ignored")),
            "quit" => self.quit(),
            "d" => self.show(),
            "eval" => self.explain(),
            "flip" => self.flip(),
            "help" | "--help" => self.output.line(HELP),
            _ => self.output.notice(&format!(
                "unknown command {:?}: ignored, help lists what there is",
                abridged(line)
            )),
        }
    }

    fn set_option(&mut self, words: &str) {
        match self.options.set(words) {
            Ok(change) => self.apply(change),
            Err(error) => self.output.notice(&error.to_string()),
        }
    }

    fn apply(&mut self, change: Change) {
        let Some(pool) = &mut self.pool else { return };
        match change {
            Change::None => {}
            Change::Threads(threads) => pool.set_threads(threads),
            Change::Hash(mib) => match pool.set_hash(mib) {
                Ok(()) => self.options.hash = mib,
                Err(error) => self
                    .output
                    .notice(&format!("{error}; still {} MiB", pool.hash())),
            },
            Change::ClearHash => pool.clear_hash(),
            Change::Ruleset(ruleset) => {
                if ruleset != self.game.position.ruleset() {
                    pool.clear();
                    let fen = self.game.position.fen();
                    self.game = Position::from_fen(&fen, ruleset)
                        .map_or_else(|_| Game::new(ruleset), Game::from_position);
                }
            }
            Change::UseNetwork(wanted) => {
                self.set_network(wanted, self.options.network_file.clone());
            }
            Change::TableFolders(folders) => self.set_tables(folders),
            Change::NetworkFile(path) => self.set_network(self.options.use_network, path),
            Change::BookFile(path) => self.set_book(path),
            Change::Log(path) => {
                if let Err(error) = self.output.set_log(path.as_deref()) {
                    self.output.notice(&format!(
                        "Debug Log File {:?} cannot be written ({error}): no change",
                        path.unwrap_or_default()
                    ));
                }
            }
        }
    }

    /// Evaluates by the network in `path` or the embedded one if `wanted`. A
    /// file that cannot be read changes nothing.
    fn set_network(&mut self, wanted: bool, path: Option<PathBuf>) {
        let network = match &path {
            Some(path) => match Network::load(path) {
                Ok(network) => Some(Arc::new(network)),
                Err(error) => {
                    return self
                        .output
                        .notice(&format!("EvalFile: {error}; the network is unchanged"));
                }
            },
            None => Network::embedded(),
        };
        if let Some(pool) = &mut self.pool {
            pool.set_network(network.filter(|_| wanted));
        }
        self.options.use_network = wanted;
        self.options.network_file = path;
    }

    /// Uses the endgame tables of `folders` beside those in the program. What
    /// has nothing to offer is named, the rest is used.
    fn set_tables(&mut self, folders: Vec<PathBuf>) {
        let (tables, faults) = Tables::with_folders(&folders);
        for fault in faults {
            self.output.notice(&format!("SyzygyPath: {fault}"));
        }
        if let Some(pool) = &mut self.pool {
            pool.set_tables(Some(tables));
            // What other tables said may stand in the hash table.
            pool.clear_hash();
        }
        self.options.table_folders = folders;
    }

    /// Takes moves from the book in `path` or the embedded one. A file that
    /// cannot be read changes nothing.
    fn set_book(&mut self, path: Option<PathBuf>) {
        let book = match &path {
            Some(path) => match Book::load(path) {
                Ok(book) => Some(book),
                Err(error) => {
                    return self
                        .output
                        .notice(&format!("BookFile: {error}; the book is unchanged"));
                }
            },
            None => None,
        };
        self.book = book;
        self.options.book_file = path;
    }

    /// A move of the book, if the search asked for may be answered by one.
    fn book_move(&mut self, limits: &Limits) -> Option<Move> {
        let bound_to_search = limits.infinite
            || limits.ponder
            || limits.mate.is_some()
            || !limits.search_moves.is_empty();
        if !self.options.own_book || bound_to_search || self.options.analyse_mode {
            return None;
        }
        let book = self.book.as_ref().unwrap_or(Book::embedded());
        book.choose(&self.game.position, self.game.passed, &mut self.rng)
    }

    fn set_position(&mut self, words: &str) {
        match Game::parse(words, self.options.ruleset) {
            Ok((game, repaired)) => {
                self.game = game;
                if let Some(fault) = repaired {
                    self.output
                        .notice(&format!("position: {fault}: left out, the rest is set up"));
                }
            }
            Err(error) => self.output.notice(&format!(
                "position: {error}; still {}",
                self.game.position.fen()
            )),
        }
    }

    fn go(&mut self, words: &str) {
        let (go, faults) = go::parse(words, &self.game.position);
        for fault in faults {
            self.output.notice(&fault);
        }
        match go {
            Go::Nothing => {}
            Go::Perft(depth) => self.perft(depth),
            Go::Search(limits) => match self.book_move(&limits) {
                Some(m) => {
                    let chess960 = self.options.chess960 || self.game.position.is_chess960();
                    let text = self.game.position.uci(m, chess960);
                    self.output
                        .line(&format!("info string book move\nbestmove {text}"));
                }
                None => self.start(limits),
            },
        }
    }

    /// Starts a search in a thread of its own.
    fn start(&mut self, limits: Limits) {
        let Some(mut pool) = self.pool.take() else {
            return;
        };
        let control = Arc::new(Control::new(&limits));
        let root = self.game.position.clone();
        let chess960 = self.options.chess960 || root.is_chess960();
        self.running = Some(Running {
            control: Arc::clone(&control),
            endless: limits.infinite || limits.ponder,
            chess960,
            root: root.clone(),
        });
        let earlier_keys = self.game.earlier_keys.clone();
        let search_options = self.options.search_options();
        let show_wdl = self.options.show_wdl;
        let output = self.output.clone();
        let events = self.events.clone();
        std::thread::spawn(move || {
            let result = mate::search(
                &mut pool,
                &root,
                &earlier_keys,
                &limits,
                &search_options,
                &control,
                &mut |report| {
                    output.line(&report_line(report, &root, chess960, show_wdl));
                    if output.is_closed() {
                        control.stop();
                    }
                },
            );
            // Nobody listens any more only when the program is ending.
            let _ = events.send(Event::Done(Box::new((pool, result))));
        });
    }

    /// Takes the result of the search and gives the move.
    fn finish(&mut self, pool: Pool, result: &SearchResult) {
        for fault in pool.tables().map(Tables::take_faults).unwrap_or_default() {
            self.output.notice(&fault);
        }
        self.pool = Some(pool);
        let Some(running) = self.running.take() else {
            return;
        };
        let Some(best) = result.best else {
            let score = if running.root.is_check() || running.root.king_is_gone() {
                "mate 0"
            } else {
                "cp 0"
            };
            self.output
                .line(&format!("info depth 0 score {score}\nbestmove (none)"));
            return;
        };
        let mut line = format!("bestmove {}", running.root.uci(best, running.chess960));
        if let Some(ponder) = result.ponder {
            line.push_str(" ponder ");
            line.push_str(&running.root.after(best).uci(ponder, running.chess960));
        }
        self.output.line(&line);
    }

    /// Runs `work` in a thread of its own until it is done or stopped.
    fn run_aside(&mut self, work: impl FnOnce(&Output, &Control) -> String + Send + 'static) {
        let control = Arc::new(Control::default());
        self.running = Some(Running {
            control: Arc::clone(&control),
            endless: false,
            chess960: false,
            root: self.game.position.clone(),
        });
        let (output, events) = (self.output.clone(), self.events.clone());
        std::thread::spawn(move || {
            let words = work(&output, &control);
            // Nobody listens any more only when the program is ending.
            let _ = events.send(Event::Counted(words));
        });
    }

    fn bench(&mut self, words: &str) {
        let depth = match words.split_whitespace().next().map(str::parse) {
            None => bench::DEPTH,
            Some(Ok(depth)) if depth > 0 => depth,
            Some(_) => {
                return self.output.notice(&format!(
                    "bench {:?}: expected a depth from 1: nothing done",
                    abridged(words)
                ));
            }
        };
        self.run_aside(move |output, control| {
            let mut pool = Pool::default();
            bench::run(&mut pool, depth, control, |line| output.line(line)).to_string()
        });
    }

    fn perft(&mut self, depth: u32) {
        let position = self.game.position.clone();
        let chess960 = self.options.chess960 || position.is_chess960();
        self.run_aside(move |output, control| {
            let mut total = u64::from(depth == 0);
            for m in movegen::legal_moves(&position) {
                let Some(below) = depth.checked_sub(1) else {
                    break;
                };
                let Some(nodes) = count_until_stopped(&position.after(m), below, control) else {
                    return "info string perft was stopped before its end".to_owned();
                };
                total += nodes;
                output.line(&format!("{}: {nodes}", position.uci(m, chess960)));
            }
            format!("\nNodes searched: {total}\n")
        });
    }

    /// The terms of the classical evaluation and, if a network evaluates in
    /// their place, what that says.
    fn explain(&self) {
        let position = &self.game.position;
        self.output.line(&classical::trace(position).to_string());
        let network = self
            .pool
            .as_ref()
            .and_then(|pool| pool.network_evaluation(position));
        if let Some(score) = network {
            let white = position.turn().fold_wb(score, -score);
            self.output.line(&format!(
                "The search uses the network: {:+.2} (White's side)",
                f64::from(white) / 100.0
            ));
        }
    }

    fn show(&self) {
        let position = &self.game.position;
        let mut text = position.diagram();
        text.push_str(&format!(
            "\nFen: {}\nKey: {:016X}\nCheckers:",
            position.fen(),
            position.key()
        ));
        for square in position.checkers() {
            text.push_str(&format!(" {square}"));
        }
        text.push_str(&format!("\nRules: {}", position.ruleset()));
        self.output.line(&text);
    }

    fn flip(&mut self) {
        self.game = Game::from_position(self.game.position.mirrored());
    }

    /// No more commands come: a search that would run for ever is stopped, a
    /// bounded one finishes, and what waits behind it is done.
    fn end(&mut self) {
        self.ending = true;
        if let Some(running) = self.running.as_ref().filter(|running| running.endless) {
            running.control.stop();
        }
    }

    /// Leaves as soon as the search has given its move; what waits is still
    /// answered, but nothing more is searched.
    fn quit(&mut self) {
        self.ending = true;
        self.quitting = true;
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }
}

/// Counts the leaves of the legal move tree; `None` if stopped before the end.
fn count_until_stopped(position: &Position, depth: u32, control: &Control) -> Option<u64> {
    /// Trees of this depth are counted without looking up.
    const SMALL: u32 = 4;
    if control.is_stopped() {
        return None;
    }
    if depth <= SMALL {
        return Some(movegen::perft(position, depth));
    }
    movegen::legal_moves(position)
        .into_iter()
        .map(|m| count_until_stopped(&position.after(m), depth - 1, control))
        .sum()
}

fn report_line(report: &Report, root: &Position, chess960: bool, show_wdl: bool) -> String {
    match report {
        Report::Info(info) => info_line(info, root, chess960, show_wdl),
        Report::CurrentMove { depth, m, number } => format!(
            "info depth {depth} currmove {} currmovenumber {number}",
            root.uci(*m, chess960)
        ),
    }
}

/// A line of progress as UCI writes it.
fn info_line(info: &Info, root: &Position, chess960: bool, show_wdl: bool) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth,
        info.seldepth,
        info.multi_pv,
        UciScore(info.score)
    );
    match info.bound {
        Bound::Lower => text.push_str(" lowerbound"),
        Bound::Upper => text.push_str(" upperbound"),
        Bound::None | Bound::Exact => {}
    }
    if show_wdl {
        let [win, draw, loss] = win_draw_loss(info.score);
        text.push_str(&format!(" wdl {win} {draw} {loss}"));
    }
    text.push_str(&format!(
        " nodes {} nps {} hashfull {} tbhits {} time {} pv",
        info.nodes,
        info.nps(),
        info.hashfull,
        info.table_hits,
        info.time.as_millis()
    ));
    let mut position = root.clone();
    for &m in &info.pv {
        text.push(' ');
        text.push_str(&position.uci(m, chess960));
        position.play(m);
    }
    text
}
