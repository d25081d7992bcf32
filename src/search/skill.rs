//! Playing below full strength.
//!
//! A level bounds the nodes of a move and lets the engine slip now and then:
//! then it plays any of its best few moves. In atomic one such slip often
//! loses, so they are rare even at low levels.

use super::info::Info;

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
        (100.0 * 1.42_f64.powf(self.0)) as u64
    }

    /// How often the engine slips.
    fn slip(self) -> f64 {
        0.4 * (1.0 - self.0 / FULL_LEVEL).powi(2)
    }

    /// The index of the variation to play among those found, the best first.
    #[must_use]
    pub fn choose(self, variations: &[Info], rng: &mut fastrand::Rng) -> usize {
        let choices = variations.len().min(CHOICES);
        if choices > 0 && rng.f64() < self.slip() {
            rng.usize(0..choices)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_think_more_and_slip_less() {
        for level in 1..20 {
            let nodes = |level| Skill::from_level(level).expect("below full").nodes();
            assert!(nodes(level) > nodes(level - 1));
            let slip = |level| Skill::from_level(level).expect("below full").slip();
            assert!(slip(level) < slip(level - 1));
        }
        assert_eq!(Skill::from_level(20), None);
        assert!(Skill::from_elo(2800).nodes() > Skill::from_elo(800).nodes());
    }
}
