//! Explanations in words, from facts on the board: what is about to explode,
//! which man dooms its king, and why the obvious capture is not legal.

use shakmaty::{Color, Move, Role, Square};

use super::{Verdict, analysis::Searcher};
use crate::{
    diagram::{role_name, side_name},
    games::line,
    rules::{Legality, Position, blast, legality::attackers},
    search::score::mate_distance,
};

/// The most sentences of one kind.
const MOST: usize = 3;

/// Explains a position to the side to move: threats against it, men that doom
/// its king, captures that it may not make.
pub(super) fn on_position(
    searcher: &mut Searcher,
    position: &Position,
    verdict: &Verdict,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if verdict.over.is_some() {
        return sentences;
    }
    if mate_distance(verdict.score).is_some_and(|moves| moves > 0) {
        sentences.extend(forced_explosion(position, &verdict.line));
    }
    sentences.extend(threat(searcher, position, "threatens"));
    sentences.extend(doomed_king(position));
    sentences.extend(forbidden_captures(position));
    sentences
}

/// Explains an error by the threat that it overlooked in the position `before`,
/// and by what the answer to it does; `position` is the one after the error.
pub(super) fn on_error(
    searcher: &mut Searcher,
    before: &Position,
    position: &Position,
    verdict: &Verdict,
) -> Vec<String> {
    let mut sentences = Vec::new();
    if mate_distance(verdict.score).is_some_and(|moves| moves > 0) {
        if !before.is_check() {
            sentences.extend(threat(searcher, before, "threatened"));
        }
        sentences.extend(forced_explosion(position, &verdict.line));
    }
    if let Some(&answer) = verdict.line.first()
        && !position.after(answer).king_is_gone()
        && blast::center(answer).is_none()
    {
        sentences.extend(why_untouchable(&position.after(answer), answer.to()));
    }
    sentences
}

/// What the opponent would do if it were its turn: an explosion or mate by
/// force. In check, that is threat enough.
fn threat(searcher: &mut Searcher, position: &Position, verb: &str) -> Option<String> {
    let mover = side_name(position.turn());
    if position.is_check() {
        return Some(format!("{mover} is in check."));
    }
    let passed = position.after_null();
    if passed.is_check() || passed.legal_moves().is_empty() {
        return None;
    }
    let verdict = searcher.verdict(&passed, &[], None)?;
    let moves = mate_distance(verdict.score).filter(|&moves| moves > 0)?;
    let threatened = line::numbered(&passed, &verdict.line);
    let opponent = side_name(passed.turn());
    let when = match moves {
        1 => "with the next move".to_owned(),
        _ => format!("in {moves} moves"),
    };
    let what = match last_explosion(&passed, &verdict.line) {
        Some((_, center)) => format!("explode {mover}'s king by a capture on {center}"),
        None => format!("mate {mover}"),
    };
    Some(format!("{opponent} {verb} to {what} {when}: {threatened}."))
}

/// The final capture of a line that explodes a king, and its square.
fn last_explosion(position: &Position, line: &[Move]) -> Option<(Position, Square)> {
    let (&last, before) = line.split_last()?;
    let mut current = position.clone();
    for &m in before {
        current.play(m);
    }
    let center = blast::center(last)?;
    current
        .after(last)
        .king_is_gone()
        .then_some((current, center))
}

/// How a forced line ends: which man is taken and how its king goes with it.
fn forced_explosion(position: &Position, line: &[Move]) -> Option<String> {
    let (end, center) = last_explosion(position, line)?;
    let last = line::numbered(&end, &line[line.len() - 1..]);
    let loser = !end.turn();
    let king = end.king(loser)?;
    let victim = blast::victim(*line.last()?)?;
    let man = end.board().role_at(victim)?;
    Some(if man == Role::King {
        format!("{last} takes {}'s king itself.", side_name(loser))
    } else {
        format!(
            "{last} takes the {} on {victim}, and {}'s king on {king} stands in the blast on {center}.",
            role_name(man),
            side_name(loser)
        )
    })
}

/// Men on and around the king's square whose capture, possible on the next
/// move, would explode it.
fn doomed_king(position: &Position) -> Vec<String> {
    let us = position.turn();
    let Some(king) = position.king(us) else {
        return Vec::new();
    };
    let passed = position.after_null();
    let mut sentences = Vec::new();
    for square in blast::fatal_centers(position.board(), us) & position.us() {
        let killers: Vec<Move> = passed
            .legal_moves()
            .into_iter()
            .filter(|&m| blast::victim(m) == Some(square) && passed.after(m).king(us).is_none())
            .collect();
        let (Some(&killer), Some(man)) = (killers.first(), position.board().role_at(square)) else {
            continue;
        };
        let capture = line::numbered(&passed, &[killer]);
        sentences.push(if man == Role::King {
            format!(
                "{}'s king on {king} can be taken by {capture}.",
                side_name(us)
            )
        } else {
            format!(
                "{}'s {} on {square} dooms its king on {king}: {capture} would blow up both.",
                side_name(us),
                role_name(man)
            )
        });
    }
    sentences.truncate(MOST);
    sentences
}

