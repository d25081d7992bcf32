//! Judged games: annotated PGN, JSON lines and pages, from many files on all
//! cores, with progress, and able to go on after an interruption.

use std::{
    fs,
    io::{IsTerminal, Write, stderr, stdout},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use fission::{
    games::{
        Skipped,
        read::Reading,
        source::{self, Source},
    },
    report::{
        GameReport,
        analysis::Settings,
        batch::{self, Means},
        html,
        interrupt::Interrupt,
        json,
        output::{Appender, State},
        pgn,
    },
    search::Limits,
};

use super::{super::job, Analyse};

/// Nodes for each position without a limit.
const DEFAULT_NODES: u64 = 100_000;
/// MiB of hash table for each game.
const DEFAULT_HASH: usize = 16;
/// The most games that one page holds.
const MOST_ON_A_PAGE: usize = 200;
/// How often the state is saved.
const SAVE_EVERY: Duration = Duration::from_secs(1);
/// The exit status when something was skipped.
const SKIPPED: u8 = 1;
/// The exit status after Ctrl-C.
const INTERRUPTED: u8 = 130;

impl Analyse {
    /// Judges all games and writes the reports.
    pub(super) fn games(&self) -> Result<ExitCode> {
        let settings = Settings {
            limits: self.limits(Limits::nodes(DEFAULT_NODES))?,
            explain: self.explain,
        };
        let means = Means {
            threads: self.threads(),
            hash: self.hash.unwrap_or(DEFAULT_HASH),
        };
        let reading = Reading {
            assume: self.assume_atomic.then_some(self.rules),
            positions: self.rules,
            advice: Some(crate::commands::ASSUME_ATOMIC),
        };
        let mut inputs = source::files(&self.files);
        if inputs.is_empty() {
            bail!("{:?}: no PGN, EPD or FEN file there", self.files);
        }
        let mut writer = Writer::new(
            self,
            &inputs,
            format!(
                "{:?} {reading:?} {:?} explain {}",
                self.files, settings.limits, settings.explain
            ),
        )?;
        let interrupt = Arc::new(Interrupt::default());
        let handler = Arc::clone(&interrupt);
        ctrlc::set_handler(move || {
            if handler.is_given() {
                std::process::exit(i32::from(INTERRUPTED));
            }
            handler.give();
        })
        .context("cannot listen for Ctrl-C")?;

        // Reports of the interrupted run may lie in a folder that is read.
        inputs.retain(|input| {
            let mut outputs = writer.files.iter();
            !outputs.any(|output| job::is_same_file(input, output))
        });
        let games = Source::of_files(inputs, reading).skip(writer.state.done);
        let progress = Progress::new(writer.state.done);
        let done = batch::run(games, means, &settings, &interrupt, |outcome| {
            match &outcome {
                Ok(report) => {
                    for left_out in &report.game.left_out {
                        progress.tell(&left_out.to_string());
                    }
                }
                Err(skipped) => progress.tell(&skipped.to_string()),
            }
            writer.take(outcome.as_deref())?;
            progress.step(&writer.state);
            Ok::<(), anyhow::Error>(())
        });
        progress.clear();
        writer.save()?;
        done?;
        if interrupt.is_given() {
            progress.tell(&writer.interrupted());
            return Ok(ExitCode::from(INTERRUPTED));
        }
        writer.finish()?;
        let State {
            done,
            skipped,
            judged,
            ..
        } = writer.state;
        if skipped > 0 {
            progress.tell(&format!(
                "{judged} of {done} judged; {skipped} with something skipped"
            ));
            return Ok(ExitCode::from(SKIPPED));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Where one kind of report goes.
enum Target {
    Stdout,
    File(Appender),
}

impl Target {
    fn write(&mut self, text: &str) -> Result<()> {
        match self {
            Target::Stdout => stdout().write_all(text.as_bytes())?,
            Target::File(file) => file.append(text)?,
        }
        Ok(())
    }
}

/// Pages for the browser.
struct Pages {
    /// The page of all games, or the list of pages.
    file: Appender,
    /// The folder of the pages, if every game has its own.
    folder: Option<PathBuf>,
}

/// All reports of a run, and how far it has come.
struct Writer {
    json: Option<Target>,
    pgn: Option<Target>,
    pages: Option<Pages>,
    /// All files that are written, but for the pages of a folder.
    files: Vec<PathBuf>,
    state: State,
    /// Where the state is kept, if there is a file that could go on.
    state_path: Option<PathBuf>,
    saved: Instant,
}

impl Writer {
    fn new(arguments: &Analyse, inputs: &[PathBuf], task: String) -> Result<Writer> {
        let json_file = arguments.json.as_ref().and_then(Option::as_ref);
        let html_folder = arguments
            .html
            .as_ref()
            .filter(|path| path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']));
        if let Some(folder) = html_folder {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let html_file = match html_folder {
            Some(folder) => Some(folder.join("index.html")),
            None => arguments.html.clone(),
        };
        let files: Vec<PathBuf> = [json_file, arguments.pgn.as_ref(), html_file.as_ref()]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let state_path = files.first().map(|path| suffixed(path, ".progress"));
        let task = format!("{task} {files:?}");
        let state = earlier_state(arguments.resume, state_path.as_deref(), &task)?;
        let fresh = state.is_none();
        if fresh {
            let outputs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            job::refuse_overwriting(inputs, &outputs)?;
        }
        let state = state.unwrap_or(State {
            task,
            ..State::default()
        });
        let mut lengths = state.lengths.iter().copied();
        let mut open = |path: &Path| Appender::open(path, lengths.next().unwrap_or(0));
        let json = match (&arguments.json, json_file) {
            (Some(_), Some(path)) => Some(Target::File(open(path)?)),
            (Some(_), None) => Some(Target::Stdout),
            (None, _) => None,
        };
        let pgn = match &arguments.pgn {
            Some(path) => Some(Target::File(open(path)?)),
            None if json.is_none() && html_file.is_none() => Some(Target::Stdout),
            None => None,
        };
        let mut pages = None;
        if let Some(path) = &html_file {
            let mut file = open(path)?;
            if fresh {
                file.append(&match html_folder {
                    Some(_) => html::index_head(),
                    None => html::head("Analysed games"),
                })?;
            }
            pages = Some(Pages {
                file,
                folder: html_folder.cloned(),
            });
        }
        Ok(Writer {
            json,
            pgn,
            pages,
            files,
            state,
            state_path,
            saved: Instant::now(),
        })
    }

    /// Writes one report, or counts what was skipped.
    fn take(&mut self, outcome: Result<&GameReport, &Skipped>) -> Result<()> {
        if let Ok(report) = outcome {
            if let Some(target) = &mut self.json {
                target.write(&json::write(report)?)?;
            }
            if let Some(target) = &mut self.pgn {
                target.write(&pgn::write(report))?;
            }
            if let Some(pages) = &mut self.pages {
                pages.write(report, self.state.judged)?;
            }
            self.state.judged += 1;
        }
        self.state.done += 1;
        let faulty = outcome.map_or(true, |report| !report.game.left_out.is_empty());
        self.state.skipped += usize::from(faulty);
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save()?;
        }
        Ok(())
    }

    fn save(&mut self) -> Result<()> {
        let targets = [&self.json, &self.pgn].into_iter().flatten();
        let mut lengths: Vec<u64> = targets
            .filter_map(|target| match target {
                Target::Stdout => None,
                Target::File(file) => Some(file.length()),
            })
            .collect();
        lengths.extend(self.pages.as_ref().map(|pages| pages.file.length()));
        self.state.lengths = lengths;
        if let Some(path) = &self.state_path {
            self.state.save(path)?;
        }
        self.saved = Instant::now();
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        if let Some(path) = &self.state_path {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(())
    }

    fn interrupted(&self) -> String {
        let done = self.state.done;
        match &self.state_path {
            Some(_) => format!("stopped after {done}; the same command with --resume goes on"),
            None => format!("stopped after {done}"),
        }
    }
}

/// The state to go on from: only with `--resume`, and only of the same task.
fn earlier_state(resume: bool, path: Option<&Path>, task: &str) -> Result<Option<State>> {
    let Some(path) = path else {
        if resume {
            bail!("--resume needs an output file, as --pgn, --html or --json=FILE");
        }
        return Ok(None);
    };
    let state = State::load(path)?;
    match (resume, &state) {
        (false, Some(_)) => bail!(
            "{}: an analysis was interrupted; go on with --resume, or remove this file to begin anew",
            path.display()
        ),
        (true, Some(state)) if state.task != task => bail!(
            "{}: the interrupted analysis had other files or settings",
            path.display()
        ),
        (true, None) if path.with_extension("").exists() => bail!(
            "{}: complete; without --resume it is written anew",
            path.with_extension("").display()
        ),
        _ => Ok(state),
    }
}

impl Pages {
    fn write(&mut self, report: &GameReport, number: usize) -> Result<()> {
        let Some(folder) = &self.folder else {
            if number == MOST_ON_A_PAGE {
                write_error(&format!(
                    "fission: the page holds the first {MOST_ON_A_PAGE} games; name a folder for --html, \
                     ending in /, to have a page for each game\n"
                ));
            }
            if number < MOST_ON_A_PAGE {
                self.file.append(&html::section(report))?;
            }
            return Ok(());
        };
        let name = format!("game-{:05}.html", number + 1);
        let path = folder.join(&name);
        let title = html::title(report);
        fs::write(&path, html::head(&title) + &html::section(report))
            .with_context(|| format!("cannot write {}", path.display()))?;
        self.file.append(&html::index_entry(report, &name))?;
        Ok(())
    }
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// What is said on standard error: faults, and on a terminal one line that
/// changes.
struct Progress {
    began: Instant,
    before: usize,
    live: bool,
}

impl Progress {
    fn new(before: usize) -> Progress {
        Progress {
            began: Instant::now(),
            before,
            live: stderr().is_terminal(),
        }
    }

    fn step(&self, state: &State) {
        if self.live {
            let seconds = self.began.elapsed().as_secs_f64().max(1e-3);
            let rate = (state.done - self.before) as f64 / seconds;
            write_error(&format!(
                "\r{} done, {} skipped, {rate:.1} a second\x1b[K",
                state.done, state.skipped
            ));
        }
    }

    fn tell(&self, text: &str) {
        self.clear();
        write_error(&format!("fission: {text}\n"));
    }

    fn clear(&self) {
        if self.live {
            write_error("\r\x1b[K");
        }
    }
}

/// If standard error is gone, there is nobody to tell.
fn write_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
