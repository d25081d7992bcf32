//! What the search promises: forced wins found, draws held, the same tree each
//! time, limits kept, lines legal.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use fission::{
    rules::{Position, Ruleset},
    search::{
        Clock, Control, Limits, Pool, Report, SearchOptions, SearchResult, Skill,
        score::{Bound, mate_distance},
    },
};

const CASES: &str = include_str!("data/known-cases.tsv");

/// Long enough for any machine, short enough to fail.
const PATIENCE: Duration = Duration::from_secs(60);

fn position(fen: &str) -> Position {
    Position::from_fen(fen, Ruleset::Lichess).expect("valid FEN")
}

fn search(pool: &mut Pool, position: &Position, limits: &Limits) -> SearchResult {
    pool.search(
        position,
        &[],
        limits,
        &SearchOptions::default(),
        &Control::new(limits),
        &mut |_| {},
    )
}

fn mate(fen: &str, nodes: u64) -> Option<i32> {
    let result = search(&mut Pool::default(), &position(fen), &Limits::nodes(nodes));
    result.score().and_then(mate_distance)
}

#[test]
fn a_king_kept_in_contact_draws_at_every_depth() {
    let fen = "2q1k3/4K3/8/8/8/8/8/8 w - - 0 1";
    assert!(CASES.contains(fen));
    let mut pool = Pool::default();
    for depth in 1..=40 {
        let result = search(&mut pool, &position(fen), &Limits::depth(depth));
        assert_eq!(result.score(), Some(0), "depth {depth}");
    }
}

#[test]
fn public_losses_of_other_engines_are_not_repeated() {
    assert_eq!(
        mate(
            "rnb1kbnr/ppp1pppp/8/3q4/8/7P/PPPP1PP1/RNBQKBNR b KQkq - 0 1",
            1_000
        ),
        Some(1)
    );
    assert_eq!(
        mate(
            "r1bqkbnr/pppnpppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 2 3",
            1_000
        ),
        Some(1)
    );
    assert_eq!(
        mate(
            "rnbqkb1r/pppppppp/8/8/3Pn3/4PN2/PPP2PPP/RNBQKB1R b KQkq - 0 3",
            1_000
        ),
        Some(1)
    );
    let lost = mate(
        "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2",
        200_000,
    );
    assert!(
        lost.is_some_and(|moves| (-2..0).contains(&moves)),
        "{lost:?}"
    );
}

#[test]
fn the_knight_that_cannot_be_taken_mates_in_two() {
    let fen = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
    assert_eq!(mate(fen, 10_000), Some(2));
}

#[test]
fn the_queen_against_pawn_study_is_won_by_force() {
    let win = mate("8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1", 3_000_000);
    assert!(win.is_some_and(|moves| moves > 0), "{win:?}");
}

#[test]
fn a_winning_blast_comes_before_everything() {
    let fen = "8/8/8/K7/1k6/p7/Q7/8 w - - 8 22";
    let root = position(fen);
    let result = search(&mut Pool::default(), &root, &Limits::depth(5));
    assert_eq!(result.best.map(|m| root.san(m)), Some("Qxa3#".to_owned()));
}

#[test]
fn rook_against_bare_king_wins_by_zugzwang_without_check() {
    let root = Position::from_fen("8/8/8/8/8/2K5/7R/k7 w - - 0 1", Ruleset::Icc).expect("FEN");
    let result = search(&mut Pool::default(), &root, &Limits::nodes(2_000_000));
    let win = result.score().and_then(mate_distance);
    assert!(win.is_some_and(|moves| moves > 0), "{win:?}");
}

#[test]
fn one_thread_and_the_same_limits_give_the_same_tree() {
    let root = Position::startpos(Ruleset::Lichess);
    let run = || {
        let result = search(&mut Pool::default(), &root, &Limits::depth(9));
        (result.nodes, result.best, result.score())
    };
    assert_eq!(run(), run());
    let exact = search(&mut Pool::default(), &root, &Limits::nodes(12_345));
    assert_eq!(exact.nodes, 12_345);
}

#[test]
fn every_line_told_is_legal_to_its_end_and_distinct() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bq2n1/p1pp2k1/1pn1p2r/PP3pp1/3PN2p/b2RPN2/1BP2PPP/2Q1KB1R w K - 4 15",
        "2r1k2r/2qb3p/p2p3b/nppn1p1N/2P1pPp1/1P1PP2P/PBB2KPN/RQ1R4 b k - 2 23",
        "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1",
    ] {
        let root = position(fen);
        let limits = Limits::depth(10);
        let options = SearchOptions {
            multi_pv: 3,
            ..SearchOptions::default()
        };
        let result = Pool::default().search(
            &root,
            &[],
            &limits,
            &options,
            &Control::new(&limits),
            &mut |report| {
                let Report::Info(info) = report else { return };
                let mut current = root.clone();
                for &m in &info.pv {
                    assert!(current.is_legal(m), "{fen}: {m} in {}", current.fen());
                    current.play(m);
                }
            },
        );
        let firsts: std::collections::HashSet<_> = result
            .variations
            .iter()
            .filter_map(|info| info.pv.first())
            .collect();
        assert_eq!(firsts.len(), 3.min(root.legal_moves().len()), "{fen}");
        assert!(
            result
                .variations
                .windows(2)
                .all(|pair| pair[0].score >= pair[1].score),
            "{fen}"
        );
        if let Some(ponder) = result.ponder {
            let after = root.after(result.best.expect("a move"));
            assert!(after.is_legal(ponder), "{fen}");
        }
    }
}

