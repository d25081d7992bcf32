//! Playing below full strength.
//!
//! A level bounds the nodes of a move and makes the engine overlook some of its
//! moves, as people do. What it does see it plays as well as those nodes allow.

/// The level that plays at full strength.
pub const FULL_LEVEL: f64 = 20.0;
/// The range of `UCI_Elo`.
pub const ELO_RANGE: (u32, u32) = (800, 2800);
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

    /// The chance that a move is overlooked.
    fn oversight(self) -> f64 {
        0.6 * (1.0 - self.0 / FULL_LEVEL).powf(1.5)
    }

    /// Leaves only the moves that are seen, at least one.
    pub fn overlook<T>(self, moves: &mut Vec<T>, rng: &mut fastrand::Rng) {
        let seen = rng.usize(0..moves.len().max(1));
        let mut index = 0;
        moves.retain(|_| {
            index += 1;
            index - 1 == seen || rng.f64() >= self.oversight()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_levels_think_more_and_overlook_less() {
        for level in 1..20 {
            let nodes = |level| Skill::from_level(level).expect("below full").nodes();
            assert!(nodes(level) > nodes(level - 1));
            let oversight = |level| Skill::from_level(level).expect("below full").oversight();
            assert!(oversight(level) < oversight(level - 1));
        }
        assert_eq!(Skill::from_level(20), None);
        assert!(Skill::from_elo(2800).nodes() > Skill::from_elo(800).nodes());
    }

    #[test]
    fn something_is_always_seen() {
        let mut rng = fastrand::Rng::with_seed(1);
        for count in 1..40 {
            let mut moves: Vec<usize> = (0..count).collect();
            Skill(0.0).overlook(&mut moves, &mut rng);
            assert!(!moves.is_empty() && moves.is_sorted());
        }
    }
}
