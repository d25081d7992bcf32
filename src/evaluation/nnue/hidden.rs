//! The hidden layer, which sees both halves of the first layer together.
//!
//! Who explodes first is a question of both sides' threats at once, which a
//! weighted sum of the two halves cannot answer. What the hidden layer says is
//! added to that sum.

use super::{
    Architecture, Parameters, QA, QB,
    simd::{Group, Level},
};

/// Neurons of the hidden layer.
pub const HIDDEN: usize = 16;
/// What a clipped and squared value of the first layer of 1.0 is here: the
/// square of [`QA`] by 512, to the nearest.
pub const QS: i32 = 127;
/// What 1.0 of a weight to the hidden layer is in whole numbers.
pub const QH: i32 = 64;
/// What 1.0 of a weight from the hidden layer is in whole numbers.
pub const QO: i32 = 256;
/// The largest weight to the hidden layer: four products of a value up to
/// [`QS`] with it still fit sixteen bits together.
pub const MAX_HIDDEN_WEIGHT: u8 = 64;

/// A neuron with a larger bias says the same whatever its inputs are.
const MAX_BIAS: i32 = 1 << 26;

/// The hidden layers of all output buckets.
#[derive(Clone, Debug)]
pub(super) struct HiddenLayers {
    /// For each bucket what four inputs at a time give to all neurons.
    groups: Vec<Group>,
    biases: Vec<[i32; HIDDEN]>,
    outputs: Vec<[i16; HIDDEN]>,
}

impl HiddenLayers {
    /// The layers, if the shape has them; the parameters must be of that shape.
    pub(super) fn new(shape: &Architecture, parameters: &Parameters) -> Option<HiddenLayers> {
        if shape.hidden() == 0 {
            return None;
        }
        let inputs = 2 * shape.width();
        let groups = parameters
            .hidden_weights
            .chunks_exact(HIDDEN * inputs)
            .flat_map(|rows| {
                (0..inputs).step_by(4).map(move |input| {
                    let weights =
                        |neuron| std::array::from_fn(|i| rows[neuron * inputs + input + i]);
                    Group(std::array::from_fn(weights))
                })
            })
            .collect();
        Some(HiddenLayers {
            groups,
            biases: (parameters.hidden_biases.as_chunks().0.iter())
                .map(|biases| biases.map(|bias| bias.clamp(-MAX_BIAS, MAX_BIAS)))
                .collect(),
            outputs: parameters.hidden_outputs.as_chunks().0.to_vec(),
        })
    }

    /// What the layer of `bucket` adds to the output, in units of
    /// 1 / ([`QA`] [`QB`]), from the two halves of the first layer.
    #[inline]
    pub(super) fn output(&self, level: Level, us: &[i16], them: &[i16], bucket: usize) -> i64 {
        let count = us.len() / 2;
        let groups = &self.groups[bucket * count..][..count];
        let mut sums = self.biases[bucket];
        let (own, other) = groups.split_at(count / 2);
        level.propagate(us, own, &mut sums);
        level.propagate(them, other, &mut sums);
        let mut output = 0;
        for (&sum, &weight) in sums.iter().zip(&self.outputs[bucket]) {
            let clipped = ((sum + QH / 2) / QH).clamp(-QS, QS);
            output += i64::from(clipped * clipped * i32::from(weight));
        }
        output * i64::from(QA * QB) / i64::from(QS * QS * QO)
    }

    /// The numbers as they stand in files: weights, biases, weights of the
    /// output.
    pub(super) fn numbers(&self, shape: &Architecture) -> (Vec<i8>, Vec<i32>, Vec<i16>) {
        let weights = self
            .groups
            .chunks_exact(shape.width() / 2)
            .flat_map(|groups| {
                (0..HIDDEN)
                    .flat_map(move |neuron| groups.iter().flat_map(move |group| group.0[neuron]))
            })
            .collect();
        (weights, self.biases.concat(), self.outputs.concat())
    }
}
