//! A training: epochs of batches, each judged on games kept apart.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rayon::prelude::*;
use thiserror::Error;

use super::{
    adam::{AdamW, Schedule},
    checkpoint::{self, CheckpointError},
    dataset::Dataset,
    gradient::{self, Gradients},
    model::Model,
    plot,
    sample::Sample,
};
use crate::evaluation::nnue::NetworkError;

/// How often progress is told.
const TICK: Duration = Duration::from_secs(2);

/// What a training writes into its folder.
const NETWORK: &str = "latest.nnue";
const CHECKPOINT: &str = "checkpoint.bin";
const LOSSES: &str = "losses.tsv";
const PICTURE: &str = "losses.svg";

/// What a training does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Times that every position is seen.
    pub epochs: usize,
    /// Positions a step.
    pub batch: usize,
    /// The learning rate.
    pub schedule: Schedule,
    /// The weight decay at a learning rate of 1.
    pub decay: f32,
    /// Seed of the order of positions.
    pub seed: u64,
    /// Threads that gather gradients.
    pub threads: usize,
    /// Where checkpoint, networks, losses and picture go.
    pub folder: PathBuf,
    /// The first line of the facts in network files.
    pub facts: String,
}

/// Why a training stopped.
#[derive(Debug, Error)]
pub enum TrainError {
    /// There is nothing to learn from.
    #[error("no position is left to learn from")]
    NoPositions,
    /// The folder has a training, which a new one would overwrite.
    #[error(
        "{0}: has a training already: --resume goes on with it, another folder begins a new one"
    )]
    Occupied(PathBuf),
    /// The folder has files of a training, but none to go on from.
    #[error(
        "{0}: has files of a training but no checkpoint to go on from: another folder begins a new one"
    )]
    NoCheckpoint(PathBuf),
    /// A file cannot be written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The network cannot be written.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// A finished epoch.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Epoch {
    /// Counted from 1.
    pub number: usize,
    /// Mean squared error of the expected points while learning.
    pub training_loss: f64,
    /// The same on games kept apart, if there are any.
    pub validation_loss: Option<f64>,
    /// The learning rate at its end.
    pub rate: f32,
}

/// News of a training.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Within an epoch.
    Batch {
        /// The epoch, counted from 1.
        epoch: usize,
        /// Positions seen of it, and how many it has.
        positions: (usize, usize),
        /// Mean squared error since the last news.
        loss: f64,
        /// Positions a second since the last news.
        speed: f64,
    },
    /// An epoch is over, and its network written.
    Epoch {
        /// Its losses.
        epoch: Epoch,
        /// Positions a second, validation and files included.
        speed: f64,
        /// The file of the network.
        network: PathBuf,
    },
}

/// Model, optimiser and how far they are.
#[derive(Debug)]
pub struct Trainer {
    plan: Plan,
    model: Model,
    optimiser: AdamW,
    done: usize,
    epochs: Vec<Epoch>,
}

impl Trainer {
    /// A training from the start. The plan's folder is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`TrainError`] if the folder cannot be written or has a training.
    pub fn new(plan: Plan, model: Model) -> Result<Trainer, TrainError> {
        make_writable(&plan.folder)?;
        if is_occupied(&plan.folder) {
            return Err(TrainError::Occupied(plan.folder));
        }
        Ok(Trainer {
            optimiser: AdamW::new(&model, plan.decay),
            plan,
            model,
            done: 0,
            epochs: Vec::new(),
        })
    }

    /// Goes on from the checkpoint in the plan's folder, or begins if the folder
    /// has nothing of a training.
    ///
    /// # Errors
    ///
    /// [`TrainError`] if the folder cannot be written, or if the checkpoint is
    /// damaged, of another architecture, or missing among other files of a
    /// training.
    pub fn resume(plan: Plan, model: Model) -> Result<Trainer, TrainError> {
        let path = plan.folder.join(CHECKPOINT);
        if !path.exists() {
            return Trainer::new(plan, model).map_err(|error| match error {
                TrainError::Occupied(folder) => TrainError::NoCheckpoint(folder),
                error => error,
            });
        }
        make_writable(&plan.folder)?;
        let (model, optimiser, done) = checkpoint::load(&path, model.architecture(), plan.decay)?;
        let losses = plan.folder.join(LOSSES);
        let mut epochs =
            fs::read_to_string(&losses).map_or_else(|_| Vec::new(), |t| read_losses(&t));
        epochs.retain(|epoch| epoch.number <= done);
        Ok(Trainer {
            plan,
            model,
            optimiser,
            done,
            epochs,
        })
    }

    /// Epochs that are over.
    #[must_use]
    pub const fn finished_epochs(&self) -> usize {
        self.done
    }

    /// The model as it is.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Trains to the end of the plan. After each epoch, checkpoint, network,
    /// losses and picture are written. Positions are put in another order.
    ///
    /// # Errors
    ///
    /// [`TrainError`] if there are no positions or a file cannot be written.
    pub fn run(
        &mut self,
        dataset: &mut Dataset,
        mut tell: impl FnMut(Progress),
    ) -> Result<(), TrainError> {
        if dataset.training.is_empty() {
            return Err(TrainError::NoPositions);
        }
        let mut gradients = vec![Gradients::new(&self.model); self.plan.threads.max(1)];
        while self.done < self.plan.epochs {
            let started = Instant::now();
            let number = self.done + 1;
            let seed = self.plan.seed.wrapping_add(number as u64);
            fastrand::Rng::with_seed(seed).shuffle(&mut dataset.training);
            let training_loss = self.epoch(&dataset.training, &mut gradients, &mut tell);
            let epoch = Epoch {
                number,
                training_loss,
                validation_loss: self.validate(&dataset.validation),
                rate: self.plan.schedule.rate(number as f32, self.plan.epochs),
            };
            self.done = number;
            self.epochs.push(epoch);
            let network = self.write(dataset)?;
            tell(Progress::Epoch {
                epoch,
                speed: dataset.training.len() as f64 / started.elapsed().as_secs_f64(),
                network,
            });
        }
        Ok(())
    }

