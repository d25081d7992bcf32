//! Kings that touch or are about to.
//!
//! While the kings touch there is no check, and whatever stands beside both
//! cannot be captured. That helps the side with less material, which seeks
//! contact.

use shakmaty::Bitboard;

use super::{score::Score, view::Side};

/// Which part of its deficit in material contact gives back to a side, in
/// percent.
const TOUCHING: i32 = 30;
/// The same while one step brings the kings together.
const ONE_STEP: i32 = 12;

/// What contact is worth to the side that is behind by `deficit`.
#[inline]
pub fn contact(occupied: Bitboard, white: &Side, black: &Side, deficit: Score) -> Score {
    let percent = if white.zone.contains(black.king) {
        TOUCHING
    } else if (white.zone & black.zone & !occupied).any() {
        ONE_STEP
    } else {
        return Score::ZERO;
    };
    Score::new(
        deficit.middlegame() * percent / 100,
        deficit.endgame() * percent / 100,
    )
}
