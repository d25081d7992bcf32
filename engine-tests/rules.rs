//! The rules: recorded cases, move counts, and shakmaty as the oracle.

use fission::rules::{PackedMove, Position, Ruleset, movegen, result};
use shakmaty::{
    CastlingMode, EnPassantMode, FromSetup, Position as _, fen::Fen, uci::UciMove, variant::Atomic,
};

const PERFT: &str = include_str!("data/perft.epd");
const CASES: &str = include_str!("data/rules.tsv");

/// Positions with up to this many leaves are counted without optimisation.
const LEAVES: u64 = if cfg!(debug_assertions) {
    2_000_000
} else {
    60_000_000
};

fn data_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

#[test]
fn move_counts_match_the_perft_suite_under_both_rulesets() {
    for line in data_lines(PERFT) {
        let mut fields = line.split(';').map(str::trim);
        let fen = fields.next().expect("FEN");
        for (name, count) in fields.filter_map(|field| field.split_once(' ')) {
            let ruleset = match name.as_bytes()[0] {
                b'D' => Ruleset::Lichess,
                b'N' => Ruleset::Icc,
                _ => continue,
            };
            let depth: u32 = name[1..].parse().expect("depth");
            let expected: u64 = count.parse().expect("count");
            if expected > LEAVES {
                continue;
            }
            let position = Position::from_fen(fen, ruleset).expect("valid FEN");
            assert_eq!(movegen::perft(&position, depth), expected, "{name} {fen}");
        }
    }
}

#[test]
fn recorded_rule_cases_hold() {
    for line in data_lines(CASES) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [fen, _, uci, legal, outcome, why] = fields[..] else {
            panic!("bad line {line}");
        };
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("valid FEN");
        let own = movegen::legal_moves(&position);
        let parsed = position.parse_uci(uci);
        assert_eq!(parsed.is_ok(), legal == "yes", "{fen} {uci}: {why}");
        let Ok(m) = parsed else { continue };
        assert!(own.contains(&m), "{fen} {uci}: {why}");
        let after = position.after(m);
        let got = result(&after, &[]).map_or("*", |result| result.as_str());
        assert_eq!(got, outcome, "{fen} {uci}: {why}");
    }
}

/// Compares one position with shakmaty's: moves, their results, check,
/// outcome, and that every move survives packing.
fn compare(position: &Position, oracle: &Atomic) {
    let fen = position.fen();
    let mut own = movegen::legal_moves(position);
    let mut expected = oracle.legal_moves();
    let by_text = |m: &shakmaty::Move| m.to_uci(CastlingMode::Chess960).to_string();
    own.sort_by_key(by_text);
    expected.sort_by_key(by_text);
    assert_eq!(own, expected, "{fen}");
    assert_eq!(position.is_check(), oracle.is_check(), "{fen}");
    assert_eq!(position.keys(), &position.fresh_keys(), "{fen}");
    let drawn = fission::rules::insufficient_material(
        position.board(),
        Ruleset::Lichess,
        fission::rules::MaterialRule::NoWinPossible,
    );
    let alive = !oracle.is_variant_end();
    assert_eq!(
        drawn && alive,
        oracle.is_insufficient_material() && alive,
        "{fen}"
    );
    movegen::all(position, |m| {
        assert_eq!(PackedMove::new(m).unpack(position), Some(m), "{fen} {m}");
    });
}

/// A Chess960 start with one of the 960 back ranks for both sides.
fn chess960_start(number: u32) -> Atomic {
    let setup = shakmaty::Setup {
        board: shakmaty::Board::chess960(number),
        castling_rights: {
            let board = shakmaty::Board::chess960(number);
            board.rooks()
        },
        ..shakmaty::Setup::initial()
    };
    Atomic::from_setup(setup, CastlingMode::Chess960).expect("valid start")
}

#[test]
fn random_positions_agree_with_shakmaty_chess960_included() {
    let mut rng = fastrand::Rng::with_seed(20);
    let target = if cfg!(debug_assertions) {
        20_000
    } else {
        100_000
    };
    let mut positions = 0;
    let mut game = 0;
    while positions < target {
        let mut oracle = if game % 2 == 0 {
            Atomic::new()
        } else {
            chess960_start(rng.u32(0..960))
        };
        game += 1;
        let mut position = Position::from_fen(
            &Fen::from_position(&oracle, EnPassantMode::Legal).to_string(),
            Ruleset::Lichess,
        )
        .expect("valid start");
        let mut keys = Vec::new();
        loop {
            compare(&position, &oracle);
            positions += 1;
            let moves = oracle.legal_moves();
            if oracle.is_game_over() || keys.len() > 300 {
                assert_eq!(
                    oracle.is_game_over() || keys.len() > 300,
                    result(&position, &[]).is_some() || keys.len() > 300,
                );
                if oracle.is_game_over()
                    && let Some(result) = result(&position, &[])
                {
                    assert_eq!(
                        result.winner,
                        oracle.outcome().winner(),
                        "{}",
                        position.fen()
                    );
                }
                break;
            }
            // Prefer quiet moves, so that games last.
            let quiet: Vec<_> = moves.iter().filter(|m| !m.is_capture()).collect();
            let m = if quiet.is_empty() || rng.u32(0..6) == 0 {
                moves[rng.usize(0..moves.len())]
            } else {
                *quiet[rng.usize(0..quiet.len())]
            };
            keys.push(position.key());
            position.play(m);
            oracle.play_unchecked(m);
            let expected = Fen::from_position(&oracle, EnPassantMode::Legal).to_string();
            assert_eq!(position.fen(), expected);
            if oracle.board().kings().count() == 2 {
                let again = Position::from_fen(&expected, Ruleset::Lichess).expect("own FEN");
                assert_eq!(again.keys(), position.keys(), "{expected}");
            }
        }
    }
}

#[test]
fn packed_moves_are_refused_where_they_are_not_pseudo_legal() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut position = Position::startpos(Ruleset::Lichess);
    for _ in 0..2000 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            position = Position::startpos(Ruleset::Lichess);
            continue;
        }
        let mut pseudo = std::collections::HashSet::new();
        movegen::all(&position, |m| {
            pseudo.insert(PackedMove::new(m));
        });
        for bits in 0..=u16::MAX {
            let packed = PackedMove(bits);
            if let Some(m) = packed.unpack(&position) {
                let suicidal = m.is_capture()
                    && fission::rules::blast::fatal_centers(position.board(), position.turn())
                        .contains(m.to());
                assert!(
                    pseudo.contains(&packed) || suicidal,
                    "{m} in {}",
                    position.fen()
                );
                assert_eq!(PackedMove::new(m), packed);
            }
        }
        for _ in 0..8 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.usize(0..moves.len())]);
        }
        if rng.u32(0..200) == 0 {
            break;
        }
    }
}

#[test]
fn castling_is_read_in_both_spellings_and_fens_in_all() {
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let position = Position::from_fen(fen, Ruleset::Lichess).expect("classical FEN");
    let shredder = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", Ruleset::Lichess)
        .expect("Shredder-FEN");
    assert_eq!(position, shredder);
    assert_eq!(position.parse_uci("e1g1"), position.parse_uci("e1h1"));
    assert_eq!(position.parse_uci("e1c1"), position.parse_uci("e1a1"));
    let castle = position.parse_uci("e1g1").expect("castling");
    assert_eq!(position.uci(castle, false), "e1g1");
    assert_eq!(position.uci(castle, true), "e1h1");
    let uci: UciMove = "e1h1".parse().expect("move");
    assert_eq!(uci.to_string(), "e1h1");
}
