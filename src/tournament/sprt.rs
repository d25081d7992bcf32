//! The sequential probability ratio test on pairs of games: play until the
//! results speak clearly for one of two hypotheses about the Elo difference.
//!
//! The log-likelihood ratio is the generalized one: for each hypothesis the
//! distribution over the five results of a pair that fits the results best among
//! all that have the hypothesis' strength. Nothing is assumed about draws or about the
//! correlation within pairs, which White's advantage makes strong in atomic chess.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::statistics::{NORMALIZED_ELO, Pentanomial, score_of_elo};

/// What the Elo of the hypotheses means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// The score: 100 Elo are 64%, as in the table.
    #[default]
    Logistic,
    /// The score's distance from one half in standard deviations of a game, so
    /// that a test takes equally long whatever the openings and draw rate.
    Normalized,
}

/// The test's hypotheses and error rates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sprt {
    /// Elo of the null hypothesis.
    pub elo0: f64,
    /// Elo of the alternative.
    pub elo1: f64,
    /// Chance of accepting the alternative when the null hypothesis holds.
    pub alpha: f64,
    /// Chance of accepting the null hypothesis when the alternative holds.
    pub beta: f64,
    /// What Elo means here.
    pub model: EloModel,
}

/// Text that does not describe a test.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SprtError {
    /// A word that is no setting or has no readable value.
    #[error(
        "'{0}' is not an SPRT setting: write elo0=, elo1=, alpha=, beta= (numbers) or model=logistic|normalized"
    )]
    Setting(String),
    /// Hypotheses in the wrong order or too far from zero, or error rates outside
    /// (0, 0.5).
    #[error(
        "an SPRT needs elo0 below elo1, both within -200 and 200, and alpha and beta between 0 and 0.5 (got {0})"
    )]
    Range(Sprt),
}

/// What the test says so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Play on.
    Undecided,
    /// The alternative is accepted: the first engine is stronger.
    AcceptH1,
    /// The null hypothesis is accepted.
    AcceptH0,
}

/// The state of a test.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SprtStatus {
    /// The test.
    pub test: Sprt,
    /// Log-likelihood ratio of the alternative to the null hypothesis.
    pub llr: f64,
    /// At or below, the null hypothesis is accepted.
    pub lower: f64,
    /// At or above, the alternative is accepted.
    pub upper: f64,
    /// What follows.
    pub decision: Decision,
}

impl Sprt {
    /// Reads words such as `elo0=0`, `elo1=10`; what is not named is
    /// elo0=0, elo1=10, alpha=0.05, beta=0.05, model=logistic.
    ///
    /// # Errors
    ///
    /// When a word is not understood or the values cannot make a test.
    pub fn from_words<S: AsRef<str>>(words: &[S]) -> Result<Sprt, SprtError> {
        let mut sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
            model: EloModel::Logistic,
        };
        for word in words.iter().map(AsRef::as_ref) {
            let error = || SprtError::Setting(word.to_owned());
            let (key, value) = word.split_once('=').ok_or_else(error)?;
            let target = match key {
                "elo0" => &mut sprt.elo0,
                "elo1" => &mut sprt.elo1,
                "alpha" => &mut sprt.alpha,
                "beta" => &mut sprt.beta,
                "model" => {
                    sprt.model = value.parse().map_err(|()| error())?;
                    continue;
                }
                _ => return Err(error()),
            };
            *target = value
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(error)?;
        }
        let rate = |rate: f64| rate > 0.0 && rate < 0.5;
        let near = sprt.elo0.abs().max(sprt.elo1.abs()) <= FARTHEST_ELO;
        if sprt.elo0 < sprt.elo1 && near && rate(sprt.alpha) && rate(sprt.beta) {
            Ok(sprt)
        } else {
            Err(SprtError::Range(sprt))
        }
    }

    /// The test applied to results.
    #[must_use]
    pub fn status(&self, pairs: &Pentanomial) -> SprtStatus {
        let llr = self.llr(pairs);
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        let decision = if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Undecided
        };
        SprtStatus {
            test: *self,
            llr,
            lower,
            upper,
            decision,
        }
    }

    /// Log-likelihood ratio of the alternative to the null hypothesis; 0 without
    /// results.
    #[must_use]
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        // A result that was not seen yet is not impossible.
        let outcomes = pairs
            .outcomes()
            .map(|(score, count)| (score, count.max(UNSEEN)));
        let total: f64 = outcomes.iter().map(|(_, count)| count).sum();
        let observed = outcomes.map(|(score, count)| (score, count / total));
        let fit = |elo: f64| match self.model {
            EloModel::Logistic => fit_mean(&observed, score_of_elo(elo)),
            EloModel::Normalized => fit_effect(&observed, elo / NORMALIZED_ELO),
        };
        let (null, alternative) = (fit(self.elo0), fit(self.elo1));
        let ratio = |index: usize| (alternative[index] / null[index]).ln();
        total
            * (0..5)
                .map(|index| observed[index].1 * ratio(index))
                .sum::<f64>()
    }
}

