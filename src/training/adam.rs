//! AdamW, and the learning rate over the time of a training.

use rayon::prelude::*;

use super::{
    gradient::Gradients,
    model::{
        MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT, MAX_WEIGHT_FROM_HIDDEN, MAX_WEIGHT_TO_HIDDEN, Model,
        Weights,
    },
};

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// How much faster the hidden layer learns than the others; it knows no decay.
const HIDDEN_RATE: f32 = 3.0;

/// How the learning rate falls.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Schedule {
    /// From the first to the last rate along half a cosine.
    Cosine {
        /// At the start.
        first: f32,
        /// At the end.
        last: f32,
    },
    /// By a factor every so many epochs.
    Step {
        /// At the start.
        first: f32,
        /// What it is multiplied by.
        factor: f32,
        /// After how many epochs each.
        every: usize,
    },
}

impl Schedule {
    /// The learning rate when `done` of `epochs` epochs are over.
    #[must_use]
    pub fn rate(&self, done: f32, epochs: usize) -> f32 {
        match *self {
            Schedule::Cosine { first, last } => {
                let share = (done / epochs.max(1) as f32).clamp(0.0, 1.0);
                last + (first - last) * (1.0 + (std::f32::consts::PI * share).cos()) / 2.0
            }
            Schedule::Step {
                first,
                factor,
                every,
            } => first * factor.powi(done as i32 / every.max(1) as i32),
        }
    }
}

/// The optimiser: Adam with weight decay apart from the gradients.
#[derive(Clone, Debug)]
pub struct AdamW {
    pub(super) means: Weights,
    pub(super) squares: Weights,
    pub(super) steps: u64,
    decay: f32,
}

/// The numbers of one step that all weights share.
#[derive(Copy, Clone)]
struct Step {
    rate: f32,
    decay: f32,
    mean_bias: f32,
    square_bias: f32,
    limit: f32,
}

impl Step {
    #[inline]
    fn apply(&self, weight: &mut f32, mean: &mut f32, square: &mut f32, gradient: f32) {
        *mean = BETA1 * *mean + (1.0 - BETA1) * gradient;
        *square = BETA2 * *square + (1.0 - BETA2) * gradient * gradient;
        let change = *mean * self.mean_bias / ((*square * self.square_bias).sqrt() + EPSILON);
        *weight = (*weight * (1.0 - self.rate * self.decay) - self.rate * change)
            .clamp(-self.limit, self.limit);
    }

    fn apply_all(
        &self,
        weights: &mut [f32],
        means: &mut [f32],
        squares: &mut [f32],
        gradients: &[f32],
    ) {
        for (((weight, mean), square), gradient) in
            weights.iter_mut().zip(means).zip(squares).zip(gradients)
        {
            self.apply(weight, mean, square, *gradient);
        }
    }
}

impl AdamW {
    /// A fresh optimiser for `model`; `decay` is the weight decay at a learning
    /// rate of 1.
    #[must_use]
    pub fn new(model: &Model, decay: f32) -> AdamW {
        let zeros = Weights::zeros(model.architecture());
        AdamW {
            means: zeros.clone(),
            squares: zeros,
            steps: 0,
            decay,
        }
    }

