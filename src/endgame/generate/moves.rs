//! Moves as the computation of a table sees them.
//!
//! A step is a move of a piece that takes nothing: it stays in the slice, is
//! legal exactly if it leads to a legal position, and backwards it is a step,
//! too. All others reset the fifty-move count and lead to results that are
//! known before: captures to fewer men or the end of the game, promotions to
//! another table, pawn moves to a slice further on.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::space::{Space, Squares, mirrored};
use crate::{
    endgame::material::MAX_MEN,
    rules::{blast, movegen::PROMOTIONS},
};

/// Men and where they stand.
pub type Board = ArrayVec<(Piece, Square), MAX_MEN>;

/// The number of a position after the man whose square is held from bit `shift`
/// on went elsewhere.
#[inline]
fn replaced(index: usize, shift: u32, from: Square, to: Square) -> usize {
    index ^ (usize::from(from) ^ usize::from(to)) << shift
}

/// What a move that resets the fifty-move count leads to.
#[derive(Clone, Debug)]
pub enum Zeroing {
    /// The other king explodes.
    Explosion,
    /// Fewer men, or a promoted pawn; the other side moves.
    Leaves(Board),
    /// A pawn went on within the table; the other side moves.
    Pushes {
        /// Where the men stand then.
        squares: Squares,
        /// What the other side's captures en passant lead to, each with the
        /// first side to move again.
        en_passant: ArrayVec<Option<Board>, 2>,
    },
}

/// A position, with what is asked about it often.
#[derive(Copy, Clone, Debug)]
pub struct View<'a> {
    pub space: &'a Space,
    pub squares: Squares,
    pub occupied: Bitboard,
}

impl<'a> View<'a> {
    #[inline]
    pub fn new(space: &'a Space, squares: Squares) -> View<'a> {
        View {
            space,
            squares,
            occupied: space.occupied(squares),
        }
    }

    #[inline]
    fn king(&self, color: Color) -> Square {
        self.squares.get(self.space.king(color))
    }

    /// The men of one side with their places and squares.
    #[inline]
    fn men_of(&self, color: Color) -> impl Iterator<Item = (usize, Piece, Square)> + '_ {
        let men = self.space.men.iter().enumerate();
        men.filter(move |(_, man)| man.color == color)
            .map(|(place, &man)| (place, man, self.squares.get(place)))
    }

    /// The squares of one side.
    #[inline]
    fn side(&self, color: Color) -> Bitboard {
        self.men_of(color).map(|(.., square)| square).collect()
    }

    /// Whether the king of `color` is in check when only the men on `occupied`
    /// are left: never while the kings touch.
    #[inline]
    fn is_check(&self, color: Color, occupied: Bitboard) -> bool {
        let king = self.king(color);
        !blast::zone(king).contains(self.king(!color))
            && self.men_of(!color).any(|(_, man, square)| {
                man.role != Role::King
                    && occupied.contains(square)
                    && attacks::attacks(square, man, occupied).contains(king)
            })
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self, turn: Color) -> bool {
        self.is_check(turn, self.occupied)
    }

    /// Whether the position can occur: every man has its own square, pawns
    /// stand where pawns can, and the side that just moved is not in check.
    #[inline]
    pub fn is_legal(&self, turn: Color) -> bool {
        self.occupied.count() == self.space.men.len()
            && (0..self.space.pawns).all(|man| !Bitboard::BACKRANKS.contains(self.squares.get(man)))
            && !self.is_check(!turn, self.occupied)
    }

