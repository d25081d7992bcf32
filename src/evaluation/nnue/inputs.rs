//! What a network is told of a position: the men on their squares and, if it
//! asks for that, which of them can be taken, and by what.
//!
//! In atomic chess a man that can be taken is a bomb under everything around
//! it, and lines that open and close decide who can set it off. Men on squares
//! alone do not say that.

use shakmaty::{Bitboard, Board, Color, File, Role, Square, attacks};

use super::Architecture;
use crate::rules::sliders;

/// Kinds of men: six of each side.
const KINDS: usize = 12;
/// Classes of men that take: pawns, minor pieces, rooks and queens. Kings
/// take nothing.
const ATTACKERS: usize = 3;
/// Inputs of one king bucket: a kind of man, own or not, on a square.
pub const PLACES: usize = KINDS * 64;
/// Inputs that all king buckets share: a kind of man, own or not, on a square
/// where a class of the other side's men attacks it.
pub const TARGETS: usize = ATTACKERS * PLACES;
const PLANES: usize = (1 + ATTACKERS) * KINDS;

/// The inputs of a position, as sets of squares: first the men of each kind,
/// Black's from pawn to king and White's, then for each class of attackers
/// those of them that it attacks.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Scene([Bitboard; PLANES]);

/// How one side sees the board: which king bucket, and whether mirrored.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct View {
    pub(super) bucket: u8,
    pub(super) mirrored: bool,
}

impl Default for Scene {
    fn default() -> Scene {
        Scene([Bitboard::EMPTY; PLANES])
    }
}

impl Scene {
    /// What `board` shows to a network of that shape.
    #[must_use]
    pub fn of(board: &Board, shape: &Architecture) -> Scene {
        let (roles, colors) = board.clone().into_bitboards();
        let mut men = [Bitboard::EMPTY; KINDS];
        for color in Color::ALL {
            for role in Role::ALL {
                men[kind(color, role)] = *roles.get(role) & *colors.get(color);
            }
        }
        Scene::from_men(men, shape)
    }

    /// The same from the squares of each kind of man.
    pub(crate) fn from_men(men: [Bitboard; KINDS], shape: &Architecture) -> Scene {
        let mut scene = Scene::default();
        scene.0[..KINDS].copy_from_slice(&men);
        if shape.sees_attackers() {
            let sides = [&men[..6], &men[6..]]
                .map(|men| men.iter().fold(Bitboard::EMPTY, |all, &men| all | men));
            for color in Color::ALL {
                let other = kind(!color, Role::Pawn);
                let attacked = attacked_by(
                    &men[kind(color, Role::Pawn)..][..6],
                    color,
                    sides[0] | sides[1],
                );
                for (planes, squares) in scene.0[KINDS..].chunks_exact_mut(KINDS).zip(attacked) {
                    for (plane, men) in planes[other..other + 6].iter_mut().zip(&men[other..]) {
                        *plane = *men & squares;
                    }
                }
            }
        }
        scene
    }

    /// Calls `visit` with each input that is on.
    pub(crate) fn for_each(
        &self,
        view: View,
        perspective: Color,
        shape: &Architecture,
        mut visit: impl FnMut(usize),
    ) {
        self.changes(&Scene::default(), view, perspective, shape, |input, _| {
            visit(input)
        });
    }

    /// Calls `visit` with each input that is on here or was on `before`, not
    /// both, and with whether it is on here.
    #[inline]
    pub(crate) fn changes(
        &self,
        before: &Scene,
        view: View,
        perspective: Color,
        shape: &Architecture,
        mut visit: impl FnMut(usize, bool),
    ) {
        let mut changed = 0u64;
        let planes = if shape.sees_attackers() {
            PLANES
        } else {
            KINDS
        };
        let pairs = self.0[..planes].iter().zip(&before.0[..planes]);
        for (plane, (now, before)) in pairs.enumerate() {
            changed |= u64::from(now != before) << plane;
        }
        let flip = if perspective.is_black() { 56 } else { 0 } ^ if view.mirrored { 7 } else { 0 };
        while changed != 0 {
            let plane = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let first = view.first(plane, perspective, shape);
            let (now, before) = (self.0[plane], before.0[plane]);
            for square in now ^ before {
                visit(first + (square as usize ^ flip), now.contains(square));
            }
        }
    }
}

/// The number of a kind of man.
#[inline]
pub(crate) const fn kind(color: Color, role: Role) -> usize {
    color as usize * 6 + role as usize - Role::Pawn as usize
}

