//! The hand-crafted evaluation: a sum of terms, each with a middlegame and an
//! endgame value, weighed by the pieces left.
//!
//! What decides atomic games is who first captures a man beside the enemy
//! king, so the weightiest terms after material are about each king's blast
//! zone. That a piece is undefended means nothing here: nobody recaptures.

mod contact;
mod king_zone;
mod material;
mod mobility;
mod passed_pawns;
mod placement;
mod scaling;
mod score;
mod shelter;
mod trace;
mod view;

pub use score::Score;
pub use trace::{Term, Trace};

use king_zone::Reach;
use shakmaty::Color;
use trace::{Silent, Tracer};
use view::Side;

use crate::rules::Position;

/// No evaluation is further from zero, in centipawns; proven wins are.
pub const LIMIT: i32 = 19_999;

/// Having the move.
const TEMPO: Score = Score::new(30, 15);

/// The value of a position in centipawns from the point of view of the side to
/// move, at most [`LIMIT`] away from zero. It takes for granted that the side
/// to move cannot explode the enemy king at once. Zero when a king is gone:
/// such a position has a result, not a value.
///
/// ```
/// use fission::{evaluation::classical, rules::{Position, Ruleset}};
///
/// let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// let position = Position::from_fen(queen_up, Ruleset::Lichess)?;
/// assert!(classical::evaluate(&position) > 300);
/// # Ok::<(), fission::rules::FenError>(())
/// ```
#[must_use]
pub fn evaluate(position: &Position) -> i32 {
    let white = assess(position, &mut Silent);
    position.turn().fold_wb(white, -white)
}

/// The evaluation of a position with all its terms.
#[must_use]
pub fn trace(position: &Position) -> Trace {
    let mut trace = Trace::EMPTY;
    let total = assess(position, &mut trace);
    trace.with_total(total)
}

/// Adds up terms from White's point of view, telling a tracer.
struct Ledger<'a, T> {
    sum: Score,
    tracer: &'a mut T,
}

impl<T: Tracer> Ledger<'_, T> {
    #[inline]
    fn add(&mut self, term: Term, color: Color, score: Score) {
        self.tracer.term(term, color, score);
        match color {
            Color::White => self.sum += score,
            Color::Black => self.sum -= score,
        }
    }
}

/// The evaluation from White's point of view.
#[inline]
fn assess<T: Tracer>(position: &Position, tracer: &mut T) -> i32 {
    let board = position.board();
    let (Some(mut white), Some(mut black)) = (
        Side::new(board, Color::White),
        Side::new(board, Color::Black),
    ) else {
        return 0;
    };
    let occupied = board.occupied();
    let mut ledger = Ledger {
        sum: Score::ZERO,
        tracer,
    };

    let white_walk = mobility::walk(board, &mut white, black.attacks.pawns);
    let black_walk = mobility::walk(board, &mut black, white.attacks.pawns);
    for (color, walk) in [(Color::White, white_walk), (Color::Black, black_walk)] {
        ledger.add(Term::Placement, color, walk.placement);
        ledger.add(Term::Mobility, color, walk.mobility);
    }

    for (side, enemy) in [(&white, &black), (&black, &white)] {
        let reach = Reach::new(occupied, side, enemy);
        let danger = king_zone::king_zone(occupied, &reach, enemy, side);
        ledger.add(Term::KingZone, enemy.color, danger);
        ledger.add(
            Term::Shelter,
            side.color,
            shelter::shelter(board, &reach, side),
        );
        ledger.add(
            Term::PassedPawns,
            side.color,
            passed_pawns::passed_pawns(occupied, side, enemy),
        );
    }

    let white_material = material::material(board, &white);
    let black_material = material::material(board, &black);
    ledger.add(Term::Material, Color::White, white_material);
    ledger.add(Term::Material, Color::Black, black_material);
    let (behind, deficit) = if white_material.endgame() < black_material.endgame() {
        (Color::White, black_material - white_material)
    } else {
        (Color::Black, white_material - black_material)
    };
    let relief = contact::contact(occupied, &white, &black, deficit);
    ledger.add(Term::Contact, behind, relief);
    ledger.add(Term::Tempo, position.turn(), TEMPO);

    let phase = material::phase(board);
    let sum = ledger.sum;
    let tapered = (sum.middlegame() * phase + sum.endgame() * (material::FULL_PHASE - phase))
        / material::FULL_PHASE;
    let (strong, weak) = if tapered > 0 {
        (white.men, black.men)
    } else {
        (black.men, white.men)
    };
    let touching = white.zone.contains(black.king);
    let scale = scaling::winning_chances(board, position.ruleset(), strong, weak, touching);
    ledger.tracer.scaled(phase, scale);
    let value = scaling::by_clock(tapered * scale / scaling::FULL, position.halfmoves());
    value.clamp(-LIMIT, LIMIT)
}

#[cfg(test)]
mod tests;
