//! The three inner loops of the network, for each instruction set.
//!
//! All give the same numbers bit for bit. A build for a known processor knows
//! at compile time which to use; a generic build asks the processor once.
//! Sums of the first layer wrap; a trained network stays far from that.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use std::{
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

use super::{
    HIDDEN, PLACES,
    inputs::{Place, Sight},
};
use crate::memory::prefer_large_pages;

/// Widths are multiples of this, the sixteen-bit lanes of the widest register.
pub const LANES: usize = 32;

/// Sixteen-bit numbers aligned for the widest loads.
#[derive(Clone, Debug)]
pub struct Lines(Vec<Line>);

#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
struct Line([i16; LANES]);

const _: () = assert!(size_of::<Line>() == 64);

impl Lines {
    /// `length` zeros; a multiple of [`LANES`].
    #[must_use]
    pub fn zeros(length: usize) -> Lines {
        let count = length.div_ceil(LANES);
        let mut lines: Vec<Line> = Vec::with_capacity(count);
        if let Some(start) = NonNull::new(lines.as_mut_ptr()) {
            prefer_large_pages(start, count * size_of::<Line>());
        }
        lines.resize(count, Line([0; LANES]));
        Lines(lines)
    }
}

impl From<&[i16]> for Lines {
    fn from(numbers: &[i16]) -> Lines {
        let mut lines = Lines::zeros(numbers.len());
        lines[..numbers.len()].copy_from_slice(numbers);
        lines
    }
}

impl Deref for Lines {
    type Target = [i16];

    #[inline]
    fn deref(&self) -> &[i16] {
        // SAFETY: a `Line` is `LANES` numbers without padding.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() * LANES) }
    }
}

impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [i16] {
        // SAFETY: a `Line` is `LANES` numbers without padding, and any bits are
        // numbers.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len() * LANES) }
    }
}

/// What four neighbours of the first layer give to each neuron of the hidden
/// layer.
#[derive(Copy, Clone, Debug)]
#[repr(C, align(64))]
pub struct Group(pub [[i8; 4]; HIDDEN]);

const _: () = assert!(size_of::<Group>() == 64);

/// The rows of the first layer that a move adds and takes away.
#[derive(Copy, Clone, Debug)]
pub(super) struct Rows<'a> {
    /// The [`PLACES`] rows of a king bucket.
    pub(super) weights: &'a [i16],
    /// Which row a man has.
    pub(super) sight: Sight,
    /// Men whose rows are added.
    pub(super) added: &'a [Place],
    /// Men whose rows are taken away.
    pub(super) removed: &'a [Place],
}

/// An instruction set.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum Level {
    /// Plain Rust.
    Scalar,
    /// 256 bits.
    Avx2,
    /// 512 bits, with byte and word operations and VNNI.
    Avx512,
}

impl Level {
    /// All of them, the plainest first.
    pub const ALL: [Level; 3] = [Level::Scalar, Level::Avx2, Level::Avx512];

    /// The best that this processor has.
    #[inline]
    #[must_use]
    pub fn best() -> Level {
        if Level::Avx512.is_available() {
            Level::Avx512
        } else if Level::Avx2.is_available() {
            Level::Avx2
        } else {
            Level::Scalar
        }
    }

    /// Whether this processor has it. Known at compile time when the build is
    /// for such a processor.
    #[inline]
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Level::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vnni")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => false,
        }
    }

    /// `output` becomes `input` with rows added and taken away. The level must
    /// be available.
    ///
    /// # Panics
    ///
    /// If the slices differ in length or the rows are not as long.
    #[inline]
    pub(super) fn update(self, output: &mut [i16], input: &[i16], rows: Rows<'_>) {
        assert_eq!(output.len(), input.len());
        self.run(output, Some(input), rows);
    }

    /// As [`update`](Level::update), in place.
    ///
    /// # Panics
    ///
    /// If the rows are not as long.
    #[inline]
    pub(super) fn update_in_place(self, values: &mut [i16], rows: Rows<'_>) {
        self.run(values, None, rows);
    }

    #[inline]
    fn run(self, output: &mut [i16], input: Option<&[i16]>, rows: Rows<'_>) {
        let width = output.len();
        assert!(width.is_multiple_of(LANES));
        assert_eq!(rows.weights.len(), PLACES * width);
        match self {
            Level::Scalar => scalar::update(output, input, rows),
            // SAFETY: the processor has the instructions, there are as many rows
            // as places, and all slices are a multiple of `LANES` long.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::update(output, input, rows) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::update(output, input, rows) },
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => scalar::update(output, input, rows),
        }
    }

    /// The sum of weights times squared values, these first clipped to 0 and
    /// [`QA`](super::QA). Weights must be within ±128.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    #[inline]
    #[must_use]
    pub fn activate(self, values: &[i16], weights: &[i16]) -> i64 {
        assert_eq!(values.len(), weights.len());
        assert!(values.len().is_multiple_of(LANES));
        match self {
            Level::Scalar => scalar::activate(values, weights),
            // SAFETY: the processor has the instructions, and the slices are
            // equally long, a multiple of `LANES`.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::activate(values, weights) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::activate(values, weights) },
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => scalar::activate(values, weights),
        }
    }

    /// Adds weights times squared values to `sums`. The values are clipped to 0
    /// and [`QA`](super::QA), and their squares divided by 512, to the nearest.
    /// Weights must be within ±[`MAX_HIDDEN_WEIGHT`](super::MAX_HIDDEN_WEIGHT).
    ///
    /// # Panics
    ///
    /// If there are not four values a group.
    #[inline]
    pub fn propagate(self, values: &[i16], groups: &[Group], sums: &mut [i32; HIDDEN]) {
        assert_eq!(values.len(), 4 * groups.len());
        assert!(values.len().is_multiple_of(LANES));
        match self {
            Level::Scalar => scalar::propagate(values, groups, sums),
            // SAFETY: the processor has the instructions, there are four values
            // a group, and they are a multiple of `LANES`.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2::propagate(values, groups, sums) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512::propagate(values, groups, sums) },
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => scalar::propagate(values, groups, sums),
        }
    }
}