/// Hypotheses farther from zero are no question for a sequential test, and the
/// fit of normalized Elo need not converge for them.
const FARTHEST_ELO: f64 = 200.0;

/// Count that stands for none.
const UNSEEN: f64 = 1e-3;

/// The distribution with mean score `mean` under which the observed shares are
/// likeliest: share / (1 + x (score - mean)) with the x that makes the mean right.
fn fit_mean(observed: &[(f64, f64); 5], mean: f64) -> [f64; 5] {
    reweight(observed, |score| score - mean)
}

/// The same with the score `effect` standard deviations of a game above one
/// half. A pair's mean score deviates sqrt(2) less than a game's score, hence the
/// factor. The condition is quadratic in the distribution and is met by solving its
/// linearization around the last solution again and again.
fn fit_effect(observed: &[(f64, f64); 5], effect: f64) -> [f64; 5] {
    let effect = effect * std::f64::consts::SQRT_2;
    let mut shares = [0.2; 5];
    for _ in 0..50 {
        let moment = |power: i32, center: f64| {
            let scores = observed
                .iter()
                .map(|(score, _)| (score - center).powi(power));
            scores
                .zip(shares)
                .map(|(value, share)| value * share)
                .sum::<f64>()
        };
        let mean = moment(1, 0.0);
        let deviation = moment(2, mean).sqrt();
        let next = reweight(observed, |score| {
            let distance = (score - mean) / deviation;
            score - 0.5 - effect * deviation * (1.0 + distance * distance) / 2.0
        });
        let change = next
            .iter()
            .zip(shares)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        shares = next;
        if change < 1e-12 {
            break;
        }
    }
    shares
}

/// The likeliest distribution under which `value` has mean zero: each share
/// divided by 1 + x value, where x makes the mean zero. The mean falls as x grows, so x
/// is found by bisection between the poles.
fn reweight(observed: &[(f64, f64); 5], value: impl Fn(f64) -> f64) -> [f64; 5] {
    let points = observed.map(|(score, share)| (value(score), share));
    let largest = points
        .iter()
        .map(|point| point.0)
        .fold(f64::NEG_INFINITY, f64::max);
    let smallest = points
        .iter()
        .map(|point| point.0)
        .fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mean = |x: f64| {
        points
            .iter()
            .map(|(value, share)| share * value / (1.0 + x * value))
            .sum()
    };
    let mut x: f64 = 0.0;
    for _ in 0..200 {
        x = (low + high) / 2.0;
        let mean: f64 = mean(x);
        if mean > 0.0 {
            low = x;
        } else {
            high = x;
        }
    }
    points.map(|(value, share)| share / (1.0 + x * value))
}

