//! The loops in 256-bit registers.

use std::arch::x86_64::*;

use super::{Group, Rows};
use crate::evaluation::nnue::{HIDDEN, QA};

/// Sixteen-bit lanes of a register.
const WIDTH: usize = 16;
/// Registers that hold a block of the first layer while rows go in and out.
const BLOCK: usize = 8;

/// # Safety
///
/// The processor must have the instructions, `output` and `input` must be
/// equally long, a multiple of `WIDTH`, and the weights must be a row of that
/// length for each place.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn update(output: &mut [i16], input: Option<&[i16]>, rows: Rows<'_>) {
    let width = output.len();
    let mut start = 0;
    while start + BLOCK * WIDTH <= width {
        // SAFETY: the block lies within the slices.
        unsafe { block::<BLOCK>(start, output, input, rows) };
        start += BLOCK * WIDTH;
    }
    while start < width {
        // SAFETY: lengths are multiples of `WIDTH`, so one more register fits.
        unsafe { block::<1>(start, output, input, rows) };
        start += WIDTH;
    }
}

/// # Safety
///
/// As [`update`], and `N` registers from `start` must lie within the slices.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn block<const N: usize>(
    start: usize,
    output: &mut [i16],
    input: Option<&[i16]>,
    rows: Rows<'_>,
) {
    let width = output.len();
    let source = input.map_or(output.as_ptr(), <[i16]>::as_ptr);
    // SAFETY: the caller vouches for the block in each row and in both slices;
    // loads and stores need no alignment.
    unsafe {
        let load =
            |from: *const i16, i: usize| _mm256_loadu_si256(from.add(start + i * WIDTH).cast());
        let mut sums: [__m256i; N] = std::array::from_fn(|i| load(source, i));
        for &place in rows.removed {
            let weights = rows.weights.as_ptr().add(rows.sight.place(place) * width);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_sub_epi16(*sum, load(weights, i));
            }
        }
        for &place in rows.added {
            let weights = rows.weights.as_ptr().add(rows.sight.place(place) * width);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_add_epi16(*sum, load(weights, i));
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            _mm256_storeu_si256(output.as_mut_ptr().add(start + i * WIDTH).cast(), sum);
        }
    }
}

/// # Safety
///
/// The processor must have the instructions, and the slices must be equally
/// long, a multiple of `WIDTH`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn activate(values: &[i16], weights: &[i16]) -> i64 {
    let zero = _mm256_setzero_si256();
    let one = _mm256_set1_epi16(QA as i16);
    let mut sum = zero;
    for start in (0..values.len()).step_by(WIDTH) {
        // SAFETY: lengths are multiples of `WIDTH`; loads need no alignment.
        let (value, weight) = unsafe {
            (
                _mm256_loadu_si256(values.as_ptr().add(start).cast()),
                _mm256_loadu_si256(weights.as_ptr().add(start).cast()),
            )
        };
        let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
        // A clipped value times a weight of eight bits fits sixteen bits.
        let product = _mm256_mullo_epi16(clipped, weight);
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(product, clipped));
    }
    let mut lanes = [0i32; WIDTH / 2];
    // SAFETY: the array is as large as the register.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum) };
    lanes.into_iter().map(i64::from).sum()
}

/// # Safety
///
/// The processor must have the instructions, and there must be four values a
/// group, a multiple of `2 * WIDTH`.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn propagate(values: &[i16], groups: &[Group], sums: &mut [i32; HIDDEN]) {
    const STEP: usize = 2 * WIDTH;
    let zero = _mm256_setzero_si256();
    let limit = _mm256_set1_epi16(QA as i16);
    let half = _mm256_set1_epi16(256);
    let ones = _mm256_set1_epi16(1);
    let square = |value: __m256i| {
        let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), limit);
        _mm256_srli_epi16::<9>(_mm256_add_epi16(_mm256_mullo_epi16(clipped, clipped), half))
    };
    let [low_sums, high_sums] = [0, HIDDEN / 2].map(|first| sums[first..].as_mut_ptr().cast());
    // SAFETY: `sums` is as large as two registers, the loads lie within
    // `values`, and a group is as large as two registers.
    unsafe {
        let mut low: __m256i = _mm256_loadu_si256(low_sums);
        let mut high: __m256i = _mm256_loadu_si256(high_sums);
        for (start, groups) in (0..values.len()).step_by(STEP).zip(groups.chunks(STEP / 4)) {
            let from = values.as_ptr().add(start);
            let squares = _mm256_packus_epi16(
                square(_mm256_loadu_si256(from.cast())),
                square(_mm256_loadu_si256(from.add(WIDTH).cast())),
            );
            // Packing goes by halves of the registers.
            let squares = _mm256_permute4x64_epi64::<0b11_01_10_00>(squares);
            let mut fours = [0; STEP / 4];
            _mm256_storeu_si256(fours.as_mut_ptr().cast(), squares);
            for (pair, groups) in fours
                .as_chunks::<2>()
                .0
                .iter()
                .zip(groups.as_chunks::<2>().0)
            {
                let [a, b] = pair.map(|four| _mm256_set1_epi32(four));
                let products = |half: usize| {
                    let [p, q] = [(a, &groups[0]), (b, &groups[1])].map(|(four, group)| {
                        let weights: *const __m256i = group.0.as_ptr().cast();
                        _mm256_maddubs_epi16(four, _mm256_load_si256(weights.add(half)))
                    });
                    _mm256_madd_epi16(_mm256_add_epi16(p, q), ones)
                };
                low = _mm256_add_epi32(low, products(0));
                high = _mm256_add_epi32(high, products(1));
            }
        }
        _mm256_storeu_si256(low_sums, low);
        _mm256_storeu_si256(high_sums, high);
    }
}
