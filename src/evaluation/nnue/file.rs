//! Network files.
//!
//! Little-endian: the eight bytes `FISSNNUE`, `u32` version, `u16` width, `u8`
//! output buckets, `u8` flags (2 with a hidden layer), 32 bytes of king
//! buckets, `u32` length of the training facts and the facts in UTF-8; the
//! weights as in [`Parameters`], field by field; the CRC-32 of all before,
//! which is also the network's name.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::{Architecture, ArchitectureError, Network, Parameters, hidden::MAX_HIDDEN_WEIGHT};
use crate::files;

const MAGIC: [u8; 8] = *b"FISSNNUE";
const VERSION: u32 = 1;
/// No network file is longer: the largest architecture has some 53 MiB of
/// weights.
const LONGEST: u64 = 256 << 20;

/// Why a network cannot be had.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file holds no sound network.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: Box<NetworkError>,
    },
    /// It does not start as a network file.
    #[error("not a network of this engine (its first bytes are not FISSNNUE)")]
    Magic,
    /// A later version wrote it.
    #[error("version {0} of the network format, this program reads version {VERSION}")]
    Version(u32),
    /// The architecture cannot be.
    #[error("impossible architecture: {0}")]
    Architecture(#[from] ArchitectureError),
    /// A weight of the hidden layer is too large.
    #[error("a weight of the hidden layer of {0}: it must be within ±{MAX_HIDDEN_WEIGHT}")]
    HiddenWeight(i8),
    /// The training facts are no UTF-8.
    #[error("the training facts are no UTF-8 text")]
    Facts,
    /// The file is longer or shorter than its architecture says.
    #[error("{found} bytes of weights where the architecture has {expected}")]
    Length {
        /// How many the architecture has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The bytes changed since they were written.
    #[error("damaged: the checksum is {found:08x} where {expected:08x} is written")]
    Checksum {
        /// What the file says.
        expected: u32,
        /// What its bytes give.
        found: u32,
    },
}

impl Network {
    /// Reads a network file.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] names the file and what is wrong with it.
    pub fn load(path: &Path) -> Result<Network, NetworkError> {
        let bytes = read(path).map_err(|source| NetworkError::Io {
            path: path.to_owned(),
            source,
        })?;
        Network::from_bytes(&bytes).map_err(|source| NetworkError::File {
            path: path.to_owned(),
            source: Box::new(source),
        })
    }

    /// Reads the bytes of a network file.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        let mut rest = bytes.strip_prefix(&MAGIC).ok_or(NetworkError::Magic)?;
        let short = NetworkError::Length {
            expected: 0,
            found: 0,
        };
        let version = u32::from_le_bytes(take(&mut rest).ok_or(NetworkError::Magic)?);
        if version != VERSION {
            return Err(NetworkError::Version(version));
        }
        let (body, sum) = bytes.split_last_chunk().ok_or(NetworkError::Magic)?;
        let (expected, found) = (u32::from_le_bytes(*sum), crc32fast::hash(body));
        if expected != found {
            return Err(NetworkError::Checksum { expected, found });
        }
        let (Some(width), Some([output_buckets, flags]), Some(king_buckets), Some(length)) = (
            take(&mut rest),
            take(&mut rest),
            take(&mut rest),
            take(&mut rest),
        ) else {
            return Err(short);
        };
        let architecture = Architecture::from_flags(
            usize::from(u16::from_le_bytes(width)),
            usize::from(output_buckets),
            king_buckets,
            flags,
        )?;
        let (facts, rest) = rest
            .split_at_checked(u32::from_le_bytes(length) as usize)
            .ok_or(short)?;
        let facts = String::from_utf8(facts.to_vec()).map_err(|_| NetworkError::Facts)?;

        let mut weights = &rest[..rest.len().saturating_sub(4)];
        let counts = Counts::of(&architecture);
        let expected = counts.bytes();
        if weights.len() != expected {
            return Err(NetworkError::Length {
                expected,
                found: weights.len(),
            });
        }
        let mut split = |count: usize| {
            let (part, rest) = weights.split_at(count);
            weights = rest;
            part
        };
        let parameters = Parameters {
            feature_weights: words(split(2 * counts.features)),
            feature_biases: words(split(2 * counts.width)),
            output_weights: bytes_signed(split(counts.outputs)),
            output_biases: double_words(split(4 * counts.buckets)),
            hidden_weights: bytes_signed(split(counts.hidden * 2 * counts.width)),
            hidden_biases: double_words(split(4 * counts.hidden)),
            hidden_outputs: words(split(2 * counts.hidden)),
        };
        let large = |weight: &&i8| weight.unsigned_abs() > MAX_HIDDEN_WEIGHT;
        if let Some(&weight) = parameters.hidden_weights.iter().find(large) {
            return Err(NetworkError::HiddenWeight(weight));
        }
        Ok(Network::assemble(architecture, &parameters, facts, found))
    }

    /// Writes the network to a file.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Io`] if it cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), NetworkError> {
        let bytes = encode(self.architecture(), &self.parameters(), self.facts());
        fs::write(path, bytes).map_err(|source| NetworkError::Io {
            path: path.to_owned(),
            source,
        })
    }
}

