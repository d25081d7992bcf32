//! Random games for tests: both rulesets, classical and Chess960 starts.

use fission::rules::{Position, Ruleset, movegen};
use shakmaty::{Board, Move};

/// The start of random game number `number`: every other one under ICC rules,
/// every third from a Chess960 array.
pub fn random_start(number: u64, rng: &mut fastrand::Rng) -> Position {
    let ruleset = Ruleset::ALL[(number % 2) as usize];
    if number.is_multiple_of(3) {
        let board = Board::chess960(rng.u32(0..960));
        Position::from_fen(&format!("{board} w KQkq - 0 1"), ruleset).expect("Chess960 start")
    } else {
        Position::startpos(ruleset)
    }
}

/// A random legal move, castling, en passant and promotions preferred, captures
/// seldom, so that games are long and rich. `None` when the game is over.
pub fn random_move(position: &Position, rng: &mut fastrand::Rng) -> Option<Move> {
    let moves = movegen::legal_moves(position);
    let rare: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|m| m.is_castle() || m.is_en_passant() || m.is_promotion())
        .collect();
    if !rare.is_empty() && rng.u8(..) < 128 {
        return rng.choice(rare);
    }
    let quiet: Vec<Move> = moves.iter().copied().filter(|m| !m.is_capture()).collect();
    if !quiet.is_empty() && rng.u8(..) < 230 {
        return rng.choice(quiet);
    }
    rng.choice(moves)
}
