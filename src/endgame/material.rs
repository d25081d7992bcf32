//! Which men an ending has, and the name of its table: `KRPvKN`.

use std::{fmt, str::FromStr};

use arrayvec::ArrayVec;
use shakmaty::{Color, Piece, Role};
use thiserror::Error;

/// The roles other than the king in the order of table names.
const ROLES: [Role; 5] = [
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

/// The most men that a table built here may have.
pub const MAX_MEN: usize = 5;

/// The most men beside the kings that a table of others may have.
const MAX_OTHERS: usize = 4;

/// The men of both sides beside their kings. A table has the stronger side as
/// White: the one with more men, or else with the better ones.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Ord, PartialOrd, Hash)]
pub struct Material {
    /// For White and Black, how many of each of [`ROLES`].
    counts: [[u8; 5]; 2],
}

/// The text names no table that can be built.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error(
    "{0:?} is not the name of a table: expected the men of both sides, three to five in all, such as KQvK or KRPvKN"
)]
pub struct UnknownMaterial(pub String);

impl Material {
    /// Counts men; the kings do not matter.
    #[must_use]
    pub fn from_men(men: impl IntoIterator<Item = Piece>) -> Material {
        let mut counts = [[0; 5]; 2];
        for man in men {
            if let Some(index) = ROLES.iter().position(|&role| role == man.role) {
                counts[usize::from(man.color.is_black())][index] += 1;
            }
        }
        Material { counts }
    }

    /// All materials of so many men, kings included, in an order in which each
    /// comes after all that its moves can lead to.
    #[must_use]
    pub fn all(men: usize) -> Vec<Material> {
        let mut found = Vec::new();
        let others = men.saturating_sub(2);
        let sides: Vec<[u8; 5]> = (0..6_usize.pow(5))
            .map(|number| {
                let mut rest = number;
                [(); 5].map(|()| {
                    let digit = rest % 6;
                    rest /= 6;
                    digit as u8
                })
            })
            .filter(|side| count(side) <= others)
            .collect();
        for &white in &sides {
            for &black in &sides {
                let material = Material {
                    counts: [white, black],
                };
                if count(&white) + count(&black) == others && !material.is_swapped() {
                    found.push(material);
                }
            }
        }
        found.sort_by_key(|material| (material.pawns(), *material));
        found
    }

    /// The men of the table with this name, in any order of the sides, the
    /// stronger side as White; `None` if no table can have it.
    #[must_use]
    pub fn of_table(name: &str) -> Option<Material> {
        let (white, black) = name.split_once('v')?;
        let mut men = ArrayVec::<Piece, MAX_OTHERS>::new();
        for (side, color) in [(white, Color::White), (black, Color::Black)] {
            for letter in side.strip_prefix('K')?.chars() {
                let role = ROLES.into_iter().find(|role| role.upper_char() == letter)?;
                men.try_push(role.of(color)).ok()?;
            }
        }
        (!men.is_empty()).then(|| Material::from_men(men).normalized())
    }

    /// How many men there are, kings included.
    #[must_use]
    pub fn men(&self) -> usize {
        2 + count(&self.counts[0]) + count(&self.counts[1])
    }

    /// How many pawns there are.
    #[must_use]
    pub fn pawns(&self) -> usize {
        self.pawns_of(Color::White) + self.pawns_of(Color::Black)
    }

    /// How many pawns one side has.
    #[must_use]
    pub fn pawns_of(&self, color: Color) -> usize {
        usize::from(self.counts[usize::from(color.is_black())][4])
    }

    /// Whether both sides have the same men.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// Whether Black is the stronger side, so that the table has the colours
    /// the other way round.
    #[must_use]
    pub fn is_swapped(&self) -> bool {
        let [white, black] = &self.counts;
        (count(black), black) > (count(white), white)
    }

    /// The same men with colours exchanged.
    #[must_use]
    pub fn swapped(&self) -> Material {
        Material {
            counts: [self.counts[1], self.counts[0]],
        }
    }

