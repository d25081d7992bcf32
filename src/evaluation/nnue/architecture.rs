//! The shape of a network.

use shakmaty::{Color, Square};
use thiserror::Error;

use super::{
    hidden::HIDDEN,
    inputs::{PLACES, View},
    simd::LANES,
};

/// The widest first layer whose sums surely fit.
const MAX_WIDTH: usize = 1024;
const MAX_OUTPUT_BUCKETS: usize = 32;
/// The flag of a hidden layer. Files with flag 1 have inputs that no longer
/// exist.
const HIDDEN_LAYER: u8 = 2;

/// The shape of a network.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Architecture {
    width: u16,
    output_buckets: u8,
    /// The bucket of each own king square on the files a to d, from a1, d1, a2
    /// to d8 as the king's owner sees them.
    king_buckets: [u8; 32],
    king_bucket_count: u8,
    hidden: bool,
}

/// A shape that cannot be.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Error)]
pub enum ArchitectureError {
    /// The width of the first layer.
    #[error("a first layer of {0}: it must be a multiple of {LANES} up to {MAX_WIDTH}")]
    Width(usize),
    /// The number of output buckets.
    #[error("{0} output buckets: there must be 1 to {MAX_OUTPUT_BUCKETS}")]
    OutputBuckets(usize),
    /// The numbers of the king buckets leave one out.
    #[error("king buckets up to {0}: every lower number must occur")]
    KingBuckets(u8),
    /// The flags of a file have one that is not known.
    #[error("flags {0}: only 2 (a hidden layer) is known")]
    Flags(u8),
}

impl Architecture {
    /// A shape without hidden layer, if it can be.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] says what is out of range.
    pub fn new(
        width: usize,
        output_buckets: usize,
        king_buckets: [u8; 32],
    ) -> Result<Architecture, ArchitectureError> {
        if width == 0 || width > MAX_WIDTH || !width.is_multiple_of(LANES) {
            return Err(ArchitectureError::Width(width));
        }
        if output_buckets == 0 || output_buckets > MAX_OUTPUT_BUCKETS {
            return Err(ArchitectureError::OutputBuckets(output_buckets));
        }
        let last = king_buckets.iter().copied().max().unwrap_or(0);
        if (0..last).any(|bucket| !king_buckets.contains(&bucket)) {
            return Err(ArchitectureError::KingBuckets(last));
        }
        Ok(Architecture {
            width: width as u16,
            output_buckets: output_buckets as u8,
            king_buckets,
            king_bucket_count: last + 1,
            hidden: false,
        })
    }

    /// The same shape with a hidden layer between the first layer and the
    /// output, or without.
    #[must_use]
    pub const fn with_hidden_layer(mut self, hidden: bool) -> Architecture {
        self.hidden = hidden;
        self
    }

    /// What the shape has besides, as files keep it.
    #[must_use]
    pub const fn flags(&self) -> u8 {
        if self.hidden { HIDDEN_LAYER } else { 0 }
    }

    /// The shape that a file describes.
    ///
    /// # Errors
    ///
    /// [`ArchitectureError`] says what is out of range.
    pub fn from_flags(
        width: usize,
        output_buckets: usize,
        king_buckets: [u8; 32],
        flags: u8,
    ) -> Result<Architecture, ArchitectureError> {
        if flags & !HIDDEN_LAYER != 0 {
            return Err(ArchitectureError::Flags(flags));
        }
        let shape = Architecture::new(width, output_buckets, king_buckets)?;
        Ok(shape.with_hidden_layer(flags & HIDDEN_LAYER != 0))
    }

    /// Neurons of the hidden layer of each output bucket, 0 without one.
    #[inline]
    #[must_use]
    pub const fn hidden(&self) -> usize {
        if self.hidden { HIDDEN } else { 0 }
    }

    /// Neurons of the first layer, for one side.
    #[inline]
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width as usize
    }

    /// Sets of output weights.
    #[inline]
    #[must_use]
    pub const fn output_buckets(&self) -> usize {
        self.output_buckets as usize
    }

    /// The bucket of each own king square on the files a to d.
    #[must_use]
    pub const fn king_buckets(&self) -> &[u8; 32] {
        &self.king_buckets
    }

    /// How many king buckets there are.
    #[inline]
    #[must_use]
    pub const fn king_bucket_count(&self) -> usize {
        self.king_bucket_count as usize
    }

    /// Inputs over all king buckets.
    #[must_use]
    pub const fn inputs(&self) -> usize {
        self.king_bucket_count() * PLACES
    }

    /// How `perspective` sees the board with its king on `king`. A side without
    /// a king, whose game is over, sees it as from a corner.
    #[inline]
    #[must_use]
    pub fn view(&self, perspective: Color, king: Option<Square>) -> View {
        let king = king.map_or(0, |king| king as usize ^ perspective.fold_wb(0, 56));
        let mirrored = king & 4 != 0;
        let king = if mirrored { king ^ 7 } else { king };
        View {
            bucket: self.king_buckets[(king >> 3) * 4 + (king & 3)],
            mirrored,
        }
    }

    /// The set of output weights for a position with `men` men.
    #[inline]
    #[must_use]
    pub const fn output_bucket(&self, men: usize) -> usize {
        let men = if men > 32 { 32 } else { men };
        men.saturating_sub(1) * self.output_buckets as usize / 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_shapes_are_refused() {
        assert!(Architecture::new(100, 1, [0; 32]).is_err());
        assert!(Architecture::new(32, 0, [0; 32]).is_err());
        assert!(Architecture::new(32, 1, [1; 32]).is_err());
        assert!(Architecture::from_flags(32, 1, [0; 32], 1).is_err());
    }

    #[test]
    fn every_number_of_men_has_an_output_bucket() {
        let shape = Architecture::new(32, 8, [0; 32]).expect("shape");
        let buckets: Vec<usize> = (0..=32).map(|men| shape.output_bucket(men)).collect();
        assert!(buckets.is_sorted());
        assert_eq!((buckets[2], buckets[32]), (0, 7));
    }
}