#[test]
fn an_endless_search_gives_its_move_only_when_stopped() {
    for threads in [1, 3] {
        let limits = Limits {
            depth: Some(2),
            infinite: true,
            ..Limits::default()
        };
        let control = Arc::new(Control::new(&limits));
        let stopper = Arc::clone(&control);
        let start = Instant::now();
        let wait = Duration::from_millis(150);
        let handle = thread::spawn(move || {
            thread::sleep(wait);
            stopper.stop();
        });
        let mut pool = Pool::default();
        pool.set_threads(threads);
        let root = Position::startpos(Ruleset::Lichess);
        let result = pool.search(
            &root,
            &[],
            &limits,
            &SearchOptions::default(),
            &control,
            &mut |_| {},
        );
        assert!(start.elapsed() >= wait);
        assert!(result.best.is_some());
        handle.join().expect("stopper");
    }
}

#[test]
fn pondering_ends_by_a_hit_or_a_stop() {
    let clock = Clock {
        left: Duration::from_millis(500),
        increment: Duration::ZERO,
    };
    let limits = Limits {
        clocks: [Some(clock); 2],
        ponder: true,
        ..Limits::default()
    };
    for hit in [true, false] {
        let control = Arc::new(Control::new(&limits));
        let other = Arc::clone(&control);
        let handle = thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            if hit { other.ponderhit() } else { other.stop() }
        });
        let start = Instant::now();
        let result = Pool::default().search(
            &Position::startpos(Ruleset::Lichess),
            &[],
            &limits,
            &SearchOptions::default(),
            &control,
            &mut |_| {},
        );
        assert!(result.best.is_some());
        assert!((Duration::from_millis(100)..PATIENCE).contains(&start.elapsed()));
        handle.join().expect("other side");
    }
}

#[test]
fn hardly_any_time_still_gives_a_legal_move() {
    let root = position("2r1k2r/2qb3p/p2p3b/nppn1p1N/2P1pPp1/1P1PP2P/PBB2KPN/RQ1R4 b k - 2 23");
    for left in [0, 1, 3] {
        let clock = Clock {
            left: Duration::from_millis(left),
            increment: Duration::ZERO,
        };
        let limits = Limits {
            clocks: [Some(clock); 2],
            ..Limits::default()
        };
        let result = search(&mut Pool::default(), &root, &limits);
        assert!(root.is_legal(result.best.expect("a move")));
    }
}

#[test]
fn drawn_positions_still_get_a_move_and_finished_ones_none() {
    let bare = position("8/8/8/8/8/5k2/8/K7 w - - 0 1");
    assert!(
        search(&mut Pool::default(), &bare, &Limits::depth(3))
            .best
            .is_some()
    );
    let mut exploded = position("rnb1kbnr/ppp1pppp/8/3q4/8/7P/PPPP1PP1/RNBQKBNR b KQkq - 0 1");
    exploded.play(exploded.parse_uci("d5d2").expect("legal"));
    assert_eq!(
        search(&mut Pool::default(), &exploded, &Limits::depth(3)).best,
        None
    );
}

#[test]
fn weaker_levels_play_legal_moves_within_reach_of_their_nodes() {
    let root = Position::startpos(Ruleset::Lichess);
    for level in [0, 7, 19] {
        let skill = Skill::from_level(level);
        let options = SearchOptions {
            skill,
            ..SearchOptions::default()
        };
        let limits = Limits {
            movetime: Some(PATIENCE),
            ..Limits::default()
        };
        let result = Pool::default().search(
            &root,
            &[],
            &limits,
            &options,
            &Control::new(&limits),
            &mut |_| {},
        );
        assert!(root.is_legal(result.best.expect("a move")));
        // The iteration begun is finished.
        let bound = 20 * skill.map_or(0, Skill::nodes);
        assert!(result.nodes <= bound, "level {level}: {}", result.nodes);
    }
}

#[test]
fn only_the_moves_asked_for_are_played() {
    let root = Position::startpos(Ruleset::Lichess);
    let wanted = root.parse_uci("a2a3").expect("legal");
    let limits = Limits {
        search_moves: vec![wanted],
        ..Limits::depth(6)
    };
    let result = search(&mut Pool::default(), &root, &limits);
    assert_eq!(result.best, Some(wanted));
    assert_eq!(result.variations[0].bound, Bound::Exact);
}
