//! A training that can go on after a stop.
//!
//! Little-endian: the eight bytes `FISSCKPT`, `u32` version, `u16` width, `u8`
//! output buckets, `u8` flags as in network files, 32 bytes of
//! king buckets, `u32` finished epochs,
//! `u64` steps; weights, means and squares of the optimiser; CRC-32 of all
//! before. A checkpoint takes its name only when it is whole.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{
    adam::AdamW,
    model::{Model, Weights},
};
use crate::evaluation::nnue::{Architecture, ArchitectureError};

const MAGIC: [u8; 8] = *b"FISSCKPT";
const VERSION: u32 = 1;

/// Why a checkpoint cannot be written or read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no checkpoint, or not a whole one.
    #[error("{0}: not a sound checkpoint of a training; another folder begins a new one")]
    Damaged(PathBuf),
    /// The architecture cannot be.
    #[error("{path}: {source}")]
    Architecture {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ArchitectureError,
    },
    /// The training asked for has another shape.
    #[error("{0}: made for another architecture than the one asked for")]
    OtherShape(PathBuf),
}

/// Writes model, optimiser and the number of finished epochs.
pub(super) fn save(
    path: &Path,
    model: &Model,
    optimiser: &AdamW,
    epochs: usize,
) -> Result<(), CheckpointError> {
    let shape = model.architecture();
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((shape.width() as u16).to_le_bytes());
    bytes.extend([shape.output_buckets() as u8, shape.flags()]);
    bytes.extend(shape.king_buckets());
    bytes.extend((epochs as u32).to_le_bytes());
    bytes.extend(optimiser.steps.to_le_bytes());
    for weights in [&model.weights, &optimiser.means, &optimiser.squares] {
        for field in weights.fields() {
            bytes.extend(field.iter().flat_map(|number| number.to_le_bytes()));
        }
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    let part = path.with_extension("part");
    fs::write(&part, bytes)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|source| CheckpointError::Io {
            path: path.to_owned(),
            source,
        })
}

/// Reads a checkpoint for a training of `shape`: model, optimiser, finished
/// epochs.
pub(super) fn load(
    path: &Path,
    shape: &Architecture,
    decay: f32,
) -> Result<(Model, AdamW, usize), CheckpointError> {
    let bytes = fs::read(path).map_err(|source| CheckpointError::Io {
        path: path.to_owned(),
        source,
    })?;
    let damaged = || CheckpointError::Damaged(path.to_owned());
    let (body, sum) = bytes.split_last_chunk().ok_or_else(damaged)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(damaged());
    }
    let mut rest = body.strip_prefix(&MAGIC).ok_or_else(damaged)?;
    let version = u32::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
    let width = u16::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
    let [output_buckets, flags] = take(&mut rest).ok_or_else(damaged)?;
    let king_buckets = take(&mut rest).ok_or_else(damaged)?;
    let epochs = u32::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
    let steps = u64::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
    if version != VERSION {
        return Err(damaged());
    }
    let found = Architecture::from_flags(width.into(), output_buckets.into(), king_buckets, flags)
        .map_err(|source| CheckpointError::Architecture {
            path: path.to_owned(),
            source,
        })?;
    if found != *shape {
        return Err(CheckpointError::OtherShape(path.to_owned()));
    }
    let mut read = || -> Result<Weights, CheckpointError> {
        let mut weights = Weights::zeros(shape);
        for number in weights.fields_mut().into_iter().flatten() {
            *number = f32::from_le_bytes(take(&mut rest).ok_or_else(damaged)?);
        }
        Ok(weights)
    };
    let model = Model::from_weights(*shape, read()?);
    let mut optimiser = AdamW::new(&model, decay);
    optimiser.means = read()?;
    optimiser.squares = read()?;
    optimiser.steps = steps;
    Ok((model, optimiser, epochs as usize))
}

/// Splits the first bytes off.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}
