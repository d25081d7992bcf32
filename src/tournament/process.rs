//! An engine as a child process: lines in, lines out, each stamped with the
//! moment it arrived.
//!
//! One thread reads the engine's output, so the time of a move does not depend
//! on how busy the referee is; another keeps the last lines of its error output
//! for the report of a crash.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ExitStatus},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crossbeam::channel::{self, Receiver, Sender, select};

use super::{engine::EngineSpec, stop::StopSignal};

/// A longer line is cut; no UCI line comes near.
const LONGEST_LINE: u64 = 1 << 20;

/// Lines of error output that are kept.
const LAST_WORDS: usize = 5;

/// How long an engine that closed its output may take to exit.
const EXIT_PATIENCE: Duration = Duration::from_millis(200);

/// How long an engine may take to follow `quit`.
const QUIT_PATIENCE: Duration = Duration::from_millis(1000);

/// A line of output without its line end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The text.
    pub text: String,
    /// When it arrived.
    pub at: Instant,
}

/// What waiting for a line came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// The engine wrote a line.
    Line(Line),
    /// The engine closed its output; there will be no more.
    Closed,
    /// The deadline passed.
    TimedOut,
    /// The match is being stopped.
    Stopped,
}

/// A running engine. Dropping it kills it, and on Unix whatever it started.
#[derive(Debug)]
pub struct EngineProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    last_words: Arc<Mutex<VecDeque<String>>>,
    /// Closes when the error output does.
    no_more_words: Receiver<()>,
}

impl EngineProcess {
    /// Starts the engine in a process group of its own, out of the reach of a
    /// Ctrl-C that is meant for the match.
    ///
    /// # Errors
    ///
    /// When the program cannot be started.
    pub fn start(spec: &EngineSpec) -> io::Result<EngineProcess> {
        let mut command = spec.to_command()?;
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (sender, lines) = channel::unbounded();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || forward_lines(stdout, &sender));
        }
        let last_words = Arc::new(Mutex::new(VecDeque::new()));
        let (words_end, no_more_words) = channel::bounded(0);
        if let Some(stderr) = child.stderr.take() {
            let last_words = Arc::clone(&last_words);
            thread::spawn(move || {
                keep_last_words(stderr, &last_words);
                drop(words_end);
            });
        }
        Ok(EngineProcess {
            stdin: child.stdin.take(),
            child,
            lines,
            last_words,
            no_more_words,
        })
    }

    /// Sends one or more lines, the last without its line end.
    ///
    /// # Errors
    ///
    /// When the engine no longer reads.
    pub fn send(&mut self, text: &str) -> io::Result<()> {
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(format!("{text}\n").as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Waits for a line until the deadline, or for ever without one.
    #[must_use]
    pub fn receive(&self, deadline: Option<Instant>, stop: &StopSignal) -> Received {
        let timer = deadline.map_or_else(channel::never, channel::at);
        select! {
            recv(self.lines) -> line => line.map_or(Received::Closed, Received::Line),
            recv(timer) -> _ => self.lines.try_recv().map_or(Received::TimedOut, Received::Line),
            recv(stop.receiver()) -> _ => Received::Stopped,
        }
    }

    /// Drops lines that nobody waited for.
    pub fn discard_output(&self) {
        self.lines.try_iter().for_each(drop);
    }

    /// How the process ended, if it did; waits a little for one that is ending.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.wait_until(Instant::now() + EXIT_PATIENCE)
    }

    /// The last lines of error output of a process that ended, joined by ` | `.
    #[must_use]
    pub fn last_words(&self) -> String {
        // What it wrote may still be on its way; a child of its own may keep
        // the stream open.
        let _ = self.no_more_words.recv_timeout(EXIT_PATIENCE);
        let words = self
            .last_words
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Vec::from_iter(words.iter().map(String::as_str)).join(" | ")
    }

    /// Asks the engine to quit and kills it if it stays.
    pub fn quit(mut self) {
        if self.send("quit").is_ok() {
            self.stdin = None;
            self.wait_until(Instant::now() + QUIT_PATIENCE);
        }
    }

    fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_millis(1);
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(pause),
                Ok(status) => return status,
                Err(_) => return None,
            }
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // Once the leader is reaped its number may belong to somebody else.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        #[cfg(unix)]
        if let Ok(id) = i32::try_from(self.child.id()) {
            use nix::{
                sys::signal::{Signal, killpg},
                unistd::Pid,
            };
            // Fails only when all of the group are gone.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward_lines(stdout: impl Read, sender: &Sender<Line>) {
    let mut reader = BufReader::new(stdout);
    let mut buffer = Vec::new();
    while let Some(text) = next_line(&mut reader, &mut buffer) {
        let line = Line {
            text,
            at: Instant::now(),
        };
        if sender.send(line).is_err() {
            return;
        }
    }
}

fn keep_last_words(stderr: impl Read, last_words: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(stderr);
    let mut buffer = Vec::new();
    while let Some(text) = next_line(&mut reader, &mut buffer) {
        let mut words = last_words.lock().unwrap_or_else(PoisonError::into_inner);
        if words.len() == LAST_WORDS {
            words.pop_front();
        }
        words.push_back(text);
    }
}

/// The next line with bytes that are not UTF-8 replaced, or `None` at the end.
fn next_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> Option<String> {
    buffer.clear();
    match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', buffer) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(buffer).trim_end().to_owned()),
    }
}
