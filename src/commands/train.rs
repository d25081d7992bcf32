//! `fission train`: fit the evaluation network to files of games.

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use fission::{
    evaluation::nnue::{Architecture, Network},
    training::{
        Dataset, Filter, KING_BUCKET_LAYOUTS, Model, Plan, Progress, SCORE_SCALE, Schedule, Target,
        Trainer, king_bucket_layout,
    },
};

use super::data::game_files;

/// How the learning rate falls.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum Falling {
    /// Along half a cosine down to --last-rate
    Cosine,
    /// By --step-factor every --step-epochs epochs
    Step,
}

/// Fit the evaluation network to files of games.
///
/// The network is written after every epoch, with a checkpoint to go on from,
/// the losses as a table and as a picture.
///
/// Example: fission train games --out net --epochs 10
#[derive(Debug, Args)]
pub struct Train {
    /// Files of games, or folders of them
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Folder for the network, checkpoint, losses and their picture
    #[arg(long, short)]
    out: PathBuf,
    /// Go on from the checkpoint in the folder; without this option a folder that
    /// has a training is refused
    #[arg(long)]
    resume: bool,
    /// Start from the weights of this network; it may be narrower, have fewer
    /// buckets and lack the hidden layer
    #[arg(long, value_name = "NETWORK")]
    warm: Option<PathBuf>,

    /// Neurons of the first layer, for each side: a multiple of 32 up to 1024
    #[arg(long, default_value_t = 256)]
    width: usize,
    /// Layout of the king buckets: 1, 4, 8 or 16
    #[arg(long, default_value = "4")]
    king_buckets: String,
    /// Sets of output weights, by the number of men: 1 to 32
    #[arg(long, default_value_t = 8)]
    output_buckets: usize,

    /// Without the hidden layer between the first layer and the output
    #[arg(long)]
    plain: bool,

    /// Times that every position is seen
    #[arg(long, default_value_t = 10, value_parser = at_least_one)]
    epochs: usize,
    /// Positions a step
    #[arg(long, default_value_t = 16_384, value_parser = at_least_one)]
    batch: usize,
    /// The learning rate at the start
    #[arg(long, default_value_t = 0.001, value_parser = above_zero)]
    rate: f32,
    /// How the learning rate falls
    #[arg(long, value_enum, default_value_t = Falling::Cosine)]
    schedule: Falling,
    /// The learning rate at the end of a cosine
    #[arg(long, default_value_t = 0.000_01, value_parser = above_zero)]
    last_rate: f32,
    /// What a step multiplies the learning rate by
    #[arg(long, default_value_t = 0.3, value_parser = above_zero)]
    step_factor: f32,
    /// Epochs from step to step
    #[arg(long, default_value_t = 8, value_parser = at_least_one)]
    step_epochs: usize,
    /// Weight decay at a learning rate of 1
    #[arg(long, default_value_t = 1.0)]
    decay: f32,
    /// Share of a position's score in what is learned; the rest is what comes
    /// later in its game
    #[arg(long, default_value_t = Target::default().lambda, value_parser = super::share)]
    lambda: f32,
    /// How far ahead later scores of the game count, in plies; the result counts
    /// at the end, and alone if this is `inf`
    #[arg(long, default_value_t = Target::default().horizon, value_parser = horizon)]
    horizon: f32,
    /// Centipawns in the games' scores for 1.0 in the logistic function
    #[arg(long, default_value_t = SCORE_SCALE, value_parser = above_zero)]
    score_scale: f32,

    /// Leave out positions with a larger score, in centipawns
    #[arg(long, default_value_t = Filter::default().max_score)]
    max_score: i16,
    /// Leave out this many plies at the start of each game
    #[arg(long, default_value_t = Filter::default().skip_plies)]
    skip_plies: usize,
    /// Leave out positions with more plies since the last capture or pawn move
    #[arg(long, default_value_t = Filter::default().max_clock)]
    max_clock: u32,
    /// Keep positions in check and those whose best move takes or promotes
    #[arg(long)]
    keep_noisy: bool,
    /// Games in a thousand kept apart for validation
    #[arg(long, default_value_t = Filter::default().validation_permille)]
    validation_permille: u32,

    /// Seed of new weights and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; 0 means one a processor
    #[arg(long, default_value_t = 0)]
    threads: usize,
}

/// A number of things of which there must be one.
fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "expected a whole number from 1".to_owned())
}

/// A number of plies above zero, or `inf`.
fn horizon(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|&number: &f32| number > 0.0);
    number.ok_or_else(|| "expected a number of plies above 0, or inf".to_owned())
}

