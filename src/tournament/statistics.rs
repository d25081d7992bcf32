//! Strength from results: score, Elo with its error, likelihood of superiority.
//!
//! Games come in pairs: the same opening with colours swapped. In atomic chess
//! White's advantage makes the two games of a pair anything but independent, so
//! errors are computed from the results of pairs (pentanomial); single games
//! (trinomial) serve only where no pair is complete.

use serde::{Deserialize, Serialize};

/// Two-sided 95% quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Wins, draws and losses of one side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games lost.
    pub losses: u64,
    /// Games drawn.
    pub draws: u64,
}

impl Tally {
    /// Adds a game by its half points: 2 for a win, 1 for a draw.
    pub fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// All games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.losses + self.draws
    }

    /// Points, half of one for a draw.
    #[must_use]
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points a game, from 0 to 1; 0.5 without games.
    #[must_use]
    pub fn score(&self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => self.points() / games as f64,
        }
    }

    /// Share of drawn games, from 0 to 1.
    #[must_use]
    pub fn draw_rate(&self) -> f64 {
        match self.games() {
            0 => 0.0,
            games => self.draws as f64 / games as f64,
        }
    }

    /// Variance of the score of one game.
    fn variance(&self) -> f64 {
        let outcomes = [(0.0, self.losses), (0.5, self.draws), (1.0, self.wins)];
        variance(&outcomes.map(|(score, count)| (score, count as f64)))
    }
}

/// Counts of pairs by the points of the first engine: 0, 1/2, 1, 3/2, 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    /// Adds a pair by its half points, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }

    /// All pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean score of a pair's two games, from 0 to 1, with its count.
    #[must_use]
    pub fn outcomes(&self) -> [(f64, f64); 5] {
        let mut outcomes = [(0.0, 0.0); 5];
        for (index, (outcome, count)) in outcomes.iter_mut().zip(self.0).enumerate() {
            *outcome = (index as f64 / 4.0, count as f64);
        }
        outcomes
    }

    /// Variance of the mean score of a pair.
    fn variance(&self) -> f64 {
        variance(&self.outcomes())
    }
}

/// Variance of a distribution given as values with their counts.
fn variance(outcomes: &[(f64, f64)]) -> f64 {
    let total: f64 = outcomes.iter().map(|(_, count)| count).sum();
    if total == 0.0 {
        return 0.0;
    }
    let mean = outcomes
        .iter()
        .map(|(value, count)| value * count)
        .sum::<f64>()
        / total;
    outcomes
        .iter()
        .map(|(value, count)| (value - mean).powi(2) * count)
        .sum::<f64>()
        / total
}

/// What a tally says about strength. A figure that the games do not determine
/// (an infinite Elo, or an error when all pairs ended alike) is `None`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Estimate {
    /// Logistic Elo difference.
    pub elo: Option<f64>,
    /// Half of the 95% confidence interval of `elo`.
    pub elo_error: Option<f64>,
    /// Normalized Elo: the score's distance from one half in standard
    /// deviations of a game, scaled so that it equals Elo where draws are absent
    /// and the engines are near each other.
    pub normalized_elo: Option<f64>,
    /// Likelihood of superiority, from 0 to 1.
    pub los: f64,
}

impl Estimate {
    /// From games and their pairs; see the module on which of them counts.
    #[must_use]
    pub fn new(tally: &Tally, pairs: &Pentanomial) -> Estimate {
        let score = tally.score();
        let games = tally.games() as f64;
        // Variance a game, the correlation within pairs included where enough of
        // them differ to show any.
        let variance = if pairs.variance() > 0.0 {
            2.0 * pairs.variance()
        } else {
            tally.variance()
        };
        let deviation = (variance / games.max(1.0)).sqrt();
        let distance = score - 0.5;
        let determined = variance > 0.0;
        let bound = |side: f64| elo_of_score(score + side * Z95 * deviation);
        Estimate {
            elo: finite(elo_of_score(score)),
            elo_error: finite((bound(1.0) - bound(-1.0)) / 2.0).filter(|_| determined),
            normalized_elo: finite(distance / variance.sqrt() * NORMALIZED_ELO)
                .filter(|_| determined),
            los: if determined {
                normal_cdf(distance / deviation)
            } else if distance == 0.0 {
                0.5
            } else {
                f64::from(u8::from(distance > 0.0))
            },
        }
    }
}

/// Normalized Elo of a score that lies one standard deviation above one half.
pub const NORMALIZED_ELO: f64 = 800.0 / std::f64::consts::LN_10;

