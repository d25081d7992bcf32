//! `fission data`: look into and rearrange files of games for training.

use std::{
    collections::HashSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use fission::data::{
    Ending, FileError, Game, MATE, Reader, Writer,
    file::{EXTENSION, Frame},
};
use shakmaty::Color;

/// Look into and rearrange files of games for training.
///
/// Example: fission data info games
#[derive(Debug, Args)]
pub struct Data {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Count games, positions, results and endings
    Info(Inputs),
    /// Replay every game by the rules; fail if a file or a game is damaged
    Check(Inputs),
    /// Write the games in random order
    Shuffle {
        #[command(flatten)]
        inputs: Inputs,
        /// The file to write
        #[arg(long, short)]
        out: PathBuf,
        /// Seed of the order
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write the games of all files into one, identical games once
    Merge {
        #[command(flatten)]
        inputs: Inputs,
        /// The file to write
        #[arg(long, short)]
        out: PathBuf,
    },
    /// Print random positions: FEN, move, score for the side to move, result;
    /// with --out, write that many random games instead
    Sample {
        #[command(flatten)]
        inputs: Inputs,
        /// How many positions or games
        #[arg(long, short, default_value_t = 20)]
        count: usize,
        /// Seed of the choice
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The file to write games to
        #[arg(long, short)]
        out: Option<PathBuf>,
    },
}

/// Where games come from.
#[derive(Debug, Args)]
pub struct Inputs {
    /// Files of games, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

impl Inputs {
    /// The files, those of a folder by name.
    ///
    /// # Errors
    ///
    /// If a path does not exist or a folder holds no file of games.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        game_files(&self.paths)
    }
}

/// The files of games among `paths` and in the folders among them.
///
/// # Errors
///
/// If a path does not exist or a folder holds no file of games.
pub fn game_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found: Vec<PathBuf> = fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .with_context(|| format!("cannot list {}", path.display()))?;
        found.retain(|file| file.extension().is_some_and(|end| end == EXTENSION));
        if found.is_empty() {
            bail!(
                "{}: no file named *.{EXTENSION} in this folder",
                path.display()
            );
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

impl Data {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or `check` finds damage.
    pub fn run(&self) -> Result<ExitCode> {
        match &self.action {
            Action::Info(inputs) => info(&inputs.files()?),
            Action::Check(inputs) => check(&inputs.files()?),
            Action::Shuffle { inputs, out, seed } => {
                let mut frames = frames(&inputs.files()?)?;
                fastrand::Rng::with_seed(*seed).shuffle(&mut frames);
                write(out, &frames)
            }
            Action::Merge { inputs, out } => {
                let mut frames = frames(&inputs.files()?)?;
                let mut seen = HashSet::new();
                let before = frames.len();
                frames.retain(|frame| seen.insert(frame.payload.clone()));
                let repeated = before - frames.len();
                if repeated > 0 {
                    eprintln!("left out {repeated} games that were there already");
                }
                write(out, &frames)
            }
            Action::Sample {
                inputs,
                count,
                seed,
                out,
            } => sample(&inputs.files()?, *count, *seed, out.as_deref()),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}

/// All sound frames; damage is reported and passed over.
fn frames(files: &[PathBuf]) -> Result<Vec<Frame>> {
    let mut frames = Vec::new();
    for file in files {
        let mut reader = Reader::open(file)?;
        while let Some(frame) = reader.next_frame() {
            match frame {
                Ok(frame) => frames.push(frame),
                Err(error @ FileError::Io { .. }) => return Err(error.into()),
                Err(error) => eprintln!("{error}"),
            }
        }
    }
    Ok(frames)
}

/// Writes a file of games; it takes its name only when it is whole, so that it
/// may stand in place of one of those read.
fn write(out: &Path, frames: &[Frame]) -> Result<()> {
    let part = out.with_extension("part");
    let mut writer = Writer::create(&part)?;
    for frame in frames {
        writer.write_payload(&frame.payload)?;
    }
    fs::rename(&part, out).with_context(|| format!("cannot write {}", out.display()))?;
    println!("{}: {} games", out.display(), frames.len());
    Ok(())
}

#[derive(Debug, Default)]
struct Counts {
    games: usize,
    positions: usize,
    /// White won, draw, Black won.
    results: [usize; 3],
    endings: [usize; Ending::ALL.len()],
    mates: usize,
    /// Scores up to 100, 300, 1000 centipawns, and beyond.
    scores: [usize; 4],
}

impl Counts {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.positions += game.plies.len();
        self.results[match game.winner {
            Some(Color::White) => 0,
            None => 1,
            Some(Color::Black) => 2,
        }] += 1;
        if let Some(ending) = Ending::ALL.iter().position(|ending| *ending == game.ending) {
            self.endings[ending] += 1;
        }
        for ply in &game.plies {
            let size = ply.score.unsigned_abs();
            if size > MATE.unsigned_abs() - 1_000 {
                self.mates += 1;
            } else {
                self.scores[match size {
                    0..=100 => 0,
                    101..=300 => 1,
                    301..=1_000 => 2,
                    _ => 3,
                }] += 1;
            }
        }
    }
}

fn info(files: &[PathBuf]) -> Result<()> {
    let mut counts = Counts::default();
    let mut bytes = 0;
    for file in files {
        bytes += fs::metadata(file)
            .with_context(|| format!("cannot read {}", file.display()))?
            .len();
        for game in Reader::open(file)? {
            match game {
                Ok(game) => counts.add(&game),
                Err(error) => eprintln!("{error}"),
            }
        }
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    println!(
        "{} files, {bytes} bytes, {:.2} bytes a position",
        files.len(),
        bytes as f64 / counts.positions.max(1) as f64
    );
    println!(
        "{} games, {} positions, {:.1} plies a game",
        counts.games,
        counts.positions,
        counts.positions as f64 / counts.games.max(1) as f64
    );
    for (name, count) in ["White won", "draw", "Black won"]
        .iter()
        .zip(counts.results)
    {
        println!("{name:>22} {count:>10} {:5.1}%", share(count, counts.games));
    }
    println!("ended by");
    for (ending, count) in Ending::ALL.iter().zip(counts.endings) {
        println!(
            "{:>22} {count:>10} {:5.1}%",
            ending.to_string(),
            share(count, counts.games)
        );
    }
    println!("scores, centipawns");
    let names = ["up to 100", "up to 300", "up to 1000", "more", "mates"];
    for (name, count) in names
        .iter()
        .zip(counts.scores.into_iter().chain([counts.mates]))
    {
        println!(
            "{name:>22} {count:>10} {:5.1}%",
            share(count, counts.positions)
        );
    }
    Ok(())
}

fn check(files: &[PathBuf]) -> Result<()> {
    let mut faults = 0;
    let (mut games, mut positions) = (0usize, 0usize);
    for file in files {
        let mut reader = Reader::open(file)?;
        while let Some(frame) = reader.next_frame() {
            let verdict = frame.and_then(|frame| {
                let of_game = |source| FileError::Game {
                    path: file.clone(),
                    offset: frame.offset,
                    source,
                };
                let game = Game::decode(&frame.payload).map_err(of_game)?;
                game.check().map_err(of_game)?;
                games += 1;
                positions += game.plies.len();
                Ok(())
            });
            if let Err(error) = verdict {
                eprintln!("{error}");
                faults += 1;
            }
        }
    }
    println!("{games} games with {positions} positions are sound");
    if faults > 0 {
        bail!("{faults} faults found");
    }
    Ok(())
}

/// Keeps `count` of a stream, each with the same chance.
struct Reservoir<T> {
    kept: Vec<T>,
    count: usize,
    seen: usize,
    rng: fastrand::Rng,
}

impl<T> Reservoir<T> {
    fn new(count: usize, seed: u64) -> Reservoir<T> {
        Reservoir {
            kept: Vec::new(),
            count,
            seen: 0,
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    fn offer(&mut self, item: impl FnOnce() -> T) {
        self.seen += 1;
        if self.kept.len() < self.count {
            self.kept.push(item());
        } else {
            let place = self.rng.usize(..self.seen);
            if let Some(kept) = self.kept.get_mut(place) {
                *kept = item();
            }
        }
    }
}

fn sample(files: &[PathBuf], count: usize, seed: u64, out: Option<&Path>) -> Result<()> {
    if let Some(out) = out {
        let mut reservoir = Reservoir::new(count, seed);
        for frame in frames(files)? {
            reservoir.offer(|| frame);
        }
        return write(out, &reservoir.kept);
    }
    let mut reservoir = Reservoir::new(count, seed);
    for file in files {
        for game in Reader::open(file)? {
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    eprintln!("{error}");
                    continue;
                }
            };
            let result = match game.winner {
                Some(Color::White) => "1-0",
                Some(Color::Black) => "0-1",
                None => "1/2-1/2",
            };
            for ply in game.positions() {
                let ply = ply.with_context(|| format!("{}: game", file.display()))?;
                reservoir.offer(|| {
                    let chess960 = ply.position.is_chess960();
                    let uci = ply.position.uci(ply.played, chess960);
                    format!("{}; {uci}; {}; {result}", ply.position.fen(), ply.score)
                });
            }
        }
    }
    let mut output = io::stdout().lock();
    for line in &reservoir.kept {
        match writeln!(output, "{line}") {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            other => other?,
        }
    }
    Ok(())
}
