//! The network in floating point, and its way from and to whole numbers.

use crate::evaluation::nnue::{
    Architecture, HIDDEN, MAX_HIDDEN_WEIGHT, Network, NetworkError, PLACES, Parameters, QA, QB, QH,
    QO, QS,
};

/// The largest output weight that eight bits hold.
pub(super) const MAX_OUTPUT_WEIGHT: f32 = 127.0 / QB as f32;
/// The largest weight to the hidden layer.
pub(super) const MAX_WEIGHT_TO_HIDDEN: f32 = MAX_HIDDEN_WEIGHT as f32 / QH as f32;
/// The largest weight from the hidden layer, far from where products would
/// overflow.
pub(super) const MAX_WEIGHT_FROM_HIDDEN: f32 = 16.0;
/// The largest weight of the first layer, far from where sums would wrap.
pub(super) const MAX_FEATURE_WEIGHT: f32 = 1.98;

/// The king bucket layouts that can be asked for: bucket by own king square on
/// the files a to d, rank by rank as its owner sees them.
pub const KING_BUCKET_LAYOUTS: [(&str, [u8; 32]); 4] = [
    ("1", [0; 32]),
    (
        "4",
        [
            0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3,
            3, 3, 3,
        ],
    ),
    (
        "8",
        [
            0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
            7, 7, 7,
        ],
    ),
    (
        "16",
        [
            0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 12, 12, 13, 13, 14,
            14, 15, 15, 14, 14, 15, 15,
        ],
    ),
];

/// The layout of that name.
#[must_use]
pub fn king_bucket_layout(name: &str) -> Option<[u8; 32]> {
    KING_BUCKET_LAYOUTS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, layout)| *layout)
}

/// Where the row of an input is in a model: the king buckets of one man on one
/// square lie next to each other, so that they can share a row.
pub(super) const fn row(input: usize, shape: &Architecture) -> usize {
    input % PLACES * shape.king_bucket_count() + input / PLACES
}

/// One number for every weight: the weights, or what the optimiser keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// A row an input, see [`row`].
    pub(super) rows: Vec<f32>,
    /// A row for each man on each square that all king buckets share; empty
    /// when there is one bucket only.
    pub(super) shared: Vec<f32>,
    pub(super) biases: Vec<f32>,
    /// For each output bucket the weights of the own and of the other half.
    pub(super) outputs: Vec<f32>,
    pub(super) output_biases: Vec<f32>,
    /// For each output bucket and each of its hidden neurons the weights of
    /// the own and of the other half; empty without a hidden layer.
    pub(super) hidden: Vec<f32>,
    pub(super) hidden_biases: Vec<f32>,
    /// From the hidden layer to the output.
    pub(super) hidden_outputs: Vec<f32>,
}

impl Weights {
    /// Zeros in the shape of a network.
    #[must_use]
    pub fn zeros(shape: &Architecture) -> Weights {
        let width = shape.width();
        let shared = if shape.king_bucket_count() > 1 {
            PLACES * width
        } else {
            0
        };
        Weights {
            rows: vec![0.0; shape.inputs() * width],
            shared: vec![0.0; shared],
            biases: vec![0.0; width],
            outputs: vec![0.0; shape.output_buckets() * 2 * width],
            output_biases: vec![0.0; shape.output_buckets()],
            hidden: vec![0.0; shape.output_buckets() * 2 * width * shape.hidden()],
            hidden_biases: vec![0.0; shape.output_buckets() * shape.hidden()],
            hidden_outputs: vec![0.0; shape.output_buckets() * shape.hidden()],
        }
    }

    /// All fields, for files.
    pub(super) fn fields(&self) -> [&Vec<f32>; 8] {
        [
            &self.rows,
            &self.shared,
            &self.biases,
            &self.outputs,
            &self.output_biases,
            &self.hidden,
            &self.hidden_biases,
            &self.hidden_outputs,
        ]
    }

    /// All fields, for files.
    pub(super) fn fields_mut(&mut self) -> [&mut Vec<f32>; 8] {
        [
            &mut self.rows,
            &mut self.shared,
            &mut self.biases,
            &mut self.outputs,
            &mut self.output_biases,
            &mut self.hidden,
            &mut self.hidden_biases,
            &mut self.hidden_outputs,
        ]
    }
}

/// The network in floating point.
#[derive(Clone, Debug)]
pub struct Model {
    shape: Architecture,
    pub(super) weights: Weights,
    /// Rows with the shared row added, which the passes use.
    pub(super) merged: Vec<f32>,
}

impl Model {
    /// Small random weights.
    #[must_use]
    pub fn random(shape: Architecture, seed: u64) -> Model {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut weights = Weights::zeros(&shape);
        let mut fill = |numbers: &mut [f32], size: f32| {
            numbers.fill_with(|| (2.0 * rng.f32() - 1.0) * size);
        };
        // Some thirty men are there at a time.
        if weights.shared.is_empty() {
            fill(&mut weights.rows, 0.1);
        } else {
            fill(&mut weights.shared, 0.1);
        }
        weights.biases.fill(0.1);
        fill(&mut weights.outputs, 1.0 / (shape.width() as f32).sqrt());
        fill(&mut weights.hidden, 1.0 / (shape.width() as f32).sqrt());
        fill(&mut weights.hidden_outputs, 1.0 / (HIDDEN as f32).sqrt());
        Model::from_weights(shape, weights)
    }

    pub(super) fn from_weights(shape: Architecture, weights: Weights) -> Model {
        let mut model = Model {
            merged: weights.rows.clone(),
            shape,
            weights,
        };
        model.merge();
        model
    }