    /// The men of White, then those of Black, each with its king first.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        let counts = self.counts;
        Color::ALL.into_iter().flat_map(move |color| {
            let of_color = counts[usize::from(color.is_black())];
            std::iter::once(color.king()).chain((0..5).flat_map(move |index| {
                let man = ROLES[index].of(color);
                std::iter::repeat_n(man, usize::from(of_color[index]))
            }))
        })
    }

    /// The materials of the same number of men that a promotion leads to, with
    /// the stronger side as White.
    pub fn promotions(&self) -> impl Iterator<Item = Material> + use<> {
        let counts = self.counts;
        (0..2)
            .filter(move |&side| counts[side][4] > 0)
            .flat_map(move |side| {
                (0..4).map(move |role| {
                    let mut promoted = Material { counts };
                    promoted.counts[side][4] -= 1;
                    promoted.counts[side][role] += 1;
                    promoted.normalized()
                })
            })
    }

    /// The materials of fewer men that captures may leave, the stronger side as
    /// White, bare kings left out. A capture takes a man of each side from the
    /// board, and with them any pieces, but no other pawn.
    #[must_use]
    pub fn remainders(&self) -> Vec<Material> {
        let after = self.after_captures();
        let mut found: Vec<Material> = (3..self.men().saturating_sub(1))
            .flat_map(Material::all)
            .filter(|smaller| {
                let mut after = after.iter();
                after.any(|left| {
                    left.may_shrink_to(smaller) || left.may_shrink_to(&smaller.swapped())
                })
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// What captures leave that explode nothing but the two men themselves.
    fn after_captures(&self) -> Vec<Material> {
        let mut found = Vec::new();
        for white in 0..ROLES.len() {
            for black in 0..ROLES.len() {
                let mut left = *self;
                if self.counts[0][white] > 0 && self.counts[1][black] > 0 {
                    left.counts[0][white] -= 1;
                    left.counts[1][black] -= 1;
                    found.push(left);
                }
            }
        }
        found
    }

    /// The stronger side as White.
    #[must_use]
    pub fn normalized(&self) -> Material {
        if self.is_swapped() {
            self.swapped()
        } else {
            *self
        }
    }

    /// Whether `smaller` is left when some of the pieces go.
    fn may_shrink_to(&self, smaller: &Material) -> bool {
        let mut sides = self.counts.iter().zip(&smaller.counts);
        sides.all(|(all, left)| {
            all[4] == left[4] && left.iter().zip(all).all(|(left, all)| left <= all)
        })
    }
}

fn count(side: &[u8; 5]) -> usize {
    side.iter().copied().map(usize::from).sum()
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, man) in self.pieces().enumerate() {
            if man.role == Role::King && index > 0 {
                f.write_str("v")?;
            }
            write!(f, "{}", man.role.upper_char())?;
        }
        Ok(())
    }
}

impl FromStr for Material {
    type Err = UnknownMaterial;

    /// Reads the name of a table that can be built, in any order of the sides.
    fn from_str(text: &str) -> Result<Material, UnknownMaterial> {
        let known = Material::of_table(text).filter(|material| material.men() <= MAX_MEN);
        known.ok_or_else(|| UnknownMaterial(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_five_three_man_and_thirty_four_man_endings() {
        assert_eq!(Material::all(3).len(), 5);
        assert_eq!(Material::all(4).len(), 30);
        let names: Vec<_> = Material::all(4).iter().map(Material::to_string).collect();
        assert!(names.contains(&"KPvKP".to_owned()) && names.contains(&"KPPvK".to_owned()));
        assert!(names.contains(&"KQvKR".to_owned()) && !names.contains(&"KRvKQ".to_owned()));
    }

    #[test]
    fn captures_leave_what_a_blast_spares() {
        for (name, left) in [
            ("KRPvKB", vec!["KPvK", "KRvK"]),
            ("KRPvKP", vec!["KPvK", "KRvK"]),
            ("KPPvKR", vec!["KPvK"]),
            ("KQQPvK", vec![]),
            ("KQvKR", vec![]),
        ] {
            let material: Material = name.parse().expect("a name");
            let mut names: Vec<_> = material
                .remainders()
                .iter()
                .map(Material::to_string)
                .collect();
            names.sort();
            assert_eq!(names, left, "{name}");
        }
    }

    #[test]
    fn names_are_read_in_any_order_and_written_in_one() {
        for (text, name) in [("KvKQ", "KQvK"), ("KBvKRP", "KRPvKB"), ("KNPvK", "KNPvK")] {
            assert_eq!(
                text.parse::<Material>().map(|m| m.to_string()),
                Ok(name.to_owned())
            );
        }
        for text in ["KQ", "QvK", "KvK", "KQQQQvK", "KXvK", "kqvk"] {
            assert!(text.parse::<Material>().is_err(), "{text}");
        }
    }
}
