//! The blast exchange against values worked out by hand, from pawn 100,
//! knight 190, bishop 220, rook 330, queen 590. Each case says why.

#![expect(clippy::eq_op, reason = "an even trade is written as one")]

use fission::{
    evaluation::exchange::{KING, exchange},
    rules::{Position, Ruleset},
};
use shakmaty::{Move, Role, uci::UciMove};

/// Position, move, what it is worth to the mover, and why.
type Case = (&'static str, &'static str, i32, &'static str);

const CAPTURES: &[Case] = &[
    (
        "7k/8/8/3p4/4P3/8/8/K7 w - - 0 1",
        "e4d5",
        100 - 100,
        "a pawn for a pawn",
    ),
    (
        "7k/8/8/3n4/4P3/8/8/K7 w - - 0 1",
        "e4d5",
        190 - 100,
        "a knight for a pawn",
    ),
    (
        "7k/8/8/3q4/8/2N5/8/K7 w - - 0 1",
        "c3d5",
        590 - 190,
        "a queen for a knight",
    ),
    (
        "7k/8/8/3p4/8/8/8/K2Q4 w - - 0 1",
        "d1d5",
        100 - 590,
        "the capturer always goes: a pawn for a queen",
    ),
    (
        "7k/8/8/3r4/8/8/8/K2R4 w - - 0 1",
        "d1d5",
        330 - 330,
        "a rook for a rook",
    ),
    (
        "7k/8/8/3P4/4q3/8/8/K7 b - - 0 1",
        "e4d5",
        100 - 590,
        "the same from Black's side",
    ),
    (
        "7k/8/8/4p3/3R1N2/8/8/K7 b - - 0 1",
        "e5d4",
        330 - 100,
        "Black's pawn takes a rook",
    ),
    (
        "7k/8/8/4p3/3R1N2/8/8/K7 b - - 0 1",
        "e5f4",
        190 - 100,
        "or a knight; the rook is two files away",
    ),
    (
        "7k/8/2r1n3/3p4/8/8/6B1/K7 w - - 0 1",
        "g2d5",
        100 + 330 + 190 - 220,
        "pieces beside the victim go with it",
    ),
    (
        "7k/8/2p1p3/3n4/4p3/2N5/8/K7 w - - 0 1",
        "c3d5",
        190 - 190,
        "pawns beside the victim stay",
    ),
    (
        "7k/8/8/3n4/2Q1P3/8/8/K7 w - - 0 1",
        "e4d5",
        190 - 100 - 590,
        "an own queen beside the victim goes too",
    ),
    (
        "7k/8/8/2Pn4/4P3/8/8/K7 w - - 0 1",
        "e4d5",
        190 - 100,
        "an own pawn beside the victim stays",
    ),
    (
        "6k1/8/8/3r4/3Q4/8/8/K7 w - - 0 1",
        "d4d5",
        330 - 590,
        "a capturer that comes from beside counts once",
    ),
    (
        "6k1/8/8/3q4/2RR4/8/8/K7 w - - 0 1",
        "d4d5",
        590 - 330 - 330,
        "its neighbour goes as well",
    ),
    (
        "7k/8/2qbN3/2Pp4/2B1p3/8/8/K2R4 w - - 0 1",
        "d1d5",
        100 + 590 + 220 - 330 - 190 - 220,
        "both sides lose pieces, neither a neighbouring pawn",
    ),
    (
        "n6k/1r6/8/8/8/5B2/8/K7 w - - 0 1",
        "f3b7",
        330 + 190 - 220,
        "a knight in the corner",
    ),
    (
        "6k1/8/q7/7p/8/8/8/1K5R w - - 0 1",
        "h1h5",
        100 - 330,
        "no blast runs over the edge: a6 is not beside h5",
    ),
    (
        "rn2k2r/8/8/8/8/8/7B/K7 w kq - 0 1",
        "h2b8",
        190 + 330 - 220,
        "a rook that may castle is a rook",
    ),
    (
        "6k1/5p2/8/4N3/8/8/8/K7 w - - 0 1",
        "e5f7",
        KING,
        "a pawn beside the king explodes it",
    ),
    (
        "6k1/5qq1/8/4N3/8/8/8/K7 w - - 0 1",
        "e5f7",
        KING,
        "whatever else goes, a king is everything",
    ),
    (
        "8/8/3k4/3p3R/3K4/8/8/8 w - - 0 1",
        "h5d5",
        -KING,
        "a blast on both kings is illegal",
    ),
    (
        "6k1/8/8/8/3q3R/3K4/8/8 w - - 0 1",
        "h4d4",
        -KING,
        "so is one on the own king, for a queen too",
    ),
    (
        "8/8/8/3k4/3K4/8/5n2/5R2 w - - 0 1",
        "f1f2",
        190 - 330,
        "touching kings far from the blast change nothing",
    ),
    (
        "8/8/3p3R/3k4/3K4/8/8/8 w - - 0 1",
        "h6d6",
        KING,
        "touching kings, and the victim is beside theirs only",
    ),
    (
        "8/8/8/3k4/3Kp2R/8/8/8 w - - 0 1",
        "h4e4",
        -KING,
        "touching kings, and the victim is beside both",
    ),
    (
        "1r5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7b8q",
        330 - 100,
        "a promotion by capture costs a pawn: the queen explodes",
    ),
    (
        "1r5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7b8n",
        330 - 100,
        "whatever it becomes",
    ),
    (
        "1nk5/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7b8q",
        KING,
        "a promotion beside the king",
    ),
    (
        "7k/8/8/3pP3/8/8/8/K7 w - d6 0 1",
        "e5d6",
        100 - 100,
        "en passant, a pawn for a pawn",
    ),
    (
        "7k/2r1n3/8/3pP3/8/8/8/K7 w - d6 0 1",
        "e5d6",
        100 + 330 + 190 - 100,
        "en passant explodes where the pawn lands",
    ),
    (
        "7k/8/8/3pP3/2q5/8/8/K7 w - d6 0 1",
        "e5d6",
        100 - 100,
        "and not where the pawn stood that it takes",
    ),
    (
        "8/4k3/8/3pP3/8/8/8/K7 w - d6 0 1",
        "e5d6",
        KING,
        "en passant beside the king",
    ),
    (
        "7k/2K5/8/3pP3/8/8/8/8 w - d6 0 1",
        "e5d6",
        -KING,
        "en passant beside the own king",
    ),
    (
        "7k/8/8/8/3Pp3/2Q5/8/K7 b - d3 0 1",
        "e4d3",
        100 + 590 - 100,
        "Black takes en passant beside a queen",
    ),
];

const QUIETS: &[Case] = &[
    (
        "7k/8/8/8/8/2N5/8/K7 w - - 0 1",
        "c3d5",
        0,
        "nothing attacks the knight",
    ),
    (
        "7k/8/4p3/8/8/2N5/8/K7 w - - 0 1",
        "c3d5",
        -(190 - 100),
        "a pawn takes the knight",
    ),
    (
        "k7/8/4n3/8/8/4P3/8/7K b - - 0 1",
        "e6d4",
        -(190 - 100),
        "the same from Black's side",
    ),
    (
        "3q3k/8/8/8/8/2N5/8/K7 w - - 0 1",
        "c3d5",
        0,
        "a queen for a knight would not pay",
    ),
    (
        "7k/8/1n6/8/8/1Q6/8/K7 w - - 0 1",
        "b3d5",
        -(590 - 190),
        "a knight takes the queen",
    ),
    (
        "3r3k/8/4p3/8/8/1Q6/8/K7 w - - 0 1",
        "b3d5",
        -(590 - 100),
        "of two capturers the cheaper takes",
    ),
    (
        "7k/8/4p3/8/2R5/2N5/8/K7 w - - 0 1",
        "c3d5",
        -(190 + 330 - 100),
        "an own rook beside the knight goes with it",
    ),
    (
        "7k/8/3rp3/8/8/2N5/8/K7 w - - 0 1",
        "c3d5",
        0,
        "a rook beside the knight would go with its captor",
    ),
    (
        "k7/8/8/4b3/8/8/K7/3Q4 w - - 0 1",
        "d1d4",
        -(590 - 220),
        "a captor from beside counts once",
    ),
    (
        "k7/6b1/8/8/3P4/8/8/K2Q4 w - - 0 1",
        "d1d3",
        -(100 + 590 - 220),
        "the queen goes with the pawn beside it",
    ),
    (
        "k7/6b1/8/8/3P4/8/4P3/K7 w - - 0 1",
        "e2e3",
        0,
        "a pawn beside a blast stays, so this one risks nothing",
    ),
    (
        "7k/8/8/3p4/8/4P3/8/K7 w - - 0 1",
        "e3e4",
        0,
        "a pawn for a pawn",
    ),
    (
        "7k/8/8/3p4/8/4PN2/8/K7 w - - 0 1",
        "e3e4",
        -(100 + 190 - 100),
        "a pawn and the knight beside it for a pawn",
    ),
    (
        "3r3k/8/8/8/8/3B4/3R4/K7 w - - 0 1",
        "d3c2",
        -(330 + 220 - 330),
        "the bishop opens the file to the rook beside its new square",
    ),
    (
        "6k1/6q1/1p6/2P5/8/8/K7/3R4 w - - 0 1",
        "d1d4",
        -(100 + 330 - 100),
        "of two blasts the dearer one counts",
    ),
    (
        "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3",
        "e5d7",
        0,
        "beside the enemy king nothing can take",
    ),
    (
        "8/8/8/8/8/3k4/R6r/3K4 w - - 0 1",
        "a2d2",
        0,
        "nor beside both kings",
    ),
    (
        "7k/8/8/8/r2N4/8/4K3/8 w - - 0 1",
        "e2e3",
        -KING,
        "the king steps beside an attacked knight",
    ),
    (
        "1r4k1/8/8/8/8/8/3N4/K7 w - - 0 1",
        "d2b1",
        -KING,
        "a knight comes under attack beside its king",
    ),
    (
        "6k1/8/3b4/8/8/8/6PK/8 w - - 0 1",
        "g2g3",
        -KING,
        "a pawn that answers check can be taken beside its king",
    ),
    (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        "e1h1",
        0,
        "castling is not judged",
    ),
    (
        "7k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7a8q",
        590 - 100,
        "a new queen",
    ),
    (
        "7k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7a8n",
        190 - 100,
        "a new knight",
    ),
    (
        "1r5k/P7/8/8/8/8/8/K7 w - - 0 1",
        "a7a8q",
        (590 - 100) - (590 - 330),
        "a new queen that a rook beside it takes",
    ),
    (
        "7k/P7/8/8/8/8/8/1K5b w - - 0 1",
        "a7a8q",
        (590 - 100) - (590 - 220),
        "a new queen that a bishop takes from afar",
    ),
    (
        "7k/P7/1n6/8/8/8/8/K7 w - - 0 1",
        "a7a8r",
        (330 - 100) - (330 - 190),
        "a new rook that a knight takes",
    ),
    (
        "7k/8/8/8/5p2/8/4P3/K7 w - - 0 1",
        "e2e4",
        0,
        "en passant, a pawn for a pawn",
    ),
    (
        "7k/8/8/8/5p2/8/4PN2/K7 w - - 0 1",
        "e2e4",
        -(100 + 190 - 100),
        "en passant explodes the knight beside the square passed over",
    ),
    (
        "7k/8/8/8/5p2/3K4/4P3/8 w - - 0 1",
        "e2e4",
        -KING,
        "en passant explodes the king beside the square passed over",
    ),
    (
        "8/8/8/8/3k1p2/8/4PN2/K7 w - - 0 1",
        "e2e4",
        0,
        "en passant beside the taker's own king is illegal",
    ),
];

/// Under ICC rules, where a king may stand attacked and be taken.
const ICC: &[Case] = &[
    (
        "4k3/8/8/8/8/8/8/K3R3 w - - 0 1",
        "e1e8",
        KING,
        "the king itself is taken",
    ),
    (
        "7k/8/8/8/8/8/r7/2K5 w - - 0 1",
        "c1b2",
        -KING,
        "the king steps into attack",
    ),
    (
        "8/8/8/3k4/3K4/8/8/3R4 w - - 0 1",
        "d1d3",
        0,
        "beside touching kings nothing can be taken",
    ),
];

#[test]
fn captures_are_worth_what_their_blast_takes() {
    check(CAPTURES, Ruleset::Lichess);
}

#[test]
fn quiet_moves_cost_what_the_best_answering_blast_takes() {
    check(QUIETS, Ruleset::Lichess);
}

#[test]
fn kings_can_be_taken_under_icc_rules() {
    check(ICC, Ruleset::Icc);
}

/// Compares all cases and tells every one that differs.
fn check(cases: &[Case], ruleset: Ruleset) {
    let mut faults = Vec::new();
    for &(fen, uci, expected, why) in cases {
        let position =
            Position::from_fen(fen, ruleset).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let got = exchange(&position, any_move(&position, uci));
        if got != expected {
            faults.push(format!("{uci} in {fen}: {why}: {expected}, got {got}"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// The exchange is the blast, so it can be told from the men that vanish.
#[test]
fn captures_agree_with_the_men_that_are_gone_after_the_move() {
    let worth = |position: &Position| {
        let count = |men| {
            [
                (Role::Pawn, 100),
                (Role::Knight, 190),
                (Role::Bishop, 220),
                (Role::Rook, 330),
                (Role::Queen, 590),
            ]
            .into_iter()
            .map(|(role, value)| value * (position.board().by_role(role) & men).count() as i32)
            .sum::<i32>()
        };
        count(position.us()) - count(position.them())
    };
    let mut rng = fastrand::Rng::with_seed(11);
    for game in 0..200 {
        let mut position = Position::startpos(Ruleset::ALL[game % 2]);
        for _ in 0..100 {
            let moves = position.legal_moves();
            for m in moves.iter().copied().filter(|m| m.is_capture()) {
                let after = position.after(m);
                let expected = if after.king_is_gone() {
                    KING
                } else {
                    -worth(&after) - worth(&position)
                };
                assert_eq!(
                    exchange(&position, m),
                    expected,
                    "{m} in {}",
                    position.fen()
                );
            }
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.usize(0..moves.len())]);
        }
    }
}

/// The move written in `uci`, also where a blast on the own king makes it
/// illegal.
fn any_move(position: &Position, uci: &str) -> Move {
    if let Ok(m) = position.parse_uci(uci) {
        return m;
    }
    let Ok(UciMove::Normal {
        from,
        to,
        promotion,
    }) = uci.parse()
    else {
        panic!("{uci} is no move");
    };
    let board = position.board();
    let role = board.role_at(from).expect("a man to move");
    let capture = board.role_at(to);
    if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
        return Move::EnPassant { from, to };
    }
    Move::Normal {
        role,
        from,
        capture,
        to,
        promotion,
    }
}
