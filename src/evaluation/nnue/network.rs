//! A network's weights, and the numbers they give.

use std::sync::{Arc, OnceLock};

use super::{
    Architecture, QA, QB, SCALE,
    file::NetworkError,
    hidden::HiddenLayers,
    simd::{Level, Lines},
};

/// The file chosen when the program was built; empty when there was none.
static EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/embedded.nnue"));

/// A network, read-only and shared by all threads.
#[derive(Clone, Debug)]
pub struct Network {
    architecture: Architecture,
    facts: String,
    hash: u32,
    feature_weights: Lines,
    feature_biases: Lines,
    output_weights: Lines,
    output_biases: Vec<i32>,
    hidden: Option<HiddenLayers>,
}

/// The whole numbers of a network. Rows of the first layer are `width` long.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// A row an input, in units of 1 / [`QA`].
    pub feature_weights: Vec<i16>,
    /// What the first layer starts from, in the same units.
    pub feature_biases: Vec<i16>,
    /// For each output bucket a row for the side to move and a row for the
    /// other, in units of 1 / [`QB`].
    pub output_weights: Vec<i8>,
    /// One an output bucket, in units of 1 / ([`QA`] [`QB`]).
    pub output_biases: Vec<i32>,
    /// For each output bucket and each of its hidden neurons a row for the side
    /// to move and a row for the other, in units of 1 / [`QH`](super::QH) and
    /// within ±[`MAX_HIDDEN_WEIGHT`](super::MAX_HIDDEN_WEIGHT). This and the
    /// rest is empty without a hidden layer.
    pub hidden_weights: Vec<i8>,
    /// One a hidden neuron, in units of 1 / ([`QS`](super::QS)
    /// [`QH`](super::QH)).
    pub hidden_biases: Vec<i32>,
    /// One a hidden neuron, in units of 1 / [`QO`](super::QO).
    pub hidden_outputs: Vec<i16>,
}

impl Network {
    /// A network of these numbers. `facts` tells how it was trained.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Length`] if there are more or fewer numbers than the
    /// architecture has weights.
    pub fn new(
        architecture: Architecture,
        parameters: &Parameters,
        facts: &str,
    ) -> Result<Network, NetworkError> {
        let bytes = super::file::encode(&architecture, parameters, facts);
        Network::from_bytes(&bytes)
    }

    pub(super) fn assemble(
        architecture: Architecture,
        parameters: &Parameters,
        facts: String,
        hash: u32,
    ) -> Network {
        let output_weights: Vec<i16> = parameters
            .output_weights
            .iter()
            .map(|&weight| i16::from(weight))
            .collect();
        Network {
            architecture,
            facts,
            hash,
            feature_weights: Lines::from(&parameters.feature_weights[..]),
            feature_biases: Lines::from(&parameters.feature_biases[..]),
            output_weights: Lines::from(&output_weights[..]),
            output_biases: parameters.output_biases.clone(),
            hidden: HiddenLayers::new(&architecture, parameters),
        }
    }

    /// The network built into the program, or `None` if it was built without.
    #[must_use]
    pub fn embedded() -> Option<Arc<Network>> {
        static NETWORK: OnceLock<Option<Arc<Network>>> = OnceLock::new();
        NETWORK
            .get_or_init(|| Network::from_bytes(EMBEDDED).ok().map(Arc::new))
            .clone()
    }

    /// The shape.
    #[inline]
    #[must_use]
    pub const fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// How the network was trained, in words.
    #[must_use]
    pub fn facts(&self) -> &str {
        &self.facts
    }

    /// The checksum of the file, which names the network.
    #[must_use]
    pub const fn hash(&self) -> u32 {
        self.hash
    }

    /// The numbers, for files and warm starts.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let hidden = self.hidden.as_ref();
        let (hidden_weights, hidden_biases, hidden_outputs) = hidden
            .map(|hidden| hidden.numbers(&self.architecture))
            .unwrap_or_default();
        Parameters {
            feature_weights: self.feature_weights.to_vec(),
            feature_biases: self.feature_biases.to_vec(),
            output_weights: self
                .output_weights
                .iter()
                .map(|&weight| weight as i8)
                .collect(),
            output_biases: self.output_biases.clone(),
            hidden_weights,
            hidden_biases,
            hidden_outputs,
        }
    }

    #[inline]
    pub(super) fn feature_weights(&self) -> &[i16] {
        &self.feature_weights
    }

    #[inline]
    pub(super) fn feature_biases(&self) -> &[i16] {
        &self.feature_biases
    }

    /// Centipawns from the two halves of the first layer, the side to move's
    /// first.
    #[inline]
    pub(super) fn output(&self, level: Level, us: &[i16], them: &[i16], men: usize) -> i32 {
        let bucket = self.architecture.output_bucket(men);
        let width = self.architecture.width();
        let weights = &self.output_weights[2 * width * bucket..][..2 * width];
        let (own, other) = weights.split_at(width);
        let sum = level.activate(us, own) + level.activate(them, other);
        let mut units = sum / i64::from(QA) + i64::from(self.output_biases[bucket]);
        if let Some(hidden) = &self.hidden {
            units += hidden.output(level, us, them, bucket);
        }
        (units * i64::from(SCALE) / i64::from(QA * QB)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_is_sound() {
        assert_eq!(Network::embedded().is_some(), !EMBEDDED.is_empty());
    }
}
