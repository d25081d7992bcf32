//! A pair of values, one for the middlegame and one for the endgame, added in
//! one operation.

use std::{
    fmt,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

/// A middlegame and an endgame value in centipawns, packed in one word so that
/// one addition adds both. Each half holds any sum the board can give.
#[derive(Copy, Clone, Default, Eq, PartialEq)]
pub struct Score(i64);

impl Score {
    /// No value at all.
    pub const ZERO: Score = Score(0);

    /// Packs two values.
    #[must_use]
    pub const fn new(middlegame: i32, endgame: i32) -> Score {
        Score(((endgame as i64) << 32) + middlegame as i64)
    }

    /// The value while many pieces are on the board.
    #[inline]
    #[must_use]
    pub const fn middlegame(self) -> i32 {
        self.0 as i32
    }

    /// The value once few pieces are left. The lower half may be negative and
    /// have borrowed one from this half, hence the rounding.
    #[inline]
    #[must_use]
    pub const fn endgame(self) -> i32 {
        ((self.0 + 0x8000_0000) >> 32) as i32
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S({}, {})", self.middlegame(), self.endgame())
    }
}

impl Add for Score {
    type Output = Score;

    #[inline]
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;

    #[inline]
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for Score {
    type Output = Score;

    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Mul<i32> for Score {
    type Output = Score;

    #[inline]
    fn mul(self, factor: i32) -> Score {
        Score(self.0 * i64::from(factor))
    }
}

impl AddAssign for Score {
    #[inline]
    fn add_assign(&mut self, other: Score) {
        *self = *self + other;
    }
}

impl SubAssign for Score {
    #[inline]
    fn sub_assign(&mut self, other: Score) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn both_halves_survive_arithmetic_of_any_sign() {
        for (a, b) in [(3, -7), (-3, 7), (-20_000, -1), (0, -5), (12, 0)] {
            let score = Score::new(a, b);
            assert_eq!((score.middlegame(), score.endgame()), (a, b));
            let scaled = -(score + Score::new(1, -1)) * 3 - score;
            let expected = (-(a + 1) * 3 - a, -(b - 1) * 3 - b);
            assert_eq!((scaled.middlegame(), scaled.endgame()), expected);
        }
    }
}
