//! What a move is worth: chances to win before and after it.
//!
//! Moves are judged by winning chances, not centipawns, so that half a pawn
//! counts in an even game and nothing in a won one. A mate that a move prolongs
//! costs nothing, since the win stays; a win turned into a draw costs half.

use serde::Serialize;

use crate::search::score::{Score, is_mate};

/// Centipawns that make the odds `e` to one. Fitted to this engine's games.
const SCALE: f64 = 280.0;
/// From these chances on, a position counts as won.
const WON: f64 = 0.9;
/// Below these, it is not won any more.
const NOT_WON: f64 = 0.75;
/// At or below these, it is lost.
pub const LOST: f64 = 0.25;

/// The chance that the side wins whose score this is, from 0 to 1; a draw
/// counts half.
#[must_use]
pub fn win_probability(score: Score) -> f64 {
    if is_mate(score) {
        return if score > 0 { 1.0 } else { 0.0 };
    }
    1.0 / (1.0 + (-f64::from(score) / SCALE).exp())
}

/// A move that was not good enough.
#[derive(Copy, Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// It gave away 5 points of a hundred.
    Inaccuracy,
    /// It gave away 10.
    Mistake,
    /// It gave away 20.
    Blunder,
}

impl Judgement {
    /// The judgement on a move that lost this much of the chances, if it
    /// deserves one.
    #[must_use]
    pub fn of_loss(loss: f64) -> Option<Judgement> {
        match loss {
            0.2.. => Some(Judgement::Blunder),
            0.1..0.2 => Some(Judgement::Mistake),
            0.05..0.1 => Some(Judgement::Inaccuracy),
            _ => None,
        }
    }

    /// The number of the glyph in PGN: `?!`, `?` or `??`.
    #[must_use]
    pub const fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }

    /// The glyph itself.
    #[must_use]
    pub const fn glyph(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "?!",
            Judgement::Mistake => "?",
            Judgement::Blunder => "??",
        }
    }

    /// The word, with a capital letter.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        }
    }
}

/// Whether a move let a won game slip without losing it.
#[must_use]
pub fn is_missed_win(before: f64, after: f64) -> bool {
    before >= WON && after < NOT_WON && after > LOST
}

/// Accuracy of a move from 0 to 100: 100 if it kept all chances, and falling
/// steeply from there. The curve is the one that lichess publishes.
#[must_use]
pub fn move_accuracy(loss: f64) -> f64 {
    let lost_percent = 100.0 * loss.max(0.0);
    (103.1668 * (-0.043_54 * lost_percent).exp() - 3.1669).clamp(0.0, 100.0)
}

/// Accuracy of a side: half the mean over its moves, half their harmonic mean,
/// which a single bad move pulls down. `None` without moves.
#[must_use]
pub fn accuracy(moves: &[f64]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let count = moves.len() as f64;
    let mean = moves.iter().sum::<f64>() / count;
    let harmonic = count / moves.iter().map(|value| 1.0 / value.max(1.0)).sum::<f64>();
    Some((mean + harmonic) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mate_in, mated_in};

    fn judged(before: Score, after: Score) -> Option<Judgement> {
        Judgement::of_loss(win_probability(before) - win_probability(after))
    }

    #[test]
    fn a_mate_prolonged_is_no_error() {
        assert_eq!(judged(mate_in(3), mate_in(15)), None);
        assert_eq!(judged(mated_in(8), mated_in(2)), None);
    }

    #[test]
    fn a_win_thrown_into_a_draw_is_a_blunder_and_a_missed_win() {
        for before in [mate_in(5), 900] {
            assert_eq!(judged(before, 0), Some(Judgement::Blunder));
            assert!(is_missed_win(win_probability(before), 0.5));
        }
        assert!(!is_missed_win(1.0, 0.0), "that is worse than a missed win");
    }

    #[test]
    fn the_same_centipawns_weigh_less_in_a_won_game() {
        assert_eq!(judged(0, -150), Some(Judgement::Mistake));
        assert_eq!(judged(1500, 1200), None);
    }

    #[test]
    fn accuracy_is_full_without_loss_and_falls() {
        assert!(move_accuracy(0.0) > 99.9);
        assert!(move_accuracy(0.1) > move_accuracy(0.3));
        assert_eq!(move_accuracy(1.0), 0.0);
        let even = accuracy(&[100.0, 100.0]).expect("moves");
        let once = accuracy(&[100.0, 0.0]).expect("moves");
        assert!(even > 99.9 && once < 50.0);
        assert_eq!(accuracy(&[]), None);
    }
}
