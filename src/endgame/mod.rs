//! What is known exactly about endings.

pub mod build;
pub mod generate;
pub mod material;
pub mod pack;
mod ranking;
mod storage;
pub mod syzygy;
mod table_position;
mod tables;
pub mod verify;

use crate::rules::{Position, blast};

pub use ranking::{Promise, Verdict};
pub use storage::embedded_files;
pub use tables::{Tables, TablesError, Wdl};

/// Whether few men are left, the kings touch, and nobody can ever win: one man,
/// or two knights, two bishops, or bishop and knight, against a bare king,
/// which just keeps its king in contact. Known from complete tables; only
/// under rules with check.
#[must_use]
pub fn is_dead_draw(position: &Position) -> bool {
    let board = position.board();
    if !position.ruleset().has_check() || !blast::kings_touch(board) {
        return false;
    }
    let men = board.occupied() & !board.kings();
    let one_sided = (men & board.white()).is_empty() || (men & board.black()).is_empty();
    let minors = men & (board.knights() | board.bishops());
    one_sided && (men.count() <= 1 || (men.count() == 2 && men == minors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn drawn(fen: &str, ruleset: Ruleset) -> bool {
        is_dead_draw(&Position::from_fen(fen, ruleset).expect("test FEN"))
    }

    #[test]
    fn a_king_in_contact_with_one_man_against_it_holds() {
        let queen = "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1";
        assert!(drawn(queen, Ruleset::Lichess));
        assert!(!drawn(queen, Ruleset::Icc));
        assert!(drawn("8/8/8/2bnk3/3K4/8/8/8 w - - 0 1", Ruleset::Lichess));
    }

    #[test]
    fn more_men_or_distance_leave_the_game_open() {
        for fen in [
            "2q1k3/8/4K3/8/8/8/8/8 w - - 0 1",
            "8/8/8/2rnk3/3K4/8/8/8 w - - 0 1",
            "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1",
        ] {
            assert!(!drawn(fen, Ruleset::Lichess), "{fen}");
        }
    }
}
