//! The forward and the backward pass.

use super::{
    model::Model,
    sample::{Inputs, Sample},
    target::logistic,
};
use crate::evaluation::nnue::SCALE;

/// Numbers that are worked on in registers together.
const BLOCK: usize = 128;
/// The smallest such block; widths are a multiple of it.
const SMALL_BLOCK: usize = 32;

/// The sums of one thread's gradients.
#[derive(Clone, Debug)]
pub struct Gradients {
    pub(super) rows: Vec<f32>,
    pub(super) biases: Vec<f32>,
    pub(super) outputs: Vec<f32>,
    pub(super) output_biases: Vec<f32>,
    scratch: Scratch,
}

/// What a pass over one position needs.
#[derive(Clone, Debug)]
struct Scratch {
    inputs: Inputs,
    /// The first layer: the own half, then the other.
    layer: Vec<f32>,
}

impl Scratch {
    fn new(width: usize) -> Scratch {
        Scratch {
            inputs: Inputs::default(),
            layer: vec![0.0; 2 * width],
        }
    }

    /// Fills the first layer and gives the output, in units of the logistic
    /// function, and the output bucket.
    fn forward(&mut self, model: &Model, sample: &Sample) -> (f32, usize) {
        let shape = model.architecture();
        let width = shape.width();
        sample.inputs(shape, &mut self.inputs);
        let Inputs { own, other } = &self.inputs;
        let (own_half, other_half) = self.layer.split_at_mut(width);
        gather(own_half, &model.weights.biases, &model.merged, own);
        gather(other_half, &model.weights.biases, &model.merged, other);
        let bucket = shape.output_bucket(sample.men());
        let weights = &model.weights.outputs[2 * width * bucket..][..2 * width];
        let mut lanes = [0.0; 16];
        for (layer, weights) in self.layer.chunks_exact(16).zip(weights.chunks_exact(16)) {
            for i in 0..16 {
                let clipped = layer[i].clamp(0.0, 1.0);
                lanes[i] += clipped * clipped * weights[i];
            }
        }
        let output = lanes.iter().sum::<f32>() + model.weights.output_biases[bucket];
        (output, bucket)
    }
}

impl Gradients {
    /// Zeros in the shape of the model.
    #[must_use]
    pub fn new(model: &Model) -> Gradients {
        let width = model.architecture().width();
        Gradients {
            rows: vec![0.0; model.merged.len()],
            biases: vec![0.0; width],
            outputs: vec![0.0; model.weights.outputs.len()],
            output_biases: vec![0.0; model.weights.output_biases.len()],
            scratch: Scratch::new(width),
        }
    }

    /// Sets all sums to zero.
    pub fn clear(&mut self) {
        self.rows.fill(0.0);
        self.biases.fill(0.0);
        self.outputs.fill(0.0);
        self.output_biases.fill(0.0);
    }

    /// Adds the gradients of the squared error of `samples`, and gives the sum
    /// of these errors.
    pub fn add(&mut self, model: &Model, samples: &[Sample]) -> f64 {
        let width = model.architecture().width();
        let mut loss = 0.0;
        for sample in samples {
            let (output, bucket) = self.scratch.forward(model, sample);
            let expected = logistic(output);
            let error = expected - sample.points();
            loss += f64::from(error * error);
            let slope = 2.0 * error * expected * (1.0 - expected);

            let range = 2 * width * bucket..2 * width * (bucket + 1);
            let weights = &model.weights.outputs[range.clone()];
            let gradients = &mut self.outputs[range];
            self.output_biases[bucket] += slope;
            // The layer turns into its own gradient.
            for ((value, gradient), weight) in
                self.scratch.layer.iter_mut().zip(gradients).zip(weights)
            {
                let clipped = value.clamp(0.0, 1.0);
                *gradient += slope * clipped * clipped;
                let open = if *value > 0.0 && *value < 1.0 {
                    2.0
                } else {
                    0.0
                };
                *value = slope * weight * clipped * open;
            }
            let Inputs { own, other } = &self.scratch.inputs;
            let (own_half, other_half) = self.scratch.layer.split_at(width);
            for ((bias, own), other) in self.biases.iter_mut().zip(own_half).zip(other_half) {
                *bias += own + other;
            }
            scatter(&mut self.rows, own_half, own);
            scatter(&mut self.rows, other_half, other);
        }
        loss
    }
}

/// The sum of the squared errors of `samples`.
#[must_use]
pub(super) fn loss(model: &Model, samples: &[Sample]) -> f64 {
    let mut scratch = Scratch::new(model.architecture().width());
    samples
        .iter()
        .map(|sample| {
            let error = logistic(scratch.forward(model, sample).0) - sample.points();
            f64::from(error * error)
        })
        .sum()
}

