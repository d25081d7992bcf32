//! The loops in 512-bit registers.

use std::arch::x86_64::*;

use super::{Group, Rows};
use crate::evaluation::nnue::{HIDDEN, QA};

/// Sixteen-bit lanes of a register.
const WIDTH: usize = 32;
/// Registers that hold a block of the first layer while rows go in and out.
const BLOCK: usize = 8;

/// # Safety
///
/// The processor must have the instructions, `output` and `input` must be
/// equally long, a multiple of `WIDTH`, and the weights must be a row of that
/// length for each place.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
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
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
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
            |from: *const i16, i: usize| _mm512_loadu_si512(from.add(start + i * WIDTH).cast());
        let mut sums: [__m512i; N] = std::array::from_fn(|i| load(source, i));
        for &place in rows.removed {
            let weights = rows.weights.as_ptr().add(rows.sight.place(place) * width);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, load(weights, i));
            }
        }
        for &place in rows.added {
            let weights = rows.weights.as_ptr().add(rows.sight.place(place) * width);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi16(*sum, load(weights, i));
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            _mm512_storeu_si512(output.as_mut_ptr().add(start + i * WIDTH).cast(), sum);
        }
    }
}

/// # Safety
///
/// The processor must have the instructions, and the slices must be equally
/// long, a multiple of `WIDTH`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn activate(values: &[i16], weights: &[i16]) -> i64 {
    let zero = _mm512_setzero_si512();
    let one = _mm512_set1_epi16(QA as i16);
    let mut sum = zero;
    for start in (0..values.len()).step_by(WIDTH) {
        // SAFETY: lengths are multiples of `WIDTH`; loads need no alignment.
        let (value, weight) = unsafe {
            (
                _mm512_loadu_si512(values.as_ptr().add(start).cast()),
                _mm512_loadu_si512(weights.as_ptr().add(start).cast()),
            )
        };
        let clipped = _mm512_min_epi16(_mm512_max_epi16(value, zero), one);
        // A clipped value times a weight of eight bits fits sixteen bits.
        let product = _mm512_mullo_epi16(clipped, weight);
        sum = _mm512_dpwssd_epi32(sum, product, clipped);
    }
    let mut lanes = [0i32; WIDTH / 2];
    // SAFETY: the array is as large as the register.
    unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), sum) };
    lanes.into_iter().map(i64::from).sum()
}

/// # Safety
///
/// The processor must have the instructions, and there must be four values a
/// group, a multiple of `WIDTH`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) unsafe fn propagate(values: &[i16], groups: &[Group], sums: &mut [i32; HIDDEN]) {
    let zero = _mm512_setzero_si512();
    let limit = _mm512_set1_epi16(QA as i16);
    let half = _mm512_set1_epi16(256);
    // SAFETY: `sums` and a group are as large as a register, and the loads lie
    // within `values`.
    unsafe {
        let mut total = _mm512_loadu_si512(sums.as_ptr().cast());
        for (start, groups) in (0..values.len())
            .step_by(WIDTH)
            .zip(groups.chunks(WIDTH / 4))
        {
            let value = _mm512_loadu_si512(values.as_ptr().add(start).cast());
            let clipped = _mm512_min_epi16(_mm512_max_epi16(value, zero), limit);
            let square = _mm512_add_epi16(_mm512_mullo_epi16(clipped, clipped), half);
            let squares = _mm512_cvtepi16_epi8(_mm512_srli_epi16::<9>(square));
            let mut fours = [0; WIDTH / 4];
            _mm256_storeu_si256(fours.as_mut_ptr().cast(), squares);
            for (four, group) in fours.into_iter().zip(groups) {
                let weights = _mm512_load_si512(group.0.as_ptr().cast());
                total = _mm512_dpbusd_epi32(total, _mm512_set1_epi32(four), weights);
            }
        }
        _mm512_storeu_si512(sums.as_mut_ptr().cast(), total);
    }
}
