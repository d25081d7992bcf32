//! What earlier nodes taught about moves and evaluations.
//!
//! Each worker has its own. Quiet moves are remembered by from and to, and by
//! what was played one, two and four plies before; captures by man, square and
//! victim. Correction history remembers by how much the evaluation missed in
//! positions with the same pawns or pieces.

use shakmaty::{Color, Move, Role};

use super::{
    parameters::{
        bonus_factor, bonus_limit, correction_divisor, weight_after_four, weight_after_one,
        weight_after_two, weight_from_to,
    },
    score::{EVALUATION_BOUND, Score},
};
use crate::{
    memory::prefetch,
    rules::{PackedMove, Position},
};

/// Scores of moves stay within this.
const LIMIT: i32 = 16_384;
/// Kinds of men times squares.
const PIECE_TO: usize = 12 * 64;
/// Positions told apart by a correction table, a power of two.
const CORRECTIONS: usize = 16_384;
/// Corrections stay within this.
const CORRECTION_LIMIT: i32 = 1024;

/// The index of a man of one colour going to one square.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// The index of a move of `color`.
    #[inline]
    #[must_use]
    pub fn new(color: Color, m: Move) -> PieceTo {
        let piece = usize::from(m.role()) - 1 + 6 * usize::from(color.is_black());
        PieceTo((piece * 64 + usize::from(m.to())) as u16)
    }

    #[inline]
    fn index(self) -> usize {
        usize::from(self.0)
    }
}

type PieceToTable = [i16; PIECE_TO];

/// All histories of one worker.
pub struct Histories {
    quiet: Box<[[i16; 4096]; 2]>,
    capture: Box<[[i16; 7]; PIECE_TO]>,
    continuation: Box<[PieceToTable]>,
    pawn_correction: Box<[[i16; CORRECTIONS]; 2]>,
    piece_correction: [Box<[[i16; CORRECTIONS]; 2]>; 2],
}

/// What the histories know of the quiet moves of one node.
pub struct QuietHistory<'a> {
    color: Color,
    from_to: &'a [i16; 4096],
    after: [&'a PieceToTable; 3],
}

impl QuietHistory<'_> {
    /// How well the move did.
    #[inline]
    #[must_use]
    pub fn of(&self, m: Move) -> i32 {
        let own = PieceTo::new(self.color, m).index();
        let [one, two, four] = self.after.map(|table| i32::from(table[own]));
        let from_to = i32::from(self.from_to[PackedMove::new(m).from_to()]);
        (from_to * weight_from_to()
            + one * weight_after_one()
            + two * weight_after_two()
            + four * weight_after_four())
            / 1024
    }
}

impl Default for Histories {
    fn default() -> Histories {
        Histories {
            quiet: Box::new([[0; 4096]; 2]),
            capture: Box::new([[0; 7]; PIECE_TO]),
            continuation: vec![[0; PIECE_TO]; PIECE_TO].into_boxed_slice(),
            pawn_correction: Box::new([[0; CORRECTIONS]; 2]),
            piece_correction: [
                Box::new([[0; CORRECTIONS]; 2]),
                Box::new([[0; CORRECTIONS]; 2]),
            ],
        }
    }
}

#[inline]
fn nudge(entry: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / limit) as i16;
}

#[inline]
fn side(color: Color) -> usize {
    usize::from(color.is_black())
}

#[inline]
fn victim(m: Move) -> usize {
    m.capture().map_or(0, usize::from)
}

impl Histories {
    /// How well quiet moves of `color` did, alone and after the moves before
    /// them. `before` are the moves one, two and four plies back, where there
    /// were any.
    #[inline]
    #[must_use]
    pub fn quiets(&self, color: Color, before: &[Option<PieceTo>; 3]) -> QuietHistory<'_> {
        static NEVER: PieceToTable = [0; PIECE_TO];
        let after = |earlier: Option<PieceTo>| {
            earlier.map_or(&NEVER, |earlier| &self.continuation[earlier.index()])
        };
        QuietHistory {
            color,
            from_to: &self.quiet[side(color)],
            after: before.map(after),
        }
    }

    /// Rewards or punishes a quiet move.
    pub fn update_quiet(
        &mut self,
        color: Color,
        m: Move,
        before: &[Option<PieceTo>; 3],
        bonus: i32,
    ) {
        let own = PieceTo::new(color, m).index();
        nudge(
            &mut self.quiet[side(color)][PackedMove::new(m).from_to()],
            bonus,
            LIMIT,
        );
        for earlier in before.iter().flatten() {
            nudge(&mut self.continuation[earlier.index()][own], bonus, LIMIT);
        }
    }

    /// How well a capture did.
    #[inline]
    #[must_use]
    pub fn capture(&self, color: Color, m: Move) -> i32 {
        i32::from(self.capture[PieceTo::new(color, m).index()][victim(m)])
    }

    /// Rewards or punishes a capture.
    pub fn update_capture(&mut self, color: Color, m: Move, bonus: i32) {
        nudge(
            &mut self.capture[PieceTo::new(color, m).index()][victim(m)],
            bonus,
            LIMIT,
        );
    }

    /// The static evaluation, corrected by what searches found in positions
    /// like this.
    #[inline]
    #[must_use]
    pub fn corrected(&self, position: &Position, evaluation: Score) -> Score {
        let stm = side(position.turn());
        let keys = position.keys();
        let correction = i32::from(self.pawn_correction[stm][slot(keys.pawns)])
            + i32::from(self.piece_correction[0][stm][slot(keys.pieces[0])])
            + i32::from(self.piece_correction[1][stm][slot(keys.pieces[1])]);
        (evaluation + correction / correction_divisor()).clamp(-EVALUATION_BOUND, EVALUATION_BOUND)
    }

    /// Asks the processor to load what [`corrected`](Histories::corrected)
    /// will read.
    #[inline]
    pub fn prefetch_corrections(&self, position: &Position) {
        let stm = side(position.turn());
        let keys = position.keys();
        let [white, black] = &self.piece_correction;
        prefetch(&self.pawn_correction[stm][slot(keys.pawns)]);
        prefetch(&white[stm][slot(keys.pieces[0])]);
        prefetch(&black[stm][slot(keys.pieces[1])]);
    }

    /// Learns that the search found `difference` more than the evaluation.
    pub fn update_correction(&mut self, position: &Position, depth: i32, difference: Score) {
        let stm = side(position.turn());
        let keys = position.keys();
        let bonus = (difference * depth / 8).clamp(-CORRECTION_LIMIT / 4, CORRECTION_LIMIT / 4);
        let [white, black] = &mut self.piece_correction;
        for (table, key) in [
            (&mut self.pawn_correction, keys.pawns),
            (white, keys.pieces[0]),
            (black, keys.pieces[1]),
        ] {
            nudge(&mut table[stm][slot(key)], bonus, CORRECTION_LIMIT);
        }
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.quiet.as_flattened_mut().fill(0);
        self.capture.as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
        self.pawn_correction.as_flattened_mut().fill(0);
        for table in &mut self.piece_correction {
            table.as_flattened_mut().fill(0);
        }
    }
}

#[inline]
fn slot(key: u64) -> usize {
    key as usize % CORRECTIONS
}

/// The size of a reward for a move that was best at this depth.
#[inline]
#[must_use]
pub fn bonus(depth: i32) -> i32 {
    (bonus_factor() * depth - bonus_factor() / 2).min(bonus_limit())
}

const _: () = assert!(Role::Pawn as usize == 1 && Role::King as usize == 6);