/// Enemy men that are attacked but that no legal move may take, the most
/// valuable first.
fn forbidden_captures(position: &Position) -> Vec<String> {
    let mut targets: Vec<Square> = position.them().into_iter().collect();
    targets.sort_by_key(|&square| std::cmp::Reverse(position.board().role_at(square)));
    targets
        .into_iter()
        .filter(|&square| position.board().role_at(square) != Some(Role::Pawn))
        .filter_map(|square| why_untouchable(position, square))
        .take(MOST)
        .collect()
}

/// Why the side to move cannot take the man on `square` although it attacks it.
/// `None` if it can, or does not attack it.
fn why_untouchable(position: &Position, square: Square) -> Option<String> {
    let board = position.board();
    let us = position.turn();
    let victim = board.role_at(square)?;
    let king = position.king(us)?;
    let mut takers = attackers(board, square, us, board.occupied());
    if blast::zone(king).contains(square) {
        takers.add(king);
    }
    let legality = Legality::new(position);
    let mut reasons = Vec::new();
    for from in takers {
        let role = board.role_at(from)?;
        let m = Move::Normal {
            role,
            from,
            capture: Some(victim),
            to: square,
            promotion: (role == Role::Pawn
                && square.rank() == us.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First))
            .then_some(Role::Queen),
        };
        if legality.allows(m) {
            return None;
        }
        reasons.push((role, from, reason(position, m, king)));
    }
    let (role, from, why) = reasons
        .iter()
        .min_by_key(|(role, _, _)| *role == Role::King)?;
    Some(format!(
        "{} cannot take the {} on {square} with the {} on {from}: {why}.",
        side_name(us),
        role_name(victim),
        role_name(*role)
    ))
}

/// Why a capture is not legal.
fn reason(position: &Position, m: Move, king: Square) -> String {
    let us = position.turn();
    if m.role() == Role::King {
        return "a king never captures, it would explode".to_owned();
    }
    if blast::zone(king).with(king).contains(m.to()) {
        return format!("the blast would reach its own king on {king}");
    }
    let after = position.after(m);
    let checker = check_giver(&after, king, us);
    match checker {
        Some((square, role)) => format!(
            "its king on {king} would be left in check from the {} on {square}",
            role_name(role)
        ),
        None => format!("its king on {king} would be left in check"),
    }
}

fn check_giver(after: &Position, king: Square, us: Color) -> Option<(Square, Role)> {
    let board = after.board();
    let square = attackers(board, king, !us, board.occupied()).first()?;
    Some((square, board.role_at(square)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, Ruleset::Lichess).expect("test FEN")
    }

    #[test]
    fn the_knight_that_nothing_may_take() {
        // 1. Nf3 d5 2. Ne5 f6 3. Nd7
        let text = why_untouchable(
            &position("rnbqkbnr/pppNp1pp/5p2/3p4/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 3"),
            Square::D7,
        )
        .expect("no legal capture");
        assert!(
            text.contains("the blast would reach its own king on e8"),
            "{text}"
        );
    }

    #[test]
    fn a_man_that_dooms_its_king_is_named_with_the_capture() {
        let text = doomed_king(&position(
            "rnbqkbnr/pppNp1pp/5p2/3p4/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 3",
        ));
        assert_eq!(
            text,
            ["Black's bishop on f8 dooms its king on e8: 4.Nxf8# would blow up both."]
        );
    }

    #[test]
    fn a_capture_that_opens_a_line_is_explained() {
        // Taking on c6 blows up the knight d5, which shields d1 from the rook.
        let position = position("3r3k/8/2p5/3N4/8/4B3/8/3K3B w - - 0 1");
        let king = position.king(Color::White).expect("a king");
        let m = Move::Normal {
            role: Role::Knight,
            from: Square::D5,
            capture: Some(Role::Pawn),
            to: Square::C6,
            promotion: None,
        };
        let why = reason(&position, m, king);
        assert_eq!(
            why,
            "its king on d1 would be left in check from the rook on d8"
        );
    }

    #[test]
    fn kings_do_not_take() {
        let text = why_untouchable(&position("4k3/8/8/8/8/8/3rK3/8 w - - 0 1"), Square::D2);
        assert!(text.is_some_and(|text| text.contains("a king never captures")));
    }
}
