//! The solver: which search is asked what, and what it has found.

use std::{
    cmp::Reverse,
    time::{Duration, Instant},
};

use shakmaty::Move;

use super::{
    check::mate_in_one,
    searcher::{ALL, Answer, Searcher, Stopped, THREATS, THREATS_KEY, key},
    table::Table,
};
use crate::rules::{PackedMove, Position, movegen};

/// The longest win that can be asked for, in moves.
pub const MAX_MOVES: u8 = 100;

/// Wins of up to this many moves are looked for by trying every move only.
const SHORT: u8 = 3;
/// The least nodes that a proof-number search is worth starting for.
const LEAST: u64 = 20_000;
/// Nodes that may be spent on finding the length of one proved win.
const ALLOWANCE: u64 = 100_000;

/// How far the solver goes.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The longest win looked for, in moves of the side to move.
    pub moves: u8,
    /// The most nodes visited, if there is a limit.
    pub nodes: Option<u64>,
    /// The longest time taken, if there is a limit.
    pub time: Option<Duration>,
    /// Only these first moves; empty for all.
    pub first_moves: Vec<Move>,
    /// Be content with any proved win, be there a shorter one or not.
    pub any_length: bool,
}

impl Bounds {
    /// Wins within `moves` moves, however long it takes.
    #[must_use]
    pub fn moves(moves: u8) -> Bounds {
        Bounds {
            moves: moves.clamp(1, MAX_MOVES),
            nodes: None,
            time: None,
            first_moves: Vec::new(),
            any_length: false,
        }
    }
}

/// What was proved.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// The side to move wins in `moves` moves; `shortest` if not in fewer.
    Win {
        /// Moves to the explosion or mate, from one.
        moves: u8,
        /// Whether it was proved that no shorter win exists.
        shortest: bool,
    },
    /// The side to move cannot win within the moves asked for.
    NoWin,
    /// The search ended before an answer: there is no win within this many
    /// moves, beyond that nothing is known.
    Open {
        /// The number of moves proved not to suffice.
        no_win_in: u8,
    },
}

/// What is known while the solver works.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Progress {
    /// No win within this many moves.
    pub no_win_in: u8,
    /// The shortest win proved so far.
    pub win_in: Option<u8>,
    /// Nodes visited.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
}

/// An answer and what it cost.
#[derive(Clone, Debug)]
pub struct Solution {
    /// What was proved.
    pub verdict: Verdict,
    /// The winning line against the longest defence; empty without a win.
    pub line: Vec<Move>,
    /// Nodes visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Solves one position at a time in a fixed amount of memory.
#[derive(Debug)]
pub struct Solver {
    pub(super) table: Table,
    /// Whose wins the table is about, with the positions drawn by repetition.
    owner: Option<(shakmaty::Color, crate::rules::Ruleset, Vec<u64>)>,
}

impl Solver {
    /// A solver with a table of about `mib` MiB.
    #[must_use]
    pub fn new(mib: usize) -> Solver {
        Solver {
            table: Table::new(mib),
            owner: None,
        }
    }

    /// Looks for a forced win of the side to move. `earlier_keys` are the keys
    /// of the game's positions before this one; `is_stopped` may end the work
    /// at any time, `report` hears whenever more is known.
    pub fn solve(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        bounds: &Bounds,
        is_stopped: &dyn Fn() -> bool,
        report: &mut dyn FnMut(Progress),
    ) -> Solution {
        let start = Instant::now();
        let drawn = drawn_by_repetition(position, earlier_keys);
        self.use_for(position, &drawn);
        let is_over = || is_stopped() || bounds.time.is_some_and(|time| start.elapsed() >= time);
        let mut search = Searcher::new(&mut self.table, &drawn, &is_over);
        let mut task = Task {
            position,
            bounds,
            start,
            no_win_in: 0,
            win: None,
            report,
        };
        // Being stopped leaves what was proved before.
        let _ = task.run(&mut search);
        let verdict = task.verdict();
        let nodes = search.nodes;
        let win = task.win;
        search.lift_limits(&|| false);
        search.any_length = bounds.any_length;
        let line = win.map_or_else(Vec::new, |(moves, first)| {
            search.line(position, first, moves)
        });
        Solution {
            verdict,
            line,
            nodes,
            time: start.elapsed(),
        }
    }

