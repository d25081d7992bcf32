//! Promises of the evaluation as a whole.

use super::*;
use crate::rules::Ruleset;

fn position(fen: &str) -> Position {
    Position::from_fen(fen, Ruleset::Lichess).expect("valid FEN")
}

fn white_view(fen: &str) -> i32 {
    trace(&position(fen)).total()
}

/// Positions from random games under both rulesets, blasts included.
fn random_positions(seed: u64, mut visit: impl FnMut(&Position)) {
    let mut rng = fastrand::Rng::with_seed(seed);
    for game in 0..200 {
        let mut position = Position::startpos(Ruleset::ALL[game % 2]);
        for _ in 0..120 {
            visit(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.usize(0..moves.len())]);
        }
    }
}

/// The same position with colours exchanged.
fn flipped(position: &Position) -> Position {
    let fen = position.fen();
    let mut fields = fen.split(' ');
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_ascii_lowercase() {
                    c.to_ascii_uppercase()
                } else {
                    c.to_ascii_lowercase()
                }
            })
            .collect()
    };
    let board = fields.next().expect("board");
    let ranks: Vec<String> = board.split('/').rev().map(swap).collect();
    let turn = position.turn().fold_wb('b', 'w');
    let flipped = format!("{} {turn} - - {} 1", ranks.join("/"), position.halfmoves());
    Position::from_fen(&flipped, position.ruleset()).expect("flipped FEN")
}

#[test]
fn a_trace_adds_up_to_the_evaluation() {
    random_positions(1, |position| {
        if position.king_is_gone() {
            return;
        }
        let trace = trace(position);
        let sum = Term::ALL
            .into_iter()
            .map(|term| trace.term(term, Color::White) - trace.term(term, Color::Black))
            .fold(Score::ZERO, |sum, score| sum + score);
        let phase = trace.phase();
        let tapered = (sum.middlegame() * phase + sum.endgame() * (material::FULL_PHASE - phase))
            / material::FULL_PHASE;
        let scaled = tapered * trace.scale() / scaling::FULL;
        let total = scaling::by_clock(scaled, position.halfmoves());
        assert_eq!(total, trace.total(), "{}", position.fen());
        let own = position.turn().fold_wb(total, -total);
        assert_eq!(own, evaluate(position), "{}", position.fen());
    });
}

#[test]
fn exchanging_the_colours_changes_nothing() {
    random_positions(2, |position| {
        if !position.king_is_gone() {
            let other = flipped(position);
            assert_eq!(evaluate(position), evaluate(&other), "{}", position.fen());
        }
    });
}

#[test]
fn every_value_stays_within_the_limit() {
    random_positions(3, |position| {
        assert!(evaluate(position).abs() <= LIMIT, "{}", position.fen());
    });
    let queens = position("QQQQQQQQ/QQQQQQQ1/8/8/8/8/1k6/K7 w - - 0 1");
    assert!(evaluate(&queens) <= LIMIT);
}

#[test]
fn a_position_without_a_king_has_no_value() {
    let mut position = position("8/8/8/K7/1k6/p7/Q7/8 w - - 8 22");
    let m = position.parse_uci("a2a3").expect("legal");
    position.play(m);
    assert_eq!(evaluate(&position), 0);
}

#[test]
fn a_queen_cannot_win_while_the_kings_touch() {
    assert_eq!(white_view("2q1k3/4K3/8/8/8/8/8/8 w - - 0 1"), 0);
    assert!(white_view("2q1k3/8/8/8/4K3/8/8/8 w - - 0 1") < -300);
}

#[test]
fn men_that_cannot_win_count_for_next_to_nothing() {
    for fen in [
        "4k3/8/8/8/8/8/8/RK6 w - - 0 1",
        "4k3/8/8/8/8/8/8/BBK5 w - - 0 1",
        "4k3/8/8/8/8/8/8/NNK5 w - - 0 1",
        "8/8/4kK2/8/4P3/8/8/8 w - - 0 1",
    ] {
        assert!(white_view(fen).abs() <= 20, "{fen}");
    }
    // Without check, a rook wins by zugzwang.
    let rook = Position::from_fen("4k3/8/8/8/8/8/8/RK6 w - - 0 1", Ruleset::Icc);
    assert!(evaluate(&rook.expect("valid FEN")) > 200);
}

#[test]
fn contact_favours_the_side_with_less_material() {
    let apart = white_view("8/pp6/8/2rk4/8/8/PP4K1/8 w - - 0 1");
    let touching = white_view("8/pp6/8/2rk4/2K5/8/PP6/8 w - - 0 1");
    assert!(apart < touching, "{apart} {touching}");
    let trace = trace(&position("8/pp6/8/2rk4/2K5/8/PP6/8 w - - 0 1"));
    assert!(trace.term(Term::Contact, Color::White).endgame() > 0);
    assert_eq!(trace.term(Term::Contact, Color::Black), Score::ZERO);
}

#[test]
fn a_threat_to_explode_the_king_outweighs_the_move_it_takes() {
    // 1.Nf3 d5 2.Ne5 attacks f7; with the knight on f3 it is one move away.
    let threat = "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2";
    let quiet = "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 2";
    let gain = white_view(threat) - white_view(quiet);
    assert!(gain > 60, "{gain}");
}

#[test]
fn a_capture_that_would_explode_both_kings_is_no_threat() {
    // The rook attacks a pawn that stands beside both kings.
    let trace = trace(&position("8/8/8/8/2K1k3/R2p4/8/8 b - - 0 1"));
    let both = trace.term(Term::KingZone, Color::White);
    let fen = "2K5/8/8/8/4k3/R2p4/8/8 b - - 0 1";
    let alone = super::trace(&position(fen)).term(Term::KingZone, Color::White);
    assert!(
        both.endgame() < 60 && alone.endgame() > 60,
        "{both:?} {alone:?}"
    );
}

#[test]
fn the_fifty_move_clock_fades_an_advantage() {
    let fresh = white_view("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 0 60");
    let stale = white_view("4k3/pp6/8/8/8/8/PP6/R3K3 w - - 90 100");
    assert!(0 < stale && stale < fresh * 2 / 3, "{stale} {fresh}");
}

#[test]
fn a_trace_prints_every_term() {
    let text = trace(&Position::startpos(Ruleset::Lichess)).to_string();
    for word in ["Material", "zone", "shelter", "Passed", "Mobility", "Total"] {
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(text.lines().count(), 3 + Term::ALL.len() + 2 + 4);
}
