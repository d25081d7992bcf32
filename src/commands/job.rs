//! What long commands share: Ctrl-C, a line of progress on a terminal, and how
//! files are read.

use std::{
    fs,
    io::{IsTerminal, Read, Write, stderr, stdin},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use fission::games::scan::decoded;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The exit status after Ctrl-C.
pub const INTERRUPTED_STATUS: u8 = 130;

/// Lets Ctrl-C end the work in good order; a second one ends it at once.
pub fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Relaxed) {
            std::process::exit(i32::from(INTERRUPTED_STATUS));
        }
    })
    .context("cannot catch Ctrl-C")
}

/// Whether Ctrl-C was pressed.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Relaxed)
}

/// The exit status of work that was done, wholly or but for some skipped parts.
pub fn status(complete: bool) -> ExitCode {
    if is_interrupted() {
        ExitCode::from(INTERRUPTED_STATUS)
    } else {
        ExitCode::from(u8::from(!complete))
    }
}

/// The text of a file, in UTF-8 or Latin-1; `-` is standard input.
pub fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        stdin()
            .read_to_end(&mut bytes)
            .context("cannot read standard input")?;
    } else {
        bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    Ok(decoded(&bytes))
}

/// Refuses to write over what is read, by whatever name, or to write two outputs
/// to one file.
pub fn refuse_overwriting(inputs: &[PathBuf], outputs: &[&Path]) -> Result<()> {
    for (i, output) in outputs.iter().enumerate() {
        if inputs.iter().any(|input| is_same_file(input, output)) {
            bail!(
                "{}: one of the files to read; it would be overwritten: choose another name",
                output.display()
            );
        }
        let is_twin = |earlier: &&Path| {
            let absolute = |path| std::path::absolute(path).ok();
            absolute(earlier) == absolute(output) || is_same_file(earlier, output)
        };
        if outputs[..i].iter().any(is_twin) {
            bail!(
                "{}: named for two outputs: choose two names",
                output.display()
            );
        }
    }
    Ok(())
}

/// Whether both are names of one file, which links may be; not of one device.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    one.is_file() && same_file::is_same_file(one, other).unwrap_or(false)
}

/// One line on standard error that is written again and again, on a terminal
/// only.
pub struct ProgressLine {
    last: Mutex<Option<Instant>>,
    live: bool,
}

/// The line changes at most this often.
const TICK: Duration = Duration::from_millis(200);

impl ProgressLine {
    /// Nothing is shown yet.
    pub fn new() -> ProgressLine {
        ProgressLine {
            last: Mutex::new(None),
            live: stderr().is_terminal(),
        }
    }

    /// Shows a text if it is time to.
    pub fn show(&self, text: impl FnOnce() -> String) {
        if !self.live {
            return;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= TICK) {
            *last = Some(Instant::now());
            write(&format!("\r{}\x1b[K", text()));
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        if self.live {
            write("\r\x1b[K");
        }
    }
}

/// Writes to standard error; progress that cannot be shown is no fault.
fn write(text: &str) {
    let mut out = stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_not_written() {
        let folder = std::env::temp_dir().join(format!("fission-job-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (games, link, new) = (
            folder.join("games.pgn"),
            folder.join("link.pgn"),
            folder.join("new.pgn"),
        );
        fs::write(&games, "*").expect("a file");
        let _ = fs::remove_file(&link);
        fs::hard_link(&games, &link).expect("a link");
        let inputs = [games.clone()];
        let refused = |outputs: &[&Path]| refuse_overwriting(&inputs, outputs).is_err();
        assert!(refused(&[&games]));
        assert!(refused(&[&new, &link]));
        assert!(refused(&[&folder.join("./games.pgn")]));
        assert!(refused(&[&new, &new]));
        assert!(refused(&[&new, &folder.join("./new.pgn")]));
        assert!(!refused(&[&new]));
        assert!(!refused(&[Path::new("/dev/null"), Path::new("/dev/zero")]));
        fs::remove_dir_all(&folder).expect("to be removed");
    }
}