    /// One step along the sum of `gradients`, which are of `samples` samples.
    /// Without gradients nothing happens.
    pub fn step(&mut self, model: &mut Model, gradients: &[Gradients], samples: usize, rate: f32) {
        if gradients.is_empty() {
            return;
        }
        self.steps += 1;
        let steps = self.steps as f32;
        let share = 1.0 / samples.max(1) as f32;
        let step = Step {
            rate,
            decay: self.decay,
            mean_bias: 1.0 / (1.0 - BETA1.powf(steps)),
            square_bias: 1.0 / (1.0 - BETA2.powf(steps)),
            limit: MAX_FEATURE_WEIGHT,
        };
        self.step_rows(model, gradients, share, step);
        let sum = |field: fn(&Gradients) -> &[f32]| -> Vec<f32> {
            let mut sums = vec![0.0; field(&gradients[0]).len()];
            for part in gradients {
                for (sum, gradient) in sums.iter_mut().zip(field(part)) {
                    *sum += share * gradient;
                }
            }
            sums
        };
        let to_output = Step {
            limit: MAX_OUTPUT_WEIGHT,
            ..step
        };
        let to_hidden = Step {
            rate: step.rate * HIDDEN_RATE,
            decay: 0.0,
            limit: MAX_WEIGHT_TO_HIDDEN,
            ..step
        };
        let from_hidden = Step {
            limit: MAX_WEIGHT_FROM_HIDDEN,
            ..to_hidden
        };
        type Field = fn(&mut Weights) -> &mut Vec<f32>;
        type Slopes = fn(&Gradients) -> &[f32];
        let fields: [(Step, Field, Slopes); 6] = [
            (step, |all| &mut all.biases, |part| &part.biases),
            (to_output, |all| &mut all.outputs, |part| &part.outputs),
            (
                to_output,
                |all| &mut all.output_biases,
                |part| &part.output_biases,
            ),
            (to_hidden, |all| &mut all.hidden, |part| &part.hidden),
            (
                from_hidden,
                |all| &mut all.hidden_biases,
                |part| &part.hidden_biases,
            ),
            (
                from_hidden,
                |all| &mut all.hidden_outputs,
                |part| &part.hidden_outputs,
            ),
        ];
        for (step, field, slopes) in fields {
            step.apply_all(
                field(&mut model.weights),
                field(&mut self.means),
                field(&mut self.squares),
                &sum(slopes),
            );
        }
    }

    /// The rows of the first layer: those of one man on one square over all
    /// king buckets together, with the row they share if there is one.
    fn step_rows(&mut self, model: &mut Model, gradients: &[Gradients], share: f32, step: Step) {
        let width = model.architecture().width();
        let group = model.architecture().king_bucket_count() * width;
        let Model {
            weights, merged, ..
        } = model;
        let gather = |start: usize, sums: &mut Vec<f32>| {
            sums.clear();
            sums.resize(width, 0.0);
            for part in gradients {
                for (sum, gradient) in sums.iter_mut().zip(&part.rows[start..start + width]) {
                    *sum += share * gradient;
                }
            }
        };
        let rows = merged
            .par_chunks_exact_mut(group)
            .zip(weights.rows.par_chunks_exact_mut(group))
            .zip(self.means.rows.par_chunks_exact_mut(group))
            .zip(self.squares.rows.par_chunks_exact_mut(group))
            .enumerate();
        if weights.shared.is_empty() {
            rows.with_min_len(128).for_each_init(Vec::new, |sums, row| {
                let (i, (((merged, rows), means), squares)) = row;
                gather(i * group, sums);
                step.apply_all(rows, means, squares, sums);
                merged.copy_from_slice(rows);
            });
            return;
        }
        rows.with_min_len(16)
            .zip(weights.shared.par_chunks_exact_mut(width))
            .zip(self.means.shared.par_chunks_exact_mut(width))
            .zip(self.squares.shared.par_chunks_exact_mut(width))
            .for_each_init(
                || (Vec::new(), vec![0.0; width]),
                |(sums, total), parts| {
                    let (
                        (((i, (((merged, rows), means), squares)), shared), shared_means),
                        shared_squares,
                    ) = parts;
                    total.fill(0.0);
                    for start in (0..group).step_by(width) {
                        gather(i * group + start, sums);
                        for (total, sum) in total.iter_mut().zip(&*sums) {
                            *total += sum;
                        }
                        let range = start..start + width;
                        step.apply_all(
                            &mut rows[range.clone()],
                            &mut means[range.clone()],
                            &mut squares[range],
                            sums,
                        );
                    }
                    step.apply_all(shared, shared_means, shared_squares, total);
                    for start in (0..group).step_by(width) {
                        for (i, shared) in shared.iter().enumerate() {
                            merged[start + i] = rows[start + i] + shared;
                        }
                    }
                },
            );
    }
}
