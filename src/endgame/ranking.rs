//! The moves of a position in the order in which the tables recommend them.

use shakmaty::Move;
use shakmaty_syzygy::Wdl;

use super::Tables;
use crate::rules::{Position, movegen};

/// What the tables say of a move, from the view of the side that plays it.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// The move.
    pub m: Move,
    /// Whether it ends the game by mate or explosion of the other king.
    pub wins_at_once: bool,
    /// Plies to the next capture, pawn move or mate, this move included;
    /// positive if it wins, 0 for a draw. A hundred is added where the
    /// fifty-move rule makes a draw of it.
    pub dtz: i32,
    /// Whether the table rounds: then it may take a ply more than `dtz` says.
    pub is_rounded: bool,
}

/// Plies without capture or pawn move after which a draw may be claimed.
const FIFTY_MOVES: i32 = 100;

/// Beyond this rank a win or loss is certain.
const CERTAIN: i32 = 2000;

/// What a rank says about the result.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Promise {
    /// A win in this many plies to the next capture, pawn move or mate.
    Win(i32),
    /// A win that the fifty-move rule may prevent, or will.
    Hope,
    /// A draw.
    Draw,
    /// A loss that the fifty-move rule may prevent, or will.
    Fear,
    /// A loss.
    Loss(i32),
}

impl Verdict {
    /// How good the move is after so many plies without capture or pawn move,
    /// with the fifty-move rule or without it: a higher rank for a better
    /// result, and for winning sooner and losing later.
    #[must_use]
    pub fn rank(&self, halfmoves: u32, fifty_moves: bool) -> i32 {
        let plies = self.dtz.abs();
        let at_worst = plies + i32::from(self.is_rounded);
        let in_time = !fifty_moves || is_in_time(at_worst, halfmoves);
        match (self.dtz.signum(), in_time) {
            _ if self.wins_at_once => 2 * CERTAIN,
            (0, _) => 0,
            (sign, true) => sign * (2 * CERTAIN - plies).max(CERTAIN),
            (sign, false) => sign * (CERTAIN / 2 - plies).max(1),
        }
    }

    /// Whether it is open if the fifty-move rule, after so many plies without
    /// capture or pawn move, comes before the win: that hangs on the ply that the
    /// table rounds.
    #[must_use]
    pub fn is_open(&self, halfmoves: u32) -> bool {
        let plies = self.dtz.abs();
        self.is_rounded && is_in_time(plies, halfmoves) && !is_in_time(plies + 1, halfmoves)
    }

    /// What the move promises.
    #[must_use]
    pub fn promise(&self, halfmoves: u32, fifty_moves: bool) -> Promise {
        let rank = self.rank(halfmoves, fifty_moves);
        match rank {
            CERTAIN.. => Promise::Win(self.dtz.abs()),
            1.. => Promise::Hope,
            0 => Promise::Draw,
            _ if rank > -CERTAIN => Promise::Fear,
            _ => Promise::Loss(self.dtz.abs()),
        }
    }
}

/// Whether so many plies to go are within the fifty moves.
fn is_in_time(plies: i32, halfmoves: u32) -> bool {
    let played = i32::try_from(halfmoves).unwrap_or(FIFTY_MOVES);
    plies.saturating_add(played) <= FIFTY_MOVES
}

impl Tables {
    /// What the tables say of each legal move; `None` unless they know all.
    #[must_use]
    pub fn verdicts(&self, position: &Position) -> Option<Vec<Verdict>> {
        if position.castles().any() || position.board().occupied().count() > self.max_men() {
            return None;
        }
        let moves = movegen::legal_moves(position);
        moves.iter().map(|&m| self.verdict(position, m)).collect()
    }

    fn verdict(&self, position: &Position, m: Move) -> Option<Verdict> {
        let next = position.after(m);
        let over = next.king_is_gone() || !movegen::has_legal_move(&next);
        let wins_at_once = next.king_is_gone() || (over && next.is_check());
        let (dtz, is_rounded) = if over {
            (i32::from(wins_at_once), false)
        } else if m.is_zeroing() {
            let dtz = match self.wdl(&next)? {
                Wdl::Loss => 1,
                Wdl::BlessedLoss => FIFTY_MOVES + 1,
                Wdl::Draw => 0,
                Wdl::CursedWin => -FIFTY_MOVES - 1,
                Wdl::Win => -1,
            };
            (dtz, false)
        } else {
            let after = self.dtz(&next)?;
            let dtz = -after.ignore_rounding().0;
            (dtz + dtz.signum(), after.precise().is_none())
        };
        Some(Verdict {
            m,
            wins_at_once,
            dtz,
            is_rounded,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use shakmaty::{Role, Square};

    fn verdict(dtz: i32) -> Verdict {
        let m = Move::Normal {
            role: Role::Queen,
            from: Square::A1,
            capture: None,
            to: Square::A2,
            promotion: None,
        };
        Verdict {
            m,
            wins_at_once: false,
            dtz,
            is_rounded: false,
        }
    }

    #[test]
    fn wins_come_soon_and_losses_late() {
        let ranks: Vec<i32> = [1, 40, 99, 101, 130, 0, -130, -101, -99, -40, -1]
            .iter()
            .map(|&dtz| verdict(dtz).rank(0, true))
            .collect();
        assert!(ranks.is_sorted_by(|a, b| a > b), "{ranks:?}");
    }

    #[test]
    fn the_clock_turns_wins_into_hopes_unless_the_rule_is_off() {
        let slow = verdict(60);
        assert_eq!(slow.promise(40, true), Promise::Win(60));
        assert_eq!(slow.promise(41, true), Promise::Hope);
        assert_eq!(slow.promise(41, false), Promise::Win(60));
        assert_eq!(verdict(-60).promise(41, true), Promise::Fear);
        assert_eq!(verdict(0).promise(0, true), Promise::Draw);
    }

    #[test]
    fn a_rounded_distance_at_the_limit_promises_nothing() {
        for sign in [1, -1] {
            let rounded = Verdict {
                is_rounded: true,
                ..verdict(sign * 60)
            };
            let promise = [Promise::Hope, Promise::Fear][usize::from(sign < 0)];
            assert_eq!(rounded.promise(40, true), promise);
            assert!(rounded.is_open(40) && !rounded.is_open(39) && !rounded.is_open(41));
            assert_ne!(rounded.promise(39, true), promise);
            assert!(!verdict(sign * 60).is_open(40));
        }
    }

    #[test]
    fn a_win_that_may_come_a_ply_too_late_is_none_yet() {
        // After Qg3+ Kh5 Black mates with the 101st ply.
        let fen = "8/8/8/8/5R1K/4q3/8/7k b - - 98 1";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("a position");
        let verdicts = Tables::embedded().verdicts(&position).expect("a table");
        let ranks = verdicts.iter().map(|verdict| verdict.rank(98, true));
        assert!(ranks.max().expect("moves") < CERTAIN);
    }
}