    /// Calls `sink` with each step of `color`, legal or not, as a man and the
    /// squares from and to which it goes, until it returns `false`; returns
    /// whether it never did.
    #[inline]
    fn all_steps(&self, color: Color, mut sink: impl FnMut(usize, Square, Square) -> bool) -> bool {
        for man in self.space.pawns..self.space.men.len() {
            let piece = self.space.men[man];
            if piece.color != color {
                continue;
            }
            let from = self.squares.get(man);
            for to in attacks::attacks(from, piece, self.occupied) & !self.occupied {
                if !sink(man, from, to) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether `holds` for the number of each position after a step of `color`.
    /// This position has the number `index`.
    #[inline]
    pub fn all_after_steps(
        &self,
        index: usize,
        color: Color,
        mut holds: impl FnMut(usize) -> bool,
    ) -> bool {
        self.all_steps(color, |man, from, to| {
            holds(match self.space.shift(man) {
                Some(shift) => replaced(index, shift, from, to),
                None => self.space.index(self.squares.with(man, to)),
            })
        })
    }

    /// Calls `sink` with all numbers of the positions from which a step of
    /// `color` leads to this one, which has the number `index`.
    #[inline]
    pub fn each_before_step(&self, index: usize, color: Color, mut sink: impl FnMut(usize)) {
        let twin = self.space.twin(self.squares);
        self.all_steps(color, |man, to, from| {
            if let Some(shift) = self.space.shift(man) {
                sink(replaced(index, shift, to, from));
                if let Some(twin) = twin {
                    sink(replaced(twin, shift, mirrored(to), mirrored(from)));
                }
            } else {
                let (first, second) = self.space.indices(self.squares.with(man, from));
                sink(first);
                second.into_iter().for_each(&mut sink);
            }
            true
        });
    }

    /// Calls `sink` with each legal capture; en passant comes only after the
    /// pawn's move.
    pub fn captures(&self, turn: Color, mut sink: impl FnMut(Zeroing)) {
        let them = self.side(!turn);
        for (_, man, from) in self.men_of(turn) {
            if man.role == Role::King {
                continue;
            }
            for to in attacks::attacks(from, man, self.occupied) & them {
                let blown = self.bystanders(to).with(from).with(to);
                if let Some(after) = self.explosion(turn, blown) {
                    sink(after.map_or(Zeroing::Explosion, Zeroing::Leaves));
                }
            }
        }
    }

    /// Calls `sink` with each pawn move that takes nothing. Whether a pawn that
    /// stays a pawn moved legally is left to the table.
    pub fn pawn_moves(&self, turn: Color, mut sink: impl FnMut(Zeroing)) {
        let ahead = turn.fold_wb(8, -8);
        for man in 0..self.space.pawns {
            let from = self.squares.get(man);
            let Some(to) = from
                .offset(ahead)
                .filter(|&to| self.space.men[man].color == turn && !self.occupied.contains(to))
            else {
                continue;
            };
            if Bitboard::BACKRANKS.contains(to) {
                let occupied = self.occupied.without(from).with(to);
                if !self.is_check(turn, occupied) {
                    for role in PROMOTIONS {
                        let mut board = self.board(self.occupied);
                        board[man] = (role.of(turn), to);
                        sink(Zeroing::Leaves(board));
                    }
                }
                continue;
            }
            sink(Zeroing::Pushes {
                squares: self.squares.with(man, to),
                en_passant: ArrayVec::new(),
            });
            let start = turn.fold_wb(1, 6);
            if let Some(far) = to
                .offset(ahead)
                .filter(|&far| u32::from(from) / 8 == start && !self.occupied.contains(far))
            {
                let after = View::new(self.space, self.squares.with(man, far));
                sink(Zeroing::Pushes {
                    squares: after.squares,
                    en_passant: after.en_passant(!turn, to, far),
                });
            }
        }
    }

    /// Whether any move is legal; `is_legal` judges steps.
    pub fn has_move(&self, turn: Color) -> bool {
        let lands = |squares| View::new(self.space, squares).is_legal(!turn);
        let fails = |man, _, to| !lands(self.squares.with(man, to));
        if !self.all_steps(turn, fails) {
            return true;
        }
        let mut found = false;
        self.captures(turn, |_| found = true);
        self.pawn_moves(turn, |m| {
            found |= match m {
                Zeroing::Pushes { squares, .. } => lands(squares),
                _ => true,
            };
        });
        found
    }

    /// What the captures on `passed` of the pawn on `pushed` lead to; `None` is
    /// an explosion of the other king.
    fn en_passant(
        &self,
        turn: Color,
        passed: Square,
        pushed: Square,
    ) -> ArrayVec<Option<Board>, 2> {
        let capturers = attacks::pawn_attacks(!turn, passed);
        (self.men_of(turn))
            .filter(|(_, man, from)| man.role == Role::Pawn && capturers.contains(*from))
            .filter_map(|(_, _, from)| {
                let blown = self.bystanders(passed).with(from).with(pushed);
                // The centre itself is empty, but the own king may be near it.
                self.explosion(turn, blown)
            })
            .collect()
    }

    /// The board without the men that are blown up by a capture of `turn`:
    /// `None` if that is illegal, `Some(None)` if it ends the game.
    fn explosion(&self, turn: Color, blown: Bitboard) -> Option<Option<Board>> {
        if blown.contains(self.king(turn)) {
            return None;
        }
        if blown.contains(self.king(!turn)) {
            return Some(None);
        }
        let left = self.occupied & !blown;
        (!self.is_check(turn, left)).then(|| Some(self.board(left)))
    }

    /// Pieces beside a blast.
    fn bystanders(&self, center: Square) -> Bitboard {
        let pieces = self.space.pawns..self.space.men.len();
        blast::zone(center)
            & pieces
                .map(|man| self.squares.get(man))
                .collect::<Bitboard>()
    }

    /// The men on `occupied`.
    fn board(&self, occupied: Bitboard) -> Board {
        (self.space.men.iter().enumerate())
            .map(|(place, &man)| (man, self.squares.get(place)))
            .filter(|(_, square)| occupied.contains(*square))
            .collect()
    }
}
