//! Mining: which positions of a game have one winning move.

use shakmaty::Move;

use super::{Puzzle, Theme};
use crate::{
    games::Game,
    mate::{Bounds, Solver, Verdict},
    rules::{Position, blast, result},
    search::{
        Control, Limits, Pool, Report, SearchOptions, SearchResult,
        score::{Score, is_mate},
    },
    traps::Collection,
};

/// The best move wins if it scores this much.
const WINNING: Score = 500;
/// The second-best move does not win if it scores no more than this.
const NOT_WINNING: Score = 250;
/// A first look at a position takes this share of the nodes.
const GLANCE: u64 = 10;
/// The longest win that is proved, in moves.
const LONGEST: u8 = 12;
/// Moves of a line that is not proved to its end.
const OPEN_LINE: usize = 5;
/// Memory for proofs, in MiB.
const TABLE: usize = 64;
/// Difficulties.
const EASIEST: f64 = 600.0;
const HARDEST: f64 = 2800.0;

/// Finds puzzles, with one thread and its memory.
pub struct Miner {
    solver: Solver,
    pool: Pool,
    nodes: u64,
}

impl Miner {
    /// A miner that spends `nodes` on a position that looks like a puzzle, and
    /// a tenth of it on the others.
    #[must_use]
    pub fn new(nodes: u64) -> Miner {
        Miner {
            solver: Solver::new(TABLE),
            pool: Pool::default(),
            nodes: nodes.max(GLANCE),
        }
    }

    /// The puzzles of a game, or of its start position if it has no moves,
    /// whatever was mined before.
    pub fn game(&mut self, game: &Game, is_stopped: &dyn Fn() -> bool) -> Vec<Puzzle> {
        self.pool.clear();
        self.solver = Solver::new(TABLE);
        let mut puzzles = Vec::new();
        let mut position = game.start.clone();
        let mut previous = None;
        for index in 0..=game.plies.len() {
            if is_stopped() {
                break;
            }
            let number = position.fullmoves();
            let source = if game.plies.is_empty() {
                game.place()
            } else {
                format!("{}, move {number}", game.place())
            };
            if result(&position, &[]).is_none()
                && let Some(mut puzzle) = self.look(&position, source, is_stopped)
            {
                if Collection::embedded().sprung(&position).is_some() {
                    puzzle.themes.push(Theme::Trap);
                    puzzle.themes.sort_unstable();
                }
                // The next positions of the same win are no new puzzle.
                let follows = previous.is_some_and(|before| index <= before + 4);
                previous = Some(index);
                if !follows {
                    puzzles.push(puzzle);
                }
            }
            if let Some(ply) = game.plies.get(index) {
                position.play(ply.m);
            }
        }
        puzzles
    }

