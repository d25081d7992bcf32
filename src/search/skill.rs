//! Playing below full strength.
//!
//! A level bounds the nodes of a move and lets the engine choose, at random
//! but seldom badly, among its best few moves.

use super::{info::Info, score::Score};

/// The level that plays at full strength.
pub const FULL_LEVEL: f64 = 20.0;
/// The range of `UCI_Elo`.
pub const ELO_RANGE: (u32, u32) = (800, 2800);
/// How many of the best moves a weak engine chooses among.
pub const CHOICES: usize = 4;

/// How strong the engine plays, from 0 to below [`FULL_LEVEL`].
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Skill(f64);

impl Skill {
    /// A level of `Skill Level`; `None` is full strength.
    #[must_use]
    pub fn from_level(level: u32) -> Option<Skill> {
        let level = f64::from(level);
        (level < FULL_LEVEL).then_some(Skill(level))
    }

    /// The level that plays about as a rating of `UCI_Elo`.
    #[must_use]
    pub fn from_elo(elo: u32) -> Skill {
        let (low, high) = ELO_RANGE;
        let share = f64::from(elo.clamp(low, high) - low) / f64::from(high - low);
        Skill(share * (FULL_LEVEL - 0.5))
    }

    /// Nodes to spend on a move; the iteration begun is finished.
    #[must_use]
    pub fn nodes(self) -> u64 {
        (100.0 * 1.5_f64.powf(self.0)) as u64
    }

    /// Chooses among variations sorted by score: each loses up to `weakness`
    /// centipawns by chance, and the best remaining is taken.
    #[must_use]
    pub fn choose(self, variations: &[Info], rng: &mut fastrand::Rng) -> usize {
        let weakness = 16.0 * (FULL_LEVEL - self.0);
        (0..variations.len().min(CHOICES))
            .max_by_key(|&index| {
                variations[index].score
                    - (rng.f64() * weakness * index.min(2) as f64 * 0.5) as Score
                    + (rng.f64() * weakness) as Score
            })
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_think_more() {
        for level in 1..20 {
            let nodes = |level| Skill::from_level(level).expect("below full").nodes();
            assert!(nodes(level) > nodes(level - 1));
        }
        assert_eq!(Skill::from_level(20), None);
        assert!(Skill::from_elo(2800).nodes() > Skill::from_elo(800).nodes());
    }
}