    /// Starts from a network whose first layer may be narrower, whose buckets
    /// may be fewer and which may lack the hidden layer: the new model gives
    /// the same values, and what is new is free to learn.
    #[must_use]
    pub fn warm(shape: Architecture, network: &Network, seed: u64) -> Model {
        let old = network.architecture();
        let from = network.parameters();
        let mut model = Model::random(shape, seed);
        let (width, old_width) = (shape.width(), old.width());
        let kept = width.min(old_width);
        let buckets = shape.king_bucket_count();
        let weights = &mut model.weights;
        let feature = |number: i16| f32::from(number) / QA as f32;

        // New neurons keep their random inputs, the same for all buckets.
        for own in 0..PLACES {
            for bucket in 0..buckets {
                let square = shape
                    .king_buckets()
                    .iter()
                    .position(|&other| usize::from(other) == bucket)
                    .unwrap_or(0);
                let old_bucket = usize::from(old.king_buckets()[square]);
                let source = &from.feature_weights[(old_bucket * PLACES + own) * old_width..];
                let row = &mut weights.rows[(own * buckets + bucket) * width..][..kept];
                for (weight, &number) in row.iter_mut().zip(source) {
                    *weight = feature(number);
                }
            }
            if let Some(shared) = weights.shared.get_mut(own * width..(own + 1) * width) {
                for (i, shared) in shared[..kept].iter_mut().enumerate() {
                    let rows = &mut weights.rows[own * buckets * width..];
                    let sum: f32 = (0..buckets).map(|bucket| rows[bucket * width + i]).sum();
                    *shared = sum / buckets as f32;
                    for bucket in 0..buckets {
                        rows[bucket * width + i] -= *shared;
                    }
                }
            }
        }
        for (bias, &number) in weights.biases.iter_mut().zip(&from.feature_biases) {
            *bias = feature(number);
        }
        weights.outputs.fill(0.0);
        // Pairs of neurons that say opposite things: a new hidden layer says
        // nothing at first, and yet no two neurons learn the same.
        for neurons in weights.hidden.chunks_exact_mut(2 * 2 * width) {
            let (one, other) = neurons.split_at_mut(2 * width);
            other.copy_from_slice(one);
        }
        for [one, other] in weights.hidden_outputs.as_chunks_mut().0 {
            *other = -*one;
        }
        let outputs = shape.output_buckets();
        for bucket in 0..outputs {
            let old_bucket = bucket * old.output_buckets() / outputs;
            for half in 0..2 {
                let target = &mut weights.outputs[(2 * bucket + half) * width..][..kept];
                let source = &from.output_weights[(2 * old_bucket + half) * old_width..];
                for (weight, &number) in target.iter_mut().zip(source) {
                    *weight = f32::from(number) / QB as f32;
                }
            }
            weights.output_biases[bucket] =
                from.output_biases[old_bucket] as f32 / (QA * QB) as f32;
            if old.hidden() == 0 {
                continue;
            }
            for neuron in 0..shape.hidden() {
                let new = bucket * shape.hidden() + neuron;
                let neuron = old_bucket * old.hidden() + neuron;
                for half in 0..2 {
                    let target = &mut weights.hidden[(2 * new + half) * width..][..width];
                    let source = &from.hidden_weights[(2 * neuron + half) * old_width..];
                    target.fill(0.0);
                    for (weight, &number) in target[..kept].iter_mut().zip(source) {
                        *weight = f32::from(number) / QH as f32;
                    }
                }
                weights.hidden_biases[new] = from.hidden_biases[neuron] as f32 / (QS * QH) as f32;
                weights.hidden_outputs[new] = f32::from(from.hidden_outputs[neuron]) / QO as f32;
            }
        }
        model.merge();
        model
    }

    /// The shape.
    #[must_use]
    pub const fn architecture(&self) -> &Architecture {
        &self.shape
    }

    fn merge(&mut self) {
        let width = self.shape.width();
        let buckets = self.shape.king_bucket_count();
        self.merged.copy_from_slice(&self.weights.rows);
        if self.weights.shared.is_empty() {
            return;
        }
        for (row, merged) in self.merged.chunks_exact_mut(width).enumerate() {
            let shared = &self.weights.shared[row / buckets * width..];
            for (weight, shared) in merged.iter_mut().zip(shared) {
                *weight += shared;
            }
        }
    }

    /// The network in whole numbers.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] never in practice: the model has the right size.
    pub fn quantise(&self, facts: &str) -> Result<Network, NetworkError> {
        let width = self.shape.width();
        let round = |weight: f32, unit: i32| (weight * unit as f32).round();
        let feature = |weight: &f32| round(*weight, QA) as i16;
        let parameters = Parameters {
            feature_weights: (0..self.shape.inputs())
                .flat_map(|input| &self.merged[row(input, &self.shape) * width..][..width])
                .map(feature)
                .collect(),
            feature_biases: self.weights.biases.iter().map(feature).collect(),
            output_weights: self
                .weights
                .outputs
                .iter()
                .map(|weight| round(*weight, QB).clamp(-127.0, 127.0) as i8)
                .collect(),
            output_biases: self
                .weights
                .output_biases
                .iter()
                .map(|bias| round(*bias, QA * QB) as i32)
                .collect(),
            hidden_weights: (self.weights.hidden.iter())
                .map(|weight| round(*weight, QH) as i8)
                .collect(),
            hidden_biases: (self.weights.hidden_biases.iter())
                .map(|bias| round(*bias, QS * QH) as i32)
                .collect(),
            hidden_outputs: (self.weights.hidden_outputs.iter())
                .map(|weight| round(*weight, QO) as i16)
                .collect(),
        };
        Network::new(self.shape, &parameters, facts)
    }
}