impl Model {
    /// Centipawns for the side to move.
    #[must_use]
    pub fn evaluate(&self, sample: &Sample) -> f32 {
        let mut scratch = Scratch::new(self.architecture().width());
        scratch.forward(self, sample).0 * SCALE as f32
    }
}

/// `sums` becomes the biases plus the rows of `inputs`.
fn gather(sums: &mut [f32], biases: &[f32], rows: &[f32], inputs: &[u32]) {
    let width = sums.len();
    let mut start = 0;
    while start + BLOCK <= width {
        gather_block::<BLOCK>(start, sums, biases, rows, inputs);
        start += BLOCK;
    }
    while start < width {
        gather_block::<SMALL_BLOCK>(start, sums, biases, rows, inputs);
        start += SMALL_BLOCK;
    }
}

#[inline]
fn gather_block<const N: usize>(
    start: usize,
    sums: &mut [f32],
    biases: &[f32],
    rows: &[f32],
    inputs: &[u32],
) {
    let width = sums.len();
    let mut block = [0.0; N];
    block.copy_from_slice(&biases[start..start + N]);
    for &input in inputs {
        let row = &rows[input as usize * width + start..][..N];
        for i in 0..N {
            block[i] += row[i];
        }
    }
    sums[start..start + N].copy_from_slice(&block);
}

/// Adds `gradient` to the rows of `inputs`.
fn scatter(rows: &mut [f32], gradient: &[f32], inputs: &[u32]) {
    let width = gradient.len();
    let mut start = 0;
    while start + BLOCK <= width {
        scatter_block::<BLOCK>(start, rows, gradient, inputs);
        start += BLOCK;
    }
    while start < width {
        scatter_block::<SMALL_BLOCK>(start, rows, gradient, inputs);
        start += SMALL_BLOCK;
    }
}

#[inline]
fn scatter_block<const N: usize>(start: usize, rows: &mut [f32], gradient: &[f32], inputs: &[u32]) {
    let width = gradient.len();
    let mut block = [0.0; N];
    block.copy_from_slice(&gradient[start..start + N]);
    for &input in inputs {
        let row = &mut rows[input as usize * width + start..][..N];
        for i in 0..N {
            row[i] += block[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evaluation::nnue::Architecture,
        rules::{Position, Ruleset, movegen},
        training::{king_bucket_layout, sample::CERTAIN},
    };

    fn samples(count: u64) -> Vec<Sample> {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut samples = Vec::new();
        let mut position = Position::startpos(Ruleset::Lichess);
        while samples.len() < count as usize {
            match rng.choice(movegen::legal_moves(&position)) {
                Some(m) => position.play(m),
                None => position = Position::startpos(Ruleset::Lichess),
            }
            samples.extend(Sample::new(&position, rng.u16(..=CERTAIN)));
        }
        samples
    }

    /// Moves one weight a little to both sides; gives the slope of the loss.
    fn slope(
        model: &mut Model,
        samples: &[Sample],
        pick: fn(&mut Model) -> &mut [f32],
        i: usize,
    ) -> f64 {
        const STEP: f32 = 1e-3;
        let weight = pick(model)[i];
        pick(model)[i] = weight + STEP;
        let above = loss(model, samples);
        pick(model)[i] = weight - STEP;
        let below = loss(model, samples);
        pick(model)[i] = weight;
        (above - below) / f64::from(2.0 * STEP)
    }

    #[test]
    fn gradients_are_the_slopes_of_the_loss() {
        let layout = king_bucket_layout("4").expect("layout");
        let shape = Architecture::new(32, 2, layout, true).expect("shape");
        let mut model = Model::random(shape, 1);
        let samples = samples(40);
        let mut gradients = Gradients::new(&model);
        let sum = gradients.add(&model, &samples);
        assert!((sum - loss(&model, &samples)).abs() < 1e-6);

        type Pick = fn(&mut Model) -> &mut [f32];
        let fields: [(&str, Vec<f32>, Pick); 4] = [
            ("rows", gradients.rows.clone(), |model| &mut model.merged),
            ("biases", gradients.biases.clone(), |model| {
                &mut model.weights.biases
            }),
            ("outputs", gradients.outputs.clone(), |model| {
                &mut model.weights.outputs
            }),
            ("output biases", gradients.output_biases.clone(), |model| {
                &mut model.weights.output_biases
            }),
        ];
        for (name, gradients, pick) in fields {
            let largest = gradients.iter().fold(0.0f32, |most, g| most.max(g.abs()));
            assert!(largest > 1e-3, "{name}: no gradient");
            let stride = (gradients.len() / 400).max(1);
            for (i, gradient) in gradients.iter().enumerate().step_by(stride) {
                let expected = slope(&mut model, &samples, pick, i);
                let difference = (f64::from(*gradient) - expected).abs();
                assert!(
                    difference < 0.02 * f64::from(largest),
                    "{name} {i}: {gradient} where the slope is {expected}"
                );
            }
        }
    }
}
