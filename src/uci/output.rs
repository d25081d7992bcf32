//! Where the protocol's lines go: standard output and the debug log.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

struct Sink {
    out: Box<dyn Write + Send>,
    log: Option<BufWriter<File>>,
}

/// A handle on the output that all threads may write to, a line at a time.
#[derive(Clone)]
pub struct Output {
    sink: Arc<Mutex<Sink>>,
    closed: Arc<AtomicBool>,
}

impl Output {
    /// Lines go to `out`.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Output {
        Output {
            sink: Arc::new(Mutex::new(Sink {
                out: Box::new(out),
                log: None,
            })),
            closed: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Writes text that may be several lines and ends the last one.
    pub fn line(&self, text: &str) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(sink.out, "{text}").and_then(|()| sink.out.flush());
        if written.is_err() {
            self.closed.store(true, Relaxed);
        }
        sink.note("<<", text);
    }

    /// Tells the user something, as the protocol allows at any time.
    pub fn notice(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\n', '\r'], " ")));
    }

    /// Whether nobody reads any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Copies all traffic to a file from now on; `None` ends that.
    ///
    /// # Errors
    ///
    /// The file cannot be written; the old log goes on.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let log = path
            .map(|path| File::options().create(true).append(true).open(path))
            .transpose()?
            .map(BufWriter::new);
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink.log = log;
        Ok(())
    }

    /// Notes a line that came in, for the log.
    pub fn log_input(&self, text: &str) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink.note(">>", text);
    }
}

impl Sink {
    fn note(&mut self, mark: &str, text: &str) {
        let failed = self.log.as_mut().is_some_and(|log| {
            writeln!(log, "{mark} {text}")
                .and_then(|()| log.flush())
                .is_err()
        });
        if failed {
            self.log = None;
        }
    }
}
