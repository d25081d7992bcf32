//! Scores, their bounds, and mate distances.
//!
//! A score is in centipawns from the side to move's view. An exploded king is
//! mate: to explode it on the next move is mate in one.

use std::fmt;

/// Centipawns, or a coded mate distance beyond [`MATE_BOUND`].
pub type Score = i32;

/// The deepest line that the search follows, in plies.
pub const MAX_PLY: usize = 128;

/// A draw.
pub const DRAW: Score = 0;
/// Mate on the spot; a mate in `n` plies is `n` less.
pub const MATE: Score = 32_000;
/// Scores beyond this are mates.
pub const MATE_BOUND: Score = MATE - 2 * MAX_PLY as Score;
/// A win known from endgame tables; each ply to it counts one less.
pub const TABLE_WIN: Score = 20_000;
/// Scores beyond this are known wins and losses, by tables or mate.
pub const TABLE_BOUND: Score = TABLE_WIN - 1_000;
/// Evaluations stay within this.
pub const EVALUATION_BOUND: Score = TABLE_BOUND - 1;
/// More than any score.
pub const INFINITE: Score = 32_001;
/// Marks a score that is not known.
pub const UNKNOWN: Score = 32_002;

/// The score of the side that wins `ply` plies from the root.
#[inline]
#[must_use]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of the side that loses `ply` plies from the root.
#[inline]
#[must_use]
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// The score of a win by tables, `plies` from the root.
#[inline]
#[must_use]
pub fn table_win_in(plies: usize) -> Score {
    (TABLE_WIN - plies as Score).max(TABLE_BOUND)
}

/// Whether the score is a known win or loss, by tables or mate.
#[inline]
#[must_use]
pub const fn is_decided(score: Score) -> bool {
    score.abs() >= TABLE_BOUND && score.abs() <= MATE
}

/// Whether the score is a forced mate.
#[inline]
#[must_use]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND && score.abs() <= MATE
}

/// The number of moves to mate, negative for the side that gets mated, or
/// `None` if the score is no mate.
#[must_use]
pub const fn mate_distance(score: Score) -> Option<i32> {
    if !is_mate(score) {
        None
    } else if score > 0 {
        Some((MATE - score + 1) / 2)
    } else {
        Some(-(MATE + score + 1) / 2)
    }
}

/// What a score says about the true value.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub enum Bound {
    /// Nothing.
    #[default]
    None = 0,
    /// The true value is at most this.
    Upper = 1,
    /// The true value is at least this.
    Lower = 2,
    /// The value itself.
    Exact = 3,
}

impl Bound {
    /// Whether the score may be used as a lower bound.
    #[inline]
    #[must_use]
    pub const fn is_lower(self) -> bool {
        self as u8 & Bound::Lower as u8 != 0
    }

    /// Whether the score may be used as an upper bound.
    #[inline]
    #[must_use]
    pub const fn is_upper(self) -> bool {
        self as u8 & Bound::Upper as u8 != 0
    }

    /// The bound of two bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }
}

/// A score as UCI writes it: `cp 31` or `mate -2`.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct UciScore(pub Score);

impl fmt::Display for UciScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match mate_distance(self.0) {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

/// Chances of win, draw and loss in thousandths, for `UCI_ShowWDL`: a logistic
/// curve fitted by eye to how seldom atomic games are drawn.
#[must_use]
pub fn win_draw_loss(score: Score) -> [u32; 3] {
    if is_mate(score) {
        return if score > 0 {
            [1000, 0, 0]
        } else {
            [0, 0, 1000]
        };
    }
    let chance = |margin: f64| 1000.0 / (1.0 + (-(f64::from(score) - margin) / 130.0).exp());
    let win = chance(70.0).round() as u32;
    let loss = (1000.0 - chance(-70.0)).round() as u32;
    [win, 1000 - win - loss, loss]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploding_the_king_next_move_is_mate_in_one() {
        assert_eq!(UciScore(mate_in(1)).to_string(), "mate 1");
        assert_eq!(UciScore(mate_in(3)).to_string(), "mate 2");
        assert_eq!(UciScore(mated_in(2)).to_string(), "mate -1");
        assert_eq!(UciScore(-31).to_string(), "cp -31");
    }

    #[test]
    fn wins_by_tables_are_neither_mates_nor_evaluations() {
        for plies in [0, 40, 5_000] {
            let score = table_win_in(plies);
            assert!(is_decided(score) && !is_mate(score) && score > EVALUATION_BOUND);
        }
        assert!(is_decided(-table_win_in(3)) && is_decided(mated_in(3)) && !is_decided(900));
    }

    #[test]
    fn chances_add_up_to_a_thousand() {
        for score in (-2000..=2000).chain([MATE - 3, 5 - MATE]) {
            assert_eq!(win_draw_loss(score).iter().sum::<u32>(), 1000, "{score}");
        }
    }
}
