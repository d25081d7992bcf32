//! The `go` command.

use std::time::Duration;

use crate::{
    rules::Position,
    search::{Clock, Limits},
};

use super::game::abridged;

/// What `go` asks for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Go {
    /// A search.
    Search(Limits),
    /// A count of the legal move tree.
    Perft(u32),
    /// Nothing: a count was asked for that cannot be made.
    Nothing,
}

/// The longest time that is taken at its word.
const MAX_MILLISECONDS: i64 = 1 << 40;

/// How long to think when the only limit could not be read.
const FALLBACK: Duration = Duration::from_secs(1);

/// The words of `go` that are no moves.
const WORDS: [&str; 13] = [
    "infinite",
    "ponder",
    "searchmoves",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

/// Reads the words after `go`. What cannot be understood is left out and told
/// in the second part, one sentence each.
#[must_use]
pub fn parse(words: &str, position: &Position) -> (Go, Vec<String>) {
    let mut limits = Limits::default();
    let mut faults = Vec::new();
    let mut clocks = [(None, Duration::ZERO), (None, Duration::ZERO)];
    let mut perft = None;
    let mut unreadable = false;
    let mut nothing = false;
    let mut words = words.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "infinite" => limits.infinite = true,
            "ponder" => limits.ponder = true,
            "searchmoves" => {
                while let Some(m) = words.peek().and_then(|text| position.parse_uci(text).ok()) {
                    limits.search_moves.push(m);
                    words.next();
                }
                if limits.search_moves.is_empty() {
                    let next = words.next_if(|word| !WORDS.contains(word)).unwrap_or("");
                    faults.push(format!(
                        "go: searchmoves {:?} names no legal move: all moves are searched",
                        abridged(next)
                    ));
                }
            }
            "wtime" | "btime" | "winc" | "binc" | "movestogo" | "depth" | "nodes" | "mate"
            | "movetime" | "perft" => {
                let text = words.next().unwrap_or("");
                // A clock may be overdrawn, nothing else is below zero.
                let lowest = if word.ends_with("time") && word != "movetime" {
                    i64::MIN
                } else {
                    0
                };
                let Some(number) = text.parse::<i64>().ok().filter(|&n| n >= lowest) else {
                    faults.push(format!(
                        "go: {word} {:?} is not a number that can be used: left out",
                        abridged(text)
                    ));
                    unreadable = true;
                    nothing |= word == "perft";
                    continue;
                };
                let time = Duration::from_millis(number.clamp(0, MAX_MILLISECONDS) as u64);
                let count = u32::try_from(number.max(0)).unwrap_or(u32::MAX);
                match word {
                    "wtime" => clocks[0].0 = Some(time),
                    "btime" => clocks[1].0 = Some(time),
                    "winc" => clocks[0].1 = time,
                    "binc" => clocks[1].1 = time,
                    "movestogo" => limits.moves_to_go = Some(count).filter(|&count| count > 0),
                    "depth" => limits.depth = Some((count as usize).max(1)),
                    "nodes" => limits.nodes = Some(number.max(1) as u64),
                    "mate" => limits.mate = Some(count.max(1)),
                    "movetime" => limits.movetime = Some(time),
                    _ => perft = Some(count),
                }
            }
            _ => faults.push(format!(
                "go: {:?} is not understood: left out",
                abridged(word)
            )),
        }
    }
    if let Some(depth) = perft {
        return (Go::Perft(depth), faults);
    }
    if nothing {
        return (Go::Nothing, faults);
    }
    limits.clocks = clocks.map(|(left, increment)| left.map(|left| Clock { left, increment }));
    let bounded = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.movetime.is_some()
        || limits.clock(position.turn()).is_some();
    if !bounded && !limits.infinite && unreadable {
        // The client wanted some limit and waits for a move.
        limits.movetime = Some(FALLBACK);
    } else {
        limits.infinite |= !bounded && !limits.ponder;
    }
    (Go::Search(limits), faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn limits(words: &str) -> (Limits, usize) {
        let position = Position::startpos(Ruleset::Lichess);
        match parse(words, &position) {
            (Go::Search(limits), faults) => (limits, faults.len()),
            (Go::Perft(_) | Go::Nothing, _) => panic!("{words}"),
        }
    }

    #[test]
    fn clocks_and_limits_are_read() {
        let (limits, faults) = limits("wtime 1000 btime 2000 winc 10 binc 20 movestogo 3");
        assert_eq!(faults, 0);
        assert_eq!(limits.clocks[1].expect("Black's").left.as_millis(), 2000);
        assert_eq!(limits.clocks[0].expect("White's").increment.as_millis(), 10);
        assert_eq!(limits.moves_to_go, Some(3));
        assert!(!limits.infinite);
    }

    #[test]
    fn what_is_not_understood_is_told_and_left_out() {
        for words in [
            "depth x",
            "depth",
            "nodes -3",
            "movetime 99999999999999999999",
        ] {
            let (limits, faults) = limits(words);
            assert_eq!(faults, 1, "{words}");
            assert_eq!(limits.movetime, Some(FALLBACK), "{words}");
        }
        let (quickly, faults) = limits("quickly");
        assert!(quickly.infinite && faults == 1);
        let (moves, faults) = limits("searchmoves depth 2");
        assert_eq!((moves.depth, faults), (Some(2), 1));
        assert_eq!(
            limits("wtime -5 btime 3").0.clocks[0].map(|c| c.left),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn a_count_to_no_depth_searches_nothing() {
        let position = Position::startpos(Ruleset::Lichess);
        for words in ["perft abc", "perft", "perft -1"] {
            let (go, faults) = parse(words, &position);
            assert_eq!((go, faults.len()), (Go::Nothing, 1), "{words}");
        }
        assert_eq!(parse("perft 3", &position), (Go::Perft(3), Vec::new()));
    }

    #[test]
    fn only_the_moves_asked_for_are_searched() {
        let (limits, faults) = limits("searchmoves e2e4 g1f3 depth 3");
        assert_eq!(
            (limits.search_moves.len(), limits.depth, faults),
            (2, Some(3), 0)
        );
        assert_eq!(super::tests::limits("searchmoves e2e5 depth 3").1, 1);
    }
}