/// A finite number above zero.
fn above_zero(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "expected a number above 0".to_owned())
}

impl Train {
    /// Runs the command.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, the folder has a training that is not
    /// to go on, or nothing is left to learn from.
    pub fn run(&self) -> Result<ExitCode> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .context("cannot start threads")?;
        pool.install(|| train(self, pool.current_num_threads()))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn train(arguments: &Train, threads: usize) -> Result<()> {
    let Some(layout) = king_bucket_layout(&arguments.king_buckets) else {
        let known: Vec<&str> = KING_BUCKET_LAYOUTS.iter().map(|(name, _)| *name).collect();
        bail!(
            "unknown king bucket layout {:?}: expected one of {}",
            arguments.king_buckets,
            known.join(", ")
        );
    };
    let shape = Architecture::new(arguments.width, arguments.output_buckets, layout)?
        .with_hidden_layer(!arguments.plain);
    let mut facts = format!(
        "width {}, king buckets {}, output buckets {}, {}lambda {}, horizon {}, score scale {}, rate {}, batch {}",
        arguments.width,
        arguments.king_buckets,
        arguments.output_buckets,
        if arguments.plain {
            ""
        } else {
            "hidden layer, "
        },
        arguments.lambda,
        arguments.horizon,
        arguments.score_scale,
        arguments.rate,
        arguments.batch
    );
    let model = match &arguments.warm {
        Some(path) => {
            let network = Network::load(path)?;
            let old = network.architecture();
            if old.hidden() > shape.hidden() {
                bail!(
                    "{}: this network has a hidden layer, which --plain would take away; train without --plain",
                    path.display()
                );
            }
            if old.width() > shape.width() {
                bail!(
                    "{}: the first layer of this network is {} wide; ask for --width {} at least",
                    path.display(),
                    old.width(),
                    old.width()
                );
            }
            facts = format!(
                "{}\nwarm start from {:08x}: {facts}",
                network.facts().trim_end(),
                network.hash()
            );
            Model::warm(shape, &network, arguments.seed)
        }
        None => Model::random(shape, arguments.seed),
    };

    let filter = Filter {
        max_score: arguments.max_score,
        skip_plies: arguments.skip_plies,
        max_clock: arguments.max_clock,
        keep_noisy: arguments.keep_noisy,
        validation_permille: arguments.validation_permille,
    };
    let target = Target {
        lambda: arguments.lambda,
        horizon: arguments.horizon,
        score_scale: arguments.score_scale,
    };
    let files = game_files(&arguments.inputs)?;

    let plan = Plan {
        epochs: arguments.epochs,
        batch: arguments.batch,
        schedule: match arguments.schedule {
            Falling::Cosine => Schedule::Cosine {
                first: arguments.rate,
                last: arguments.last_rate,
            },
            Falling::Step => Schedule::Step {
                first: arguments.rate,
                factor: arguments.step_factor,
                every: arguments.step_epochs,
            },
        },
        decay: arguments.decay,
        seed: arguments.seed,
        threads,
        folder: arguments.out.clone(),
        facts,
    };
    let mut trainer = if arguments.resume {
        let trainer = Trainer::resume(plan, model)?;
        match trainer.finished_epochs() {
            0 => println!("no checkpoint in {}: beginning", arguments.out.display()),
            epoch => println!("going on after epoch {epoch}"),
        }
        trainer
    } else {
        Trainer::new(plan, model)?
    };

    let mut dataset = Dataset::load(&files, &filter, &target, |error| eprintln!("{error}"))?;
    println!("{}", dataset.counts);
    println!(
        "{:>12} left to learn from, {} kept apart for validation",
        dataset.training.len(),
        dataset.validation.len()
    );
    trainer.run(&mut dataset, |progress| match progress {
        Progress::Batch {
            epoch,
            positions: (seen, all),
            loss,
            speed,
        } => eprintln!("epoch {epoch}: {seen} of {all} positions, {speed:.0} a second, loss {loss:.6}"),
        Progress::Epoch {
            epoch,
            speed,
            network,
        } => println!(
            "epoch {} of {}: training loss {:.6}, validation loss {}, rate {:.6}, {speed:.0} positions a second, {}",
            epoch.number,
            arguments.epochs,
            epoch.training_loss,
            epoch
                .validation_loss
                .map_or_else(|| "unknown".to_owned(), |loss| format!("{loss:.6}")),
            epoch.rate,
            network.display()
        ),
    })?;
    Ok(())
}