impl View {
    /// A number below twice the number of king buckets.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.bucket as usize * 2 + self.mirrored as usize
    }

    /// The king bucket.
    #[inline]
    #[must_use]
    pub const fn bucket(self) -> usize {
        self.bucket as usize
    }

    /// The first input of one of a scene's planes for `perspective`.
    #[inline]
    const fn first(self, plane: usize, perspective: Color, shape: &Architecture) -> usize {
        // Own men come first, on the board of either side.
        let kind = plane % KINDS;
        let kind = if perspective.is_white() {
            (kind + KINDS / 2) % KINDS
        } else {
            kind
        };
        match plane / KINDS {
            0 => self.bucket() * PLACES + kind * 64,
            class => (shape.king_bucket_count() + class - 1) * PLACES + kind * 64,
        }
    }
}

/// The squares that pawns, minor pieces, rooks and queens of `color` attack.
/// `men` are its squares from pawns to king.
#[inline]
fn attacked_by(men: &[Bitboard], color: Color, occupied: Bitboard) -> [Bitboard; ATTACKERS] {
    let [pawns, knights, bishops, rooks, queens] = std::array::from_fn(|role| men[role]);
    let ahead = color.fold_wb(8, -8);
    let by_pawns = (pawns & !Bitboard::from(File::A)).shift(ahead - 1)
        | (pawns & !Bitboard::from(File::H)).shift(ahead + 1);
    let union = |men: Bitboard, attacks: &dyn Fn(Square) -> Bitboard| {
        men.into_iter()
            .fold(Bitboard::EMPTY, |all, square| all | attacks(square))
    };
    let diagonal = |square| sliders::bishop_attacks(square, occupied);
    let straight = |square| sliders::rook_attacks(square, occupied);
    let by_minors = union(knights, &attacks::knight_attacks) | union(bishops, &diagonal);
    let by_majors = union(rooks | queens, &straight) | union(queens, &diagonal);
    [by_pawns, by_minors, by_majors]
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::fen::Fen;

    fn board(fen: &str) -> Board {
        fen.parse::<Fen>().expect("test FEN").into_setup().board
    }

    fn shape(attackers: bool) -> Architecture {
        let buckets = std::array::from_fn(|square| square as u8);
        Architecture::new(32, 1, buckets, attackers).expect("shape")
    }

    fn inputs(board: &Board, perspective: Color, shape: &Architecture) -> Vec<usize> {
        let view = shape.view(perspective, board.king_of(perspective));
        let mut inputs = Vec::new();
        Scene::of(board, shape).for_each(view, perspective, shape, |input| inputs.push(input));
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn colours_and_wings_mirror_each_other() {
        let shape = shape(true);
        let mut board = board("r3k2r/pp3ppp/2n5/3q4/1b1P4/2N2Q2/PP3PPP/R1B1K2R");
        let here = inputs(&board, Color::White, &shape);
        assert_ne!(here, inputs(&board, Color::Black, &shape));
        board.flip_horizontal();
        assert_eq!(here, inputs(&board, Color::White, &shape));
        board.flip_vertical();
        let (roles, mut colors) = board.into_bitboards();
        std::mem::swap(&mut colors.white, &mut colors.black);
        let swapped = Board::try_from_bitboards(roles, colors).expect("board");
        assert_eq!(here, inputs(&swapped, Color::Black, &shape));
    }

    #[test]
    fn a_man_is_a_target_of_each_class_that_attacks_it() {
        let shape = shape(true);
        // The pawn on e5 is attacked by pawn, bishop and rook; the queen on h1
        // attacks the rook and is attacked by it. Kings take nothing.
        let board = board("7k/8/8/4p3/3P4/6B1/5N2/K3R2q");
        let view = shape.view(Color::White, Some(Square::A1));
        let first = shape.king_bucket_count() * PLACES;
        let mut targets = inputs(&board, Color::White, &shape);
        targets.retain(|&input| input >= first);
        let target = |class: usize, kind: usize, square: Square| {
            first + class * PLACES + kind * 64 + square as usize
        };
        let mut expected = vec![
            target(0, 6, Square::E5),
            target(1, 6, Square::E5),
            target(2, 6, Square::E5),
            target(1, 10, Square::H1),
            target(2, 10, Square::H1),
            target(0, 0, Square::D4),
            target(2, 3, Square::E1),
        ];
        expected.sort_unstable();
        assert_eq!(targets, expected);
        assert_eq!(view.index(), 0);
    }
}