    /// Empties the table unless it is about wins of the same side.
    pub(super) fn use_for(&mut self, position: &Position, drawn: &[u64]) {
        let owner = (position.turn(), position.ruleset(), drawn.to_vec());
        if self.owner.as_ref().is_some_and(|before| *before != owner) {
            self.table.clear();
        }
        self.owner = Some(owner);
    }
}

/// The keys of positions that a third occurrence would draw.
pub(super) fn drawn_by_repetition(position: &Position, earlier_keys: &[u64]) -> Vec<u64> {
    let mut keys = earlier_keys.to_vec();
    keys.push(position.key());
    keys.sort_unstable();
    let mut drawn: Vec<u64> = keys
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
        .collect();
    drawn.dedup();
    drawn
}

/// One question on its way to the answer.
struct Task<'a> {
    position: &'a Position,
    bounds: &'a Bounds,
    start: Instant,
    no_win_in: u8,
    win: Option<(u8, Move)>,
    report: &'a mut dyn FnMut(Progress),
}

impl Task<'_> {
    fn run(&mut self, search: &mut Searcher<'_>) -> Answer<()> {
        let limit = self.bounds.nodes.unwrap_or(u64::MAX);
        search.node_limit = limit;
        let first_moves = self.first_moves();
        self.threaten(search, &first_moves, limit)?;
        while self.win.is_none_or(|(moves, _)| moves > self.no_win_in + 1)
            && self.no_win_in < self.bounds.moves
            && !(self.bounds.any_length && self.win.is_some())
        {
            let moves = self.no_win_in + 1;
            if moves <= SHORT {
                match self.first::<ALL>(search, &first_moves, moves)? {
                    Some(m) => self.win = Some((moves, m)),
                    None => self.no_win_in = moves,
                }
            } else if self.bounds.any_length {
                self.prove(search, self.bounds.moves)?;
            } else {
                if self.win.is_none() {
                    self.look_far(search, limit)?;
                }
                if self.win.is_none_or(|(win, _)| win > moves) && self.no_win_in < moves {
                    self.prove(search, moves)?;
                }
            }
            self.tell(search);
        }
        Ok(())
    }

    /// Looks for the shortest win by threats alone, with a small part of the
    /// nodes.
    fn threaten(
        &mut self,
        search: &mut Searcher<'_>,
        first_moves: &[Move],
        limit: u64,
    ) -> Answer<()> {
        search.node_limit = limit.min(LEAST);
        for moves in 1..=self.bounds.moves {
            match self.first::<THREATS>(search, first_moves, moves) {
                Ok(None) => {}
                Ok(Some(m)) => {
                    self.win = Some((moves, m));
                    self.tell(search);
                    break;
                }
                Err(Stopped) if !search.is_stopped() && search.nodes <= limit => break,
                Err(Stopped) => return Err(Stopped),
            }
        }
        search.node_limit = limit;
        Ok(())
    }

    /// A first move among `first_moves` that wins within `moves` moves.
    fn first<const KIND: bool>(
        &self,
        search: &mut Searcher<'_>,
        first_moves: &[Move],
        moves: u8,
    ) -> Answer<Option<Move>> {
        if let Some(blast) = mate_in_one(self.position).filter(|m| first_moves.contains(m)) {
            return Ok(Some(blast));
        }
        if first_moves.is_empty() {
            return Ok(None);
        }
        search.winner::<KIND>(self.position, moves, PackedMove::NONE, first_moves)
    }

    /// Settles by proof numbers whether there is a win within `moves`.
    fn prove(&mut self, search: &mut Searcher<'_>, moves: u8) -> Answer<()> {
        if search.prove(self.position, moves, &self.bounds.first_moves)? {
            self.note_win(search, moves)?;
        } else {
            self.no_win_in = moves;
        }
        Ok(())
    }

    /// Looks for a win of any length for as long as the work took so far.
    fn look_far(&mut self, search: &mut Searcher<'_>, limit: u64) -> Answer<()> {
        search.node_limit = limit.min(search.nodes + search.nodes.max(LEAST));
        let outcome = self.prove(search, self.bounds.moves);
        let is_over = search.is_stopped() || search.nodes > limit;
        search.node_limit = limit;
        match outcome {
            Err(Stopped) if !is_over => Ok(()),
            outcome => outcome,
        }
    }

    /// A win is proved: reads its first move and its length.
    fn note_win(&mut self, search: &mut Searcher<'_>, moves: u8) -> Answer<()> {
        let first_moves = self.first_moves();
        let below = moves - 1;
        let best = first_moves
            .iter()
            .copied()
            .filter_map(|m| {
                let next = self.position.after(m);
                let needed = match search.settled(&next, below) {
                    Some(true) => 0,
                    Some(false) => return None,
                    None => search.proved_within(&next, below, false)?,
                };
                Some((needed + 1, m))
            })
            .min_by_key(|&(needed, _)| needed);
        // Where the table has lost the proof it is made again.
        let best = best.or_else(|| {
            let (m, left) = search.winning_move(self.position, moves)?;
            first_moves.contains(&m).then_some((left + 1, m))
        });
        self.win = Some(best.ok_or(Stopped)?);
        Ok(())
    }

    fn first_moves(&self) -> Vec<Move> {
        let allowed = &self.bounds.first_moves;
        movegen::legal_moves(self.position)
            .into_iter()
            .filter(|m| allowed.is_empty() || allowed.contains(m))
            .collect()
    }

    fn tell(&mut self, search: &Searcher<'_>) {
        (self.report)(Progress {
            no_win_in: self.no_win_in,
            win_in: self.win.map(|(moves, _)| moves),
            nodes: search.nodes,
            time: self.start.elapsed(),
        });
    }

    fn verdict(&self) -> Verdict {
        match self.win {
            Some((moves, _)) => Verdict::Win {
                moves,
                shortest: moves == self.no_win_in + 1,
            },
            None if self.no_win_in >= self.bounds.moves => Verdict::NoWin,
            None => Verdict::Open {
                no_win_in: self.no_win_in,
            },
        }
    }
}