impl FromStr for EloModel {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "logistic" => Ok(EloModel::Logistic),
            "normalized" => Ok(EloModel::Normalized),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = match self.model {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        };
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            ..
        } = self;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model,
        }
    }

    /// The ratios were worked out twice outside this program: by Fishtest's
    /// public statistics module, and by maximizing both likelihoods directly
    /// with a general optimizer (SLSQP). The two agree to more digits than are
    /// written here.
    #[test]
    fn ratios_agree_with_independent_implementations() {
        for (elo0, elo1, counts, logistic, normalized) in [
            (0.0, 10.0, [12, 40, 96, 60, 22], 1.874_602_71, 1.413_684_23),
            (0.0, 10.0, [1, 3, 5, 7, 4], 0.356_130_06, 0.312_051_55),
            (
                -5.0,
                5.0,
                [40, 90, 200, 70, 20],
                -3.640_798_97,
                -2.508_509_33,
            ),
            (0.0, 10.0, [0, 5, 20, 9, 0], 0.426_161_21, 0.225_802_91),
            (
                0.5,
                2.5,
                [223, 9863, 21279, 10037, 246],
                -3.074_126_44,
                0.406_798_96,
            ),
            (
                -1.75,
                0.25,
                [127, 4883, 10712, 5150, 104],
                6.862_003_44,
                3.010_154_20,
            ),
        ] {
            for (model, expected) in [
                (EloModel::Logistic, logistic),
                (EloModel::Normalized, normalized),
            ] {
                let llr = test(elo0, elo1, model).llr(&Pentanomial(counts));
                assert!((llr - expected).abs() < 1e-6, "{counts:?} {model:?}: {llr}");
            }
        }
    }

    /// By hand: only pairs of 0 and 2 points, one of each. Both hypotheses then fix
    /// the shares: s and 1 - s of pairs won, apart from the traces left to the unseen
    /// results. With s0 = 1/2 and s1 = 0.64 the ratio is ln(4 * 0.64 * 0.36).
    #[test]
    fn a_ratio_by_hand() {
        let elo1 = super::super::statistics::elo_of_score(0.64);
        let llr = test(0.0, elo1, EloModel::Logistic).llr(&Pentanomial([1, 0, 0, 0, 1]));
        assert!((llr - (4.0f64 * 0.64 * 0.36).ln()).abs() < 1e-3, "{llr}");
    }

    #[test]
    fn decisions_follow_from_the_bounds() {
        let sprt = Sprt::from_words(&["elo0=0", "elo1=20"]).unwrap();
        let decision = |counts| sprt.status(&Pentanomial(counts)).decision;
        let status = sprt.status(&Pentanomial::default());
        assert!((status.upper - 19f64.ln()).abs() < 1e-12 && status.lower == -status.upper);
        assert_eq!((status.llr, status.decision), (0.0, Decision::Undecided));
        assert_eq!(decision([0, 2, 10, 60, 30]), Decision::AcceptH1);
        assert_eq!(decision([30, 60, 10, 2, 0]), Decision::AcceptH0);
        assert_eq!(decision([0, 1, 2, 1, 0]), Decision::Undecided);
    }

    /// Lopsided results leave no distribution undefined.
    #[test]
    fn every_count_has_a_ratio() {
        for counts in [
            [0, 0, 0, 0, 9],
            [9, 0, 0, 0, 0],
            [0, 0, 900, 0, 0],
            [1, 0, 0, 0, 0],
        ] {
            for model in [EloModel::Logistic, EloModel::Normalized] {
                let llr = test(-FARTHEST_ELO, FARTHEST_ELO, model).llr(&Pentanomial(counts));
                assert!(llr.is_finite(), "{counts:?} {model:?}: {llr}");
            }
        }
    }

    #[test]
    fn settings_are_read_and_mistakes_named() {
        let words = [
            "elo0=-5",
            "elo1=0",
            "alpha=0.1",
            "beta=0.02",
            "model=normalized",
        ];
        let sprt = Sprt::from_words(&words).unwrap();
        assert_eq!(sprt.to_string(), words.join(" "));
        for words in [
            ["elo0=x"],
            ["elo2=3"],
            ["elo1"],
            ["model=trinomial"],
            ["elo1=inf"],
        ] {
            let error = Sprt::from_words(&words).unwrap_err().to_string();
            assert!(error.contains(words[0]), "{error}");
        }
        for words in [["elo0=10"], ["elo1=201"], ["alpha=0.5"], ["beta=0"]] {
            let error = Sprt::from_words(&words).unwrap_err();
            assert!(matches!(error, SprtError::Range(_)));
        }
    }
}