/// The bytes of a file if it starts as networks do, and else only these first
/// ones.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = files::open(path, LONGEST)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut bytes)?;
    if bytes == MAGIC {
        file.take(LONGEST).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The bytes of a network file.
pub(super) fn encode(architecture: &Architecture, parameters: &Parameters, facts: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((architecture.width() as u16).to_le_bytes());
    bytes.extend([architecture.output_buckets() as u8, architecture.flags()]);
    bytes.extend(architecture.king_buckets());
    bytes.extend((facts.len() as u32).to_le_bytes());
    bytes.extend(facts.as_bytes());
    let words = |words: &[i16]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let double_words = |words: &[i32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let signed = |bytes: &[i8]| bytes.iter().map(|&byte| byte as u8).collect();
    let fields: [Vec<u8>; 7] = [
        words(&parameters.feature_weights),
        words(&parameters.feature_biases),
        signed(&parameters.output_weights),
        double_words(&parameters.output_biases),
        signed(&parameters.hidden_weights),
        double_words(&parameters.hidden_biases),
        words(&parameters.hidden_outputs),
    ];
    bytes.extend(fields.into_iter().flatten());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// How many numbers a network has.
struct Counts {
    features: usize,
    width: usize,
    outputs: usize,
    buckets: usize,
    /// Hidden neurons over all buckets.
    hidden: usize,
}

impl Counts {
    fn of(architecture: &Architecture) -> Counts {
        let width = architecture.width();
        let buckets = architecture.output_buckets();
        Counts {
            features: architecture.inputs() * width,
            width,
            outputs: buckets * 2 * width,
            buckets,
            hidden: buckets * architecture.hidden(),
        }
    }

    /// The length of all weights in a file.
    const fn bytes(&self) -> usize {
        2 * self.features
            + 2 * self.width
            + self.outputs
            + 4 * self.buckets
            + self.hidden * (2 * self.width + 4 + 2)
    }
}

fn words(bytes: &[u8]) -> Vec<i16> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| i16::from_le_bytes(*word)).collect()
}

fn double_words(bytes: &[u8]) -> Vec<i32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| i32::from_le_bytes(*word)).collect()
}

fn bytes_signed(bytes: &[u8]) -> Vec<i8> {
    bytes.iter().map(|&byte| byte as i8).collect()
}

/// Splits the first bytes off.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_architecture_fits_into_a_file() {
        let king_buckets = std::array::from_fn(|square| square as u8);
        let largest = Architecture::new(1024, 32, king_buckets).expect("a shape");
        let bytes = Counts::of(&largest.with_hidden_layer(true)).bytes();
        assert!(2 * (bytes as u64) < LONGEST);
    }

    #[test]
    fn a_file_that_is_no_network_is_not_read_to_its_end() {
        let path = std::env::temp_dir().join(format!("fission-network-{}", std::process::id()));
        let refused = |length| {
            let file = fs::File::create(&path).expect("a file");
            file.set_len(length).expect("a length");
            let bytes = read(&path).map(|bytes| bytes.len());
            (bytes, Network::load(&path).expect_err("no network"))
        };
        let (bytes, error) = refused(LONGEST);
        assert_eq!(bytes.expect("a part"), MAGIC.len());
        assert!(error.to_string().ends_with("FISSNNUE)"), "{error}");
        let (bytes, error) = refused(LONGEST + 1);
        assert!(bytes.is_err() && error.to_string().contains("at most"));
        fs::remove_file(&path).expect("to be removed");
    }
}
