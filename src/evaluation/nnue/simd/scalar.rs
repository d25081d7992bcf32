//! The loops in plain Rust, which the others are held to.

use super::{Group, Rows};
use crate::evaluation::nnue::{HIDDEN, QA, inputs::Place};

pub(super) fn update(output: &mut [i16], input: Option<&[i16]>, rows: Rows<'_>) {
    if let Some(input) = input {
        output.copy_from_slice(input);
    }
    let width = output.len();
    let row = |&place: &Place| &rows.weights[rows.sight.place(place) * width..][..width];
    for added in rows.added.iter().map(row) {
        for (value, weight) in output.iter_mut().zip(added) {
            *value = value.wrapping_add(*weight);
        }
    }
    for removed in rows.removed.iter().map(row) {
        for (value, weight) in output.iter_mut().zip(removed) {
            *value = value.wrapping_sub(*weight);
        }
    }
}

pub(super) fn activate(values: &[i16], weights: &[i16]) -> i64 {
    values
        .iter()
        .zip(weights)
        .map(|(&value, &weight)| {
            let clipped = i32::from(value).clamp(0, QA);
            i64::from(clipped * clipped * i32::from(weight))
        })
        .sum()
}

pub(super) fn propagate(values: &[i16], groups: &[Group], sums: &mut [i32; HIDDEN]) {
    for (values, group) in values.as_chunks::<4>().0.iter().zip(groups) {
        let squares = values.map(|value| {
            let clipped = i32::from(value).clamp(0, QA);
            (clipped * clipped + 256) / 512
        });
        for (sum, weights) in sums.iter_mut().zip(&group.0) {
            for (square, &weight) in squares.iter().zip(weights) {
                *sum += square * i32::from(weight);
            }
        }
    }
}
