//! What the enemy can explode beside a king, now and after one quiet move.
//!
//! A capture of any man beside the king, or of the king itself, wins. Such a
//! target cannot be guarded, only moved away, shielded, or left behind by the
//! king; the attacker can be captured, unless it stands beside the king it
//! attacks. A side that is not to move but already attacks a target therefore
//! threatens mate, and one that can attack a target next move holds the
//! initiative. Check is the same kind of threat and is counted with it.

use shakmaty::Bitboard;

use super::{
    score::Score,
    view::{self, Side},
};

/// For targets attacked now, by their number.
const ATTACKED: [Score; 4] = [
    Score::ZERO,
    Score::new(275, 200),
    Score::new(525, 375),
    Score::new(700, 500),
];
/// More when a target is attacked twice: capturing the attacker is no answer.
const ATTACKED_TWICE: Score = Score::new(125, 100);
/// For quiet moves that attack a target where the enemy cannot capture, by
/// their number.
const SAFE_THREATS: [Score; 6] = [
    Score::ZERO,
    Score::new(75, 50),
    Score::new(125, 85),
    Score::new(165, 110),
    Score::new(195, 125),
    Score::new(220, 140),
];
/// For quiet moves that attack a target but can be answered by a capture, each.
const EXPOSED_THREAT: Score = Score::new(12, 7);
const MOST_EXPOSED: i32 = 6;
/// For each empty square beside the enemy king that is attacked.
const COVERED: Score = Score::new(15, 12);

/// How the men beside a king, and the king, can be reached.
pub struct Reach {
    /// What a capture may explode the king on: men beside it and the king
    /// itself, but not where the capture would explode both kings.
    pub targets: Bitboard,
    /// Squares from which a bishop sees a target.
    pub diagonals: Bitboard,
    /// Squares from which a rook sees a target.
    pub lines: Bitboard,
}

impl Reach {
    /// Looks from the zone of `victim` outwards.
    #[inline]
    pub fn new(occupied: Bitboard, victim: &Side, attacker: &Side) -> Reach {
        let targets = (victim.fatal & victim.men) & !attacker.fatal;
        Reach {
            targets,
            diagonals: view::bishop_origins(targets, !occupied),
            lines: view::rook_origins(targets, !occupied),
        }
    }
}

/// What `attacker` has against the king of `victim`.
#[inline]
pub fn king_zone(occupied: Bitboard, reach: &Reach, attacker: &Side, victim: &Side) -> Score {
    let empty = !occupied;
    let attacked = attacker.attacks.all & reach.targets;
    let mut score = ATTACKED[attacked.count().min(ATTACKED.len() - 1)];
    if (attacked & attacker.attacks.twice).any() {
        score += ATTACKED_TWICE;
    }

    let sights = &attacker.attacks;
    let threats = empty
        & ((sights.knights & view::knight_origins(reach.targets))
            | (sights.bishops & reach.diagonals)
            | (sights.rooks & reach.lines)
            | (sights.queens & (reach.diagonals | reach.lines))
            | (pawn_steps(attacker, empty) & pawn_origins(attacker, reach.targets)));
    let uncapturable = !victim.attacks.all | victim.fatal;
    let safe = (threats & uncapturable).count();
    let exposed = (threats & !uncapturable).count() as i32;
    score += SAFE_THREATS[safe.min(SAFE_THREATS.len() - 1)];
    score += EXPOSED_THREAT * exposed.min(MOST_EXPOSED);

    score + COVERED * (sights.all & victim.zone & empty).count() as i32
}

/// The squares that the pawns of `side` can step to.
#[inline]
fn pawn_steps(side: &Side, empty: Bitboard) -> Bitboard {
    let single = side.forward(side.pawns) & empty;
    let third = side
        .color
        .fold_wb(shakmaty::Rank::Third, shakmaty::Rank::Sixth);
    single | (side.forward(single & Bitboard::from_rank(third)) & empty)
}

/// The squares from which a pawn of `side` attacks one of `targets`.
#[inline]
fn pawn_origins(side: &Side, targets: Bitboard) -> Bitboard {
    let (west, east) = view::pawn_captures(!side.color, targets);
    west | east
}