impl Searcher<'_> {
    /// The line of a proved win: `first`, then the replies that last longest.
    fn line(&mut self, position: &Position, first: Move, moves: u8) -> Vec<Move> {
        let mut line = vec![first];
        let mut current = position.after(first);
        let mut left = moves - 1;
        while left > 0 && !current.king_is_gone() {
            let Some((reply, needed)) = self.longest_reply(&current, left) else {
                break;
            };
            line.push(reply);
            current.play(reply);
            let Some((m, below)) = self.winning_move(&current, needed) else {
                break;
            };
            line.push(m);
            current.play(m);
            left = below;
        }
        line
    }

    /// The reply that holds out longest at a node lost within `moves` moves,
    /// and the number of moves that the win then takes at most. Where that is
    /// too costly to find out, a reply that seems to.
    pub(super) fn longest_reply(&mut self, position: &Position, moves: u8) -> Option<(Move, u8)> {
        let best = self.best(position, moves, false);
        let mut replies = self.ordered_moves(position, moves, false);
        replies.sort_by_key(|&(promise, m)| (Some(m) != best, Reverse(promise)));
        let mut longest = None;
        for (_, m) in replies {
            let length = self.length(&position.after(m), moves);
            if longest.is_none_or(|(_, most)| length > most) {
                longest = Some((m, length));
            }
            if length == moves {
                break;
            }
        }
        longest
    }

    /// In how many moves the side to move is proved to win, at most `moves`.
    pub(super) fn length(&mut self, position: &Position, moves: u8) -> u8 {
        let limit = self.node_limit;
        self.node_limit = limit.min(self.nodes + ALLOWANCE);
        // Most replies asked about are the toughest, which last to the end.
        let mut shortest = moves;
        if moves > 1 && self.wins_within(position, moves - 1) != Ok(false) {
            shortest = (1..moves)
                .find_map(|short| match self.wins_within(position, short) {
                    Ok(false) => None,
                    Ok(true) => Some(short),
                    Err(Stopped) => Some(moves),
                })
                .unwrap_or(moves);
        }
        let shortest = self
            .proved_within(position, shortest, true)
            .unwrap_or(shortest);
        self.node_limit = limit;
        shortest
    }

    /// Whether the side to move wins within `moves` moves; by threats alone if
    /// any length will do.
    fn wins_within(&mut self, position: &Position, moves: u8) -> Answer<bool> {
        if self.any_length {
            self.attack::<THREATS>(position, moves)
        } else {
            self.attack::<ALL>(position, moves)
        }
    }

    /// The move that the table holds for a node.
    fn best(&self, position: &Position, moves: u8, attacking: bool) -> Option<Move> {
        let key = key(position, 2 * u32::from(moves) - u32::from(attacking));
        [key ^ THREATS_KEY, key]
            .into_iter()
            .filter_map(|key| self.table.probe(key)?.best.unpack(position))
            .next()
    }

    /// A move that wins within `moves` moves, and the number of moves that are
    /// then left. The proof is made again where the table has lost it.
    pub(super) fn winning_move(&mut self, position: &Position, moves: u8) -> Option<(Move, u8)> {
        if let Some(m) = mate_in_one(position) {
            return Some((m, 0));
        }
        if moves <= 1 {
            return None;
        }
        let mut tried = movegen::legal_moves(position);
        if let Some(known) = self.best(position, moves, true) {
            tried.sort_by_key(|&m| m != known);
        }
        let known = tried.iter().copied().find_map(|m| {
            let next = position.after(m);
            match self.settled(&next, moves - 1) {
                Some(true) => Some((m, 0)),
                Some(false) => None,
                None => Some((m, self.proved_within(&next, moves - 1, false)?)),
            }
        });
        if known.is_some() {
            return known;
        }
        // Proving the position again leaves the proof of its best move.
        let proved = if moves <= SHORT {
            self.attack::<ALL>(position, moves)
        } else {
            self.prove(position, moves, &[])
        };
        if proved != Ok(true) {
            return None;
        }
        tried.into_iter().find_map(|m| {
            let next = position.after(m);
            let wins = if moves <= SHORT {
                self.defend::<ALL>(&next, moves - 1)
            } else {
                self.prove_reply(&next, moves - 1)
            };
            (wins == Ok(true)).then_some((m, moves - 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn solve(fen: &str, bounds: &Bounds) -> Solution {
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("FEN");
        Solver::new(16).solve(&position, &[], bounds, &|| false, &mut |_| {})
    }

    fn win(moves: u8) -> Verdict {
        Verdict::Win {
            moves,
            shortest: true,
        }
    }

    #[test]
    fn the_knight_that_cannot_be_taken_wins_in_two() {
        let fen = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
        assert_eq!(solve(fen, &Bounds::moves(5)).verdict, win(2));
        assert_eq!(solve(fen, &Bounds::moves(1)).verdict, Verdict::NoWin);
    }

    #[test]
    fn the_line_lasts_as_long_as_the_win_takes() {
        let fen = "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
        let solution = solve(fen, &Bounds::moves(4));
        assert_eq!(solution.verdict, win(3));
        assert_eq!(solution.line.len(), 5);
    }

    #[test]
    fn the_fifty_move_rule_spoils_a_win_that_comes_too_late() {
        let bounds = Bounds {
            any_length: true,
            ..Bounds::moves(2)
        };
        let mate_in_two =
            |clock| format!("rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - {clock} 80");
        let found = solve(&mate_in_two(97), &bounds).verdict;
        assert!(matches!(found, Verdict::Win { moves: 2, .. }), "{found:?}");
        // Black answers with a piece move, and the game is drawn before Nxf8.
        assert_eq!(solve(&mate_in_two(98), &bounds).verdict, Verdict::NoWin);
    }

    #[test]
    fn a_third_occurrence_is_no_way_to_win() {
        let fen = "rnbqkbnr/ppp1p1pp/5p2/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 3";
        let root = Position::from_fen(fen, Ruleset::Lichess).expect("FEN");
        let after = root.after(root.parse_san("Nd7").expect("legal"));
        let bounds = Bounds {
            first_moves: vec![root.parse_san("Nd7").expect("legal")],
            ..Bounds::moves(2)
        };
        let mut solver = Solver::new(4);
        let mut verdict = |keys: &[u64]| {
            solver
                .solve(&root, keys, &bounds, &|| false, &mut |_| {})
                .verdict
        };
        assert_eq!(verdict(&[after.key()]), win(2));
        assert_eq!(verdict(&[after.key(), after.key()]), Verdict::NoWin);
    }

    #[test]
    fn limits_are_kept_and_leave_what_was_proved() {
        let bounds = Bounds {
            nodes: Some(5_000),
            ..Bounds::moves(20)
        };
        let start = Position::startpos(Ruleset::Lichess).fen();
        let solution = solve(&start, &bounds);
        assert!(matches!(solution.verdict, Verdict::Open { .. }));
        assert!(solution.nodes <= 5_001, "{}", solution.nodes);
    }
}