/// Logistic Elo difference that belongs to a score; infinite at 0 and 1.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Score that belongs to a logistic Elo difference.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Distribution function of the standard normal distribution, good to about
/// 1e-15 absolutely.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    if x.abs() > 38.0 {
        return f64::from(u8::from(x > 0.0));
    }
    if x < 0.0 {
        return 1.0 - normal_cdf(-x);
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 4.0 {
        // Series x + x^3/3 + x^5/15 + ... around the middle.
        let mut term = x;
        let mut sum = x;
        let mut odd = 1.0;
        while term > sum * f64::EPSILON {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        0.5 + density * sum
    } else {
        // Continued fraction of the tail.
        let fraction = (1..=60)
            .rev()
            .fold(x, |fraction, k| x + f64::from(k) / fraction);
        1.0 - density / fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!(
            (value - expected).abs() <= tolerance,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn normal_distribution_matches_printed_tables() {
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (-1.0, 0.158_655_253_931_457_1),
            (1.959_963_984_540_054, 0.975),
            (3.0, 0.998_650_101_968_369_9),
            (5.0, 0.999_999_713_348_428_1),
        ] {
            close(normal_cdf(x), p, 1e-12);
        }
        assert_eq!(normal_cdf(40.0), 1.0);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        close(elo_of_score(0.75), 190.848_501_887_864_96, 1e-9);
        close(score_of_elo(elo_of_score(0.61)), 0.61, 1e-12);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
    }

    /// By hand: pairs (1, 2, 4, 2, 1) over mean scores (0, 1/4, 1/2, 3/4, 1) have
    /// mean 1/2 and variance (2 * 1/4 + 4 * 1/16) / 10 = 0.075, so the standard
    /// error is sqrt(0.0075) = 0.0866 and the 95% bounds are 0.5 +- 0.16974.
    #[test]
    fn an_even_match_by_hand() {
        let tally = Tally {
            wins: 7,
            losses: 7,
            draws: 6,
        };
        let estimate = Estimate::new(&tally, &Pentanomial([1, 2, 4, 2, 1]));
        close(estimate.elo.unwrap(), 0.0, 1e-12);
        close(
            estimate.elo_error.unwrap(),
            400.0 * (0.669_738f64 / 0.330_262).log10(),
            1e-2,
        );
        close(estimate.los, 0.5, 1e-12);
        close(estimate.normalized_elo.unwrap(), 0.0, 1e-12);
    }

    /// By hand: pairs (1, 3, 5, 7, 4) over mean scores (0, 1/4, 1/2, 3/4, 1) have
    /// mean (3/4 + 5/2 + 21/4 + 4) / 20 = 0.625 and second moment
    /// (3/16 + 5/4 + 63/16 + 4) / 20 = 0.46875, so the variance is 0.078125 and the
    /// standard error sqrt(0.078125 / 20) = 0.0625: the score lies exactly two of
    /// them above one half. A game's deviation is sqrt(2 * 0.078125) = 0.395285.
    #[test]
    fn a_won_match_by_hand() {
        let tally = Tally {
            wins: 20,
            losses: 10,
            draws: 10,
        };
        let estimate = Estimate::new(&tally, &Pentanomial([1, 3, 5, 7, 4]));
        close(estimate.elo.unwrap(), 88.739_499_8, 1e-6);
        close(estimate.los, 0.977_249_868_051_820_8, 1e-12);
        // The bounds are 0.747498 and 0.502502: +188.538 and +1.739 Elo.
        close(
            estimate.elo_error.unwrap(),
            (188.537_854 - 1.738_757) / 2.0,
            1e-5,
        );
        close(estimate.normalized_elo.unwrap(), 109.868_779, 1e-5);
    }

    /// A recorded match of 100 games, +82 -18 =0 in pairs (3, 0, 12, 0, 35): pair
    /// variance (12/4 + 35) / 50 - 0.82^2 = 0.0876, standard error 0.0418569; the
    /// bounds 0.737962 and 0.902038 are +179.868 and +385.667 Elo.
    #[test]
    fn a_recorded_match_by_hand() {
        let tally = Tally {
            wins: 82,
            losses: 18,
            draws: 0,
        };
        let estimate = Estimate::new(&tally, &Pentanomial([3, 0, 12, 0, 35]));
        close(estimate.elo.unwrap(), 263.416, 1e-3);
        close(estimate.elo_error.unwrap(), (385.667 - 179.868) / 2.0, 1e-3);
        close(estimate.normalized_elo.unwrap(), 265.618, 1e-3);
        assert!(estimate.los > 0.999_999_999);
    }

    #[test]
    fn games_without_pairs_count_singly() {
        // Score 0.75, variance 0.1875 / 4 games.
        let estimate = Estimate::new(
            &Tally {
                wins: 3,
                losses: 1,
                draws: 0,
            },
            &Pentanomial::default(),
        );
        close(
            estimate.los,
            normal_cdf(0.25 / (0.1875f64 / 4.0).sqrt()),
            1e-12,
        );
    }

    #[test]
    fn undetermined_figures_are_none() {
        let estimate = Estimate::new(
            &Tally {
                wins: 4,
                losses: 0,
                draws: 0,
            },
            &Pentanomial([0, 0, 0, 0, 2]),
        );
        assert_eq!(
            (estimate.elo, estimate.elo_error, estimate.los),
            (None, None, 1.0)
        );
        let nothing = Estimate::new(&Tally::default(), &Pentanomial::default());
        assert_eq!(
            (nothing.elo, nothing.elo_error, nothing.los),
            (Some(0.0), None, 0.5)
        );
    }
}
