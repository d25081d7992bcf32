//! The forward and the backward pass.

use super::{
    model::Model,
    sample::{Inputs, Sample},
    target::logistic,
};
use crate::evaluation::nnue::{Architecture, SCALE};

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
    pub(super) hidden: Vec<f32>,
    pub(super) hidden_biases: Vec<f32>,
    pub(super) hidden_outputs: Vec<f32>,
    scratch: Scratch,
}

/// What a pass over one position needs.
#[derive(Clone, Debug)]
struct Scratch {
    inputs: Inputs,
    /// The first layer: the own half, then the other.
    layer: Vec<f32>,
    /// The same, clipped and squared.
    squares: Vec<f32>,
    /// The slopes of the squares.
    slopes: Vec<f32>,
    /// The hidden layer, if there is one.
    hidden: Vec<f32>,
}

impl Scratch {
    fn new(shape: &Architecture) -> Scratch {
        let width = shape.width();
        Scratch {
            inputs: Inputs::default(),
            layer: vec![0.0; 2 * width],
            squares: vec![0.0; 2 * width],
            slopes: vec![0.0; 2 * width],
            hidden: vec![0.0; shape.hidden()],
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
        for (square, value) in self.squares.iter_mut().zip(&self.layer) {
            let clipped = value.clamp(0.0, 1.0);
            *square = clipped * clipped;
        }
        let mut output = dot(&self.squares, weights) + model.weights.output_biases[bucket];
        let first = bucket * shape.hidden();
        for (j, value) in self.hidden.iter_mut().enumerate() {
            let neuron = first + j;
            let weights = &model.weights.hidden[2 * width * neuron..][..2 * width];
            *value = dot(&self.squares, weights) + model.weights.hidden_biases[neuron];
            let clipped = value.clamp(-1.0, 1.0);
            output += clipped * clipped * model.weights.hidden_outputs[neuron];
        }
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
            hidden: vec![0.0; model.weights.hidden.len()],
            hidden_biases: vec![0.0; model.weights.hidden_biases.len()],
            hidden_outputs: vec![0.0; model.weights.hidden_outputs.len()],
            scratch: Scratch::new(model.architecture()),
        }
    }

    /// Sets all sums to zero.
    pub fn clear(&mut self) {
        self.rows.fill(0.0);
        self.biases.fill(0.0);
        self.outputs.fill(0.0);
        self.output_biases.fill(0.0);
        self.hidden.fill(0.0);
        self.hidden_biases.fill(0.0);
        self.hidden_outputs.fill(0.0);
    }

    /// Adds the gradients of the squared error of `samples`, and gives the sum
    /// of these errors.
    pub fn add(&mut self, model: &Model, samples: &[Sample]) -> f64 {
        let width = model.architecture().width();
        let hidden = model.architecture().hidden();
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
            let Scratch {
                inputs: Inputs { own, other },
                layer,
                squares,
                slopes,
                hidden: values,
            } = &mut self.scratch;
            add_scaled(gradients, squares, slope);
            for (target, weight) in slopes.iter_mut().zip(weights) {
                *target = slope * weight;
            }
            for (j, value) in values.iter().enumerate() {
                let neuron = hidden * bucket + j;
                let clipped = value.clamp(-1.0, 1.0);
                self.hidden_outputs[neuron] += slope * clipped * clipped;
                if clipped == *value {
                    let slope = slope * model.weights.hidden_outputs[neuron] * 2.0 * clipped;
                    let range = 2 * width * neuron..2 * width * (neuron + 1);
                    self.hidden_biases[neuron] += slope;
                    add_scaled(slopes, &model.weights.hidden[range.clone()], slope);
                    add_scaled(&mut self.hidden[range], squares, slope);
                }
            }
            // The layer turns into its own gradient.
            for (value, slope) in layer.iter_mut().zip(&*slopes) {
                let open = *value > 0.0 && *value < 1.0;
                *value = if open { 2.0 * *value * slope } else { 0.0 };
            }
            let (own_half, other_half) = layer.split_at(width);
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
    let mut scratch = Scratch::new(model.architecture());
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
        let mut scratch = Scratch::new(self.architecture());
        scratch.forward(self, sample).0 * SCALE as f32
    }
}

/// The sum of the products.
#[inline]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 32];
    for (a, b) in a.chunks_exact(32).zip(b.chunks_exact(32)) {
        for i in 0..32 {
            lanes[i] += a[i] * b[i];
        }
    }
    total(&mut lanes)
}

/// The sum of all lanes, halves added to each other: one lane after the other
/// would take long. Apart from the loop before it, which the compiler would
/// else work out in narrow registers.
#[inline(never)]
fn total(lanes: &mut [f32; 32]) -> f32 {
    for half in [16, 8, 4, 2, 1] {
        let (low, high) = lanes.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(high) {
            *low += *high;
        }
    }
    lanes[0]
}

/// Adds `factor` times `numbers` to `sums`.
#[inline]
fn add_scaled(sums: &mut [f32], numbers: &[f32], factor: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
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
        let shape = Architecture::new(32, 2, layout)
            .expect("shape")
            .with_hidden_layer(true);
        let mut model = Model::random(shape, 1);
        let samples = samples(40);
        let mut gradients = Gradients::new(&model);
        let sum = gradients.add(&model, &samples);
        assert!((sum - loss(&model, &samples)).abs() < 1e-6);

        type Pick = fn(&mut Model) -> &mut [f32];
        let fields: [(&str, Vec<f32>, Pick); 7] = [
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
            ("hidden", gradients.hidden.clone(), |model| {
                &mut model.weights.hidden
            }),
            ("hidden biases", gradients.hidden_biases.clone(), |model| {
                &mut model.weights.hidden_biases
            }),
            (
                "hidden outputs",
                gradients.hidden_outputs.clone(),
                |model| &mut model.weights.hidden_outputs,
            ),
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