    /// Sees every position once; gives the mean loss.
    fn epoch(
        &mut self,
        samples: &[Sample],
        gradients: &mut [Gradients],
        tell: &mut impl FnMut(Progress),
    ) -> f64 {
        let mut total = 0.0;
        let mut news = (Instant::now(), 0, 0.0);
        let mut seen = 0;
        for batch in samples.chunks(self.plan.batch.max(1)) {
            let done = self.done as f32 + seen as f32 / samples.len() as f32;
            let rate = self.plan.schedule.rate(done, self.plan.epochs);
            let loss = self.step(batch, gradients, rate);
            total += loss;
            seen += batch.len();
            let elapsed = news.0.elapsed();
            if elapsed >= TICK {
                let positions = (seen - news.1) as f64;
                tell(Progress::Batch {
                    epoch: self.done + 1,
                    positions: (seen, samples.len()),
                    loss: (total - news.2) / positions,
                    speed: positions / elapsed.as_secs_f64(),
                });
                news = (Instant::now(), seen, total);
            }
        }
        total / seen as f64
    }

    /// One step; gives the sum of the losses.
    fn step(&mut self, batch: &[Sample], gradients: &mut [Gradients], rate: f32) -> f64 {
        let part = batch.len().div_ceil(gradients.len());
        let model = &self.model;
        let loss = gradients
            .par_iter_mut()
            .enumerate()
            .map(|(i, gradients)| {
                gradients.clear();
                let start = (i * part).min(batch.len());
                let end = (start + part).min(batch.len());
                gradients.add(model, &batch[start..end])
            })
            .sum();
        self.optimiser
            .step(&mut self.model, gradients, batch.len(), rate);
        loss
    }

    fn validate(&self, samples: &[Sample]) -> Option<f64> {
        let sum: f64 = samples
            .par_chunks(4096)
            .map(|chunk| gradient::loss(&self.model, chunk))
            .sum();
        (!samples.is_empty()).then(|| sum / samples.len() as f64)
    }

    /// Writes network, checkpoint, losses and picture.
    fn write(&self, dataset: &Dataset) -> Result<PathBuf, TrainError> {
        let folder = &self.plan.folder;
        let mut facts = format!(
            "{}\nlearned from {} distinct positions ({} kept apart for validation) of {} games\n",
            self.plan.facts,
            dataset.training.len(),
            dataset.validation.len(),
            dataset.counts.games
        );
        if let Some(epoch) = self.epochs.last() {
            facts.push_str(&format!(
                "epoch {} of {}, training loss {:.6}, validation loss {:.6}\n",
                epoch.number,
                self.plan.epochs,
                epoch.training_loss,
                epoch.validation_loss.unwrap_or(f64::NAN)
            ));
        }
        let network = folder.join(NETWORK);
        self.model.quantise(&facts)?.save(&network)?;
        checkpoint::save(
            &folder.join(CHECKPOINT),
            &self.model,
            &self.optimiser,
            self.done,
        )?;
        let mut table = String::from("epoch\ttraining\tvalidation\trate\n");
        for epoch in &self.epochs {
            table.push_str(&format!(
                "{}\t{:.7}\t{:.7}\t{:.7}\n",
                epoch.number,
                epoch.training_loss,
                epoch.validation_loss.unwrap_or(f64::NAN),
                epoch.rate
            ));
        }
        write_text(&folder.join(LOSSES), &table)?;
        write_text(&folder.join(PICTURE), &plot::svg(&self.epochs))?;
        Ok(network)
    }
}

/// Makes the folder and writes into it, for a training may last hours before it
/// has something to write.
fn make_writable(folder: &Path) -> Result<(), TrainError> {
    let attempt = folder.join("attempt.part");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&attempt, ""))
        .and_then(|()| fs::remove_file(&attempt))
        .map_err(|source| TrainError::Io {
            path: folder.to_owned(),
            source: io::Error::new(
                source.kind(),
                format!("not a folder that can be written: {source}"),
            ),
        })
}

/// Whether there is anything that a training would overwrite.
fn is_occupied(folder: &Path) -> bool {
    [NETWORK, CHECKPOINT, LOSSES, PICTURE]
        .iter()
        .any(|name| folder.join(name).exists())
}

fn write_text(path: &Path, text: &str) -> Result<(), TrainError> {
    fs::write(path, text).map_err(|source| TrainError::Io {
        path: path.to_owned(),
        source,
    })
}

/// Reads the table of losses back; lines that are none are passed over.
fn read_losses(table: &str) -> Vec<Epoch> {
    table
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            let number = fields.next()?.parse().ok()?;
            let training_loss = fields.next()?.parse().ok()?;
            let validation: f64 = fields.next()?.parse().ok()?;
            Some(Epoch {
                number,
                training_loss,
                validation_loss: validation.is_finite().then_some(validation),
                rate: fields.next()?.parse().ok()?,
            })
        })
        .collect()
}