    /// The puzzle of a position, if it has one winning move.
    pub fn look(
        &mut self,
        position: &Position,
        source: String,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Puzzle> {
        let glance = self.search(position, self.nodes / GLANCE, &mut |_| {});
        only_winner(&glance)?;
        let mut history = Vec::new();
        self.pool.clear();
        let found = self.search(position, self.nodes, &mut |report| {
            if let Report::Info(info) = report
                && info.multi_pv == 1
            {
                history.push((info.nodes, info.pv.first().copied()));
            }
        });
        let best = only_winner(&found)?;
        let nodes = settled_at(&history, best);
        let bounds = Bounds {
            nodes: Some(self.nodes),
            first_moves: vec![best],
            ..Bounds::moves(LONGEST)
        };
        let solution = self
            .solver
            .solve(position, &[], &bounds, is_stopped, &mut |_| {});
        let mate = match solution.verdict {
            Verdict::Win { moves, .. } => Some(moves),
            _ => None,
        };
        let line = if mate.is_some() {
            solution.line
        } else {
            let pv = &found.variations.first()?.pv;
            let length = pv.len().min(OPEN_LINE);
            // The solver has the last word.
            pv[..length - usize::from(length.is_multiple_of(2))].to_vec()
        };
        let themes = self.themes(position, &line, mate, is_stopped);
        Some(Puzzle {
            position: position.clone(),
            difficulty: difficulty(nodes, line.len()),
            line,
            mate,
            themes,
            source,
        })
    }

    fn themes(
        &mut self,
        position: &Position,
        line: &[Move],
        mate: Option<u8>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Vec<Theme> {
        let mut themes = Vec::new();
        let mut current = position.clone();
        for (index, &m) in line.iter().enumerate() {
            if index.is_multiple_of(2) && m.promotion().is_some() {
                themes.push(Theme::Promotion);
            }
            if index == 0 && !m.is_capture() && !position.after(m).is_check() {
                themes.push(Theme::Quiet);
            }
            current.play(m);
            if blast::kings_touch(current.board()) {
                themes.push(Theme::Contact);
            }
        }
        if current.king_is_gone() {
            themes.push(Theme::Explosion);
        } else if crate::mate::is_checkmate(&current) {
            themes.push(Theme::Checkmate);
        }
        if let (Some(moves @ 2..), Some(&first)) = (mate, line.first())
            && self.is_zugzwang(&position.after(first), moves - 1, is_stopped)
        {
            themes.push(Theme::Zugzwang);
        }
        themes.sort_unstable();
        themes.dedup();
        themes
    }

    /// Whether the side to move, which loses within `moves`, would not if it
    /// could pass.
    fn is_zugzwang(
        &mut self,
        position: &Position,
        moves: u8,
        is_stopped: &dyn Fn() -> bool,
    ) -> bool {
        if position.is_check() {
            return false;
        }
        let bounds = Bounds {
            nodes: Some(self.nodes),
            any_length: true,
            ..Bounds::moves(moves)
        };
        let passed = position.after_null();
        let solution = self
            .solver
            .solve(&passed, &[], &bounds, is_stopped, &mut |_| {});
        solution.verdict == Verdict::NoWin
    }

    fn search(
        &mut self,
        position: &Position,
        nodes: u64,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult {
        let options = SearchOptions {
            multi_pv: 2,
            analysing: true,
            ..SearchOptions::default()
        };
        let limits = Limits::nodes(nodes);
        let control = Control::new(&limits);
        self.pool
            .search(position, &[], &limits, &options, &control, report)
    }
}

/// The best move, if it wins and the second does not.
fn only_winner(found: &SearchResult) -> Option<Move> {
    let [best, second] = found.variations.as_slice() else {
        return None;
    };
    let wins = best.score >= WINNING || (is_mate(best.score) && best.score > 0);
    (wins && second.score <= NOT_WINNING)
        .then(|| best.pv.first().copied())
        .flatten()
}

/// The nodes after which the search stayed with the move.
fn settled_at(history: &[(u64, Option<Move>)], best: Move) -> u64 {
    let last_other = history.iter().rposition(|&(_, m)| m != Some(best));
    let first = last_other.map_or(0, |index| index + 1);
    history
        .get(first)
        .or(history.last())
        .map_or(1, |&(nodes, _)| nodes)
}

/// A rating from the work of the search and the length of the line.
fn difficulty(nodes: u64, plies: usize) -> u32 {
    let work = (nodes.max(1) as f64).log2();
    let value = EASIEST - 200.0 + 100.0 * work + 60.0 * plies as f64;
    value.clamp(EASIEST, HARDEST).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    fn look(fen: &str) -> Option<Puzzle> {
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("FEN");
        Miner::new(20_000).look(&position, String::new(), &|| false)
    }

    #[test]
    fn one_winning_move_makes_a_puzzle_with_its_themes() {
        let fen = "1r1r2k1/3R4/5ppp/p1P2P2/7P/8/P5P1/2K5 w - - 0 1";
        let puzzle = look(fen).expect("a puzzle");
        assert_eq!(puzzle.position.san(puzzle.line[0]), "Rg7+");
        assert_eq!(puzzle.mate, Some(3));
        assert_eq!(puzzle.themes, [Theme::Explosion]);
        assert!((600..1800).contains(&puzzle.difficulty));
    }

    #[test]
    fn many_winning_moves_or_none_make_no_puzzle() {
        let start = Position::startpos(Ruleset::Lichess).fen();
        assert_eq!(look(&start), None);
        assert_eq!(look("4k3/8/8/8/8/8/QQQ5/4K3 w - - 0 1"), None);
    }

    #[test]
    fn harder_is_what_takes_longer_to_see() {
        assert!(difficulty(100_000, 3) > difficulty(1_000, 3));
        assert!(difficulty(1_000, 7) > difficulty(1_000, 1));
    }
}
