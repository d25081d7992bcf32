//! What the solver promises: the shortest win, as a search without any cunning
//! finds it, and lines that reach it.

use fission::{
    mate::{Bounds, Problem, Solver, Verdict, is_checkmate, read_epd},
    rules::{Position, Ruleset, Termination, movegen, result},
};

const MATES: &str = include_str!("data/mates.epd");

fn problems(mate: u8) -> Vec<Problem> {
    read_epd(MATES, Ruleset::Lichess)
        .into_iter()
        .map(|line| line.expect("a position"))
        .filter(|problem| problem.mate == Some(mate))
        .collect()
}

fn solve(solver: &mut Solver, problem: &Problem, moves: u8) -> (Verdict, Vec<shakmaty::Move>) {
    let bounds = Bounds::moves(moves);
    let solution = solver.solve(&problem.position, &[], &bounds, &|| false, &mut |_| {});
    (solution.verdict, solution.line)
}

/// Every move of both sides, nothing remembered, nothing ordered.
fn wins_by_force(position: &Position, moves: u8) -> bool {
    movegen::legal_moves(position).iter().any(|&m| {
        let next = position.after(m);
        if next.king_is_gone() || is_checkmate(&next) {
            return true;
        }
        moves > 1
            && result(&next, &[]).is_none()
            && movegen::legal_moves(&next).iter().all(|&reply| {
                let after = next.after(reply);
                !after.king_is_gone() && wins_by_force(&after, moves - 1)
            })
    })
}

#[test]
fn two_hundred_positions_are_there() {
    let counts = Vec::from_iter((2..=6).map(|mate| problems(mate).len()));
    assert_eq!(counts.iter().sum::<usize>(), 200);
    assert!(counts.iter().all(|&count| count >= 20), "{counts:?}");
}

#[test]
fn lengths_are_those_of_a_search_of_every_move() {
    for (mate, step) in [(2, 2), (3, 8)] {
        for problem in problems(mate).iter().step_by(step) {
            let fen = problem.position.fen();
            assert!(!wins_by_force(&problem.position, mate - 1), "{fen}");
            assert!(wins_by_force(&problem.position, mate), "{fen}");
        }
    }
}

#[test]
fn the_solver_finds_the_shortest_win_and_a_line_of_its_length() {
    let mut solver = Solver::new(16);
    for (mate, step) in [(2, 1), (3, 1), (4, 3), (5, 15)] {
        for problem in problems(mate).iter().step_by(step) {
            let fen = problem.position.fen();
            let (verdict, line) = solve(&mut solver, problem, mate + 1);
            let shortest = Verdict::Win {
                moves: mate,
                shortest: true,
            };
            assert_eq!(verdict, shortest, "{fen}");
            assert_eq!(line.len(), 2 * usize::from(mate) - 1, "{fen}");
            let end = line
                .iter()
                .fold(problem.position.clone(), |position, &m| position.after(m));
            let result = result(&end, &[]).expect("the game is over");
            assert_eq!(result.winner, Some(problem.position.turn()), "{fen}");
            let won = [Termination::KingExploded, Termination::Checkmate];
            assert!(won.contains(&result.termination), "{fen}");
        }
    }
}

#[test]
fn no_win_is_found_where_fewer_moves_are_allowed() {
    let mut solver = Solver::new(16);
    for mate in 3..=4 {
        for problem in problems(mate).iter().step_by(4) {
            let (verdict, line) = solve(&mut solver, problem, mate - 1);
            assert_eq!(verdict, Verdict::NoWin, "{}", problem.position.fen());
            assert!(line.is_empty());
        }
    }
}

#[test]
fn rook_against_bare_king_is_won_by_zugzwang_without_check() {
    let root = Position::from_fen("8/8/8/8/8/2K5/7R/k7 w - - 0 1", Ruleset::Icc).expect("FEN");
    let solve = |position: &Position| {
        Solver::new(16)
            .solve(position, &[], &Bounds::moves(4), &|| false, &mut |_| {})
            .verdict
    };
    let found = solve(&root);
    assert!(
        matches!(found, Verdict::Win { shortest: true, moves } if wins_by_force(&root, moves)),
        "{found:?}"
    );
    // With check it is a draw by material at once.
    let fen = "8/8/8/8/8/2K5/7R/k7 w - - 0 1";
    let drawn = Position::from_fen(fen, Ruleset::Lichess).expect("FEN");
    assert_eq!(solve(&drawn), Verdict::NoWin);
}
