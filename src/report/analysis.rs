//! Searches every position of a game and judges its moves.

use std::time::Duration;

use shakmaty::{ByColor, Color};

use super::{
    GameReport, MoveReport, Verdict,
    interrupt::Interrupt,
    judge::{self, Judgement, win_probability},
    words,
};
use crate::{
    games::Game,
    rules::{GameResult, Position, Termination, result},
    search::{
        Limits, Pool, SearchOptions,
        score::{DRAW, mated_in},
    },
};

/// How games are analysed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The limits of each search.
    pub limits: Limits,
    /// Add sentences that explain.
    pub explain: bool,
    /// The name of the opening trap that has been sprung in the position with
    /// this key.
    pub trap_name: fn(u64) -> Option<String>,
}

/// Analyses a game. `None` if it was interrupted.
pub fn analyse(
    pool: &mut Pool,
    game: Game,
    settings: &Settings,
    interrupt: &Interrupt,
) -> Option<GameReport> {
    // One game's report must not depend on the games before it.
    pool.clear();
    let mut positions = vec![game.start.clone()];
    for ply in &game.plies {
        let next = positions[positions.len() - 1].after(ply.m);
        positions.push(next);
    }
    let keys: Vec<u64> = positions.iter().map(Position::key).collect();
    let mut searcher = Searcher {
        pool,
        settings,
        interrupt,
        nodes: 0,
    };
    // From the end to the start: what the search learned of later positions
    // helps in earlier ones.
    let last = positions.len() - 1;
    let mut verdicts = Vec::with_capacity(positions.len());
    for index in (0..=last).rev() {
        let over = result(&positions[index], &keys[..index])
            .filter(|over| index == last || !may_go_on(*over));
        verdicts.push(searcher.verdict(&positions[index], &keys[..index], over)?);
    }
    verdicts.reverse();

    let mut moves = Vec::with_capacity(game.plies.len());
    for (index, ply) in game.plies.iter().enumerate() {
        let position = &positions[index];
        let (before, after) = (&verdicts[index], &verdicts[index + 1]);
        let mut best_score = before.score;
        let mut better = before.line.clone();
        let is_best = before.line.first() == Some(&ply.m);
        let played = win_probability(-after.score);
        if !is_best
            && let Some(&best) = before.line.first()
            && Judgement::of_loss(win_probability(best_score) - played).is_some()
        {
            // Both moves are looked at equally deep before one is blamed.
            let next = position.after(best);
            let over = result(&next, &keys[..=index]);
            let checked = searcher.verdict(&next, &keys[..=index], over)?;
            best_score = -checked.score;
            better = vec![best];
            better.extend(&checked.line);
        }
        let best = win_probability(best_score);
        let loss = if is_best {
            0.0
        } else {
            (best - played).max(0.0)
        };
        let judgement = Judgement::of_loss(loss);
        moves.push(MoveReport {
            m: ply.m,
            san: position.san(ply.m),
            chances: (played + loss, played),
            accuracy: judge::move_accuracy(loss),
            judgement,
            missed_win: judgement.is_some() && judge::is_missed_win(best, played),
            better: judgement.map_or_else(Vec::new, |_| better),
            trap: (settings.trap_name)(keys[index + 1]),
            explanation: Vec::new(),
        });
    }
    let accuracy = ByColor::new_with(|color: Color| {
        let values: Vec<f64> = moves
            .iter()
            .enumerate()
            .filter(|(index, _)| positions[*index].turn() == color)
            .map(|(_, report)| report.accuracy)
            .collect();
        judge::accuracy(&values)
    });
    let losing = losing_move(&game, &positions, &verdicts, &moves);
    let mut report = GameReport {
        game,
        positions,
        verdicts,
        moves,
        accuracy,
        losing,
        explanation: Vec::new(),
        nodes: 0,
    };
    if settings.explain {
        searcher.explain(&mut report);
    }
    report.nodes = searcher.nodes;
    (!interrupt.is_given()).then_some(report)
}

/// Explains one position, of which `verdict` is known.
pub fn explain(
    pool: &mut Pool,
    position: &Position,
    verdict: &Verdict,
    settings: &Settings,
    interrupt: &Interrupt,
) -> Vec<String> {
    let mut searcher = Searcher {
        pool,
        settings,
        interrupt,
        nodes: 0,
    };
    words::on_position(&mut searcher, position, verdict)
}

/// Whether players may go on although a rule would let them stop.
const fn may_go_on(over: GameResult) -> bool {
    matches!(
        over.termination,
        Termination::Repetition | Termination::FiftyMoves
    )
}

/// The last error of the loser after which the game was lost.
fn losing_move(
    game: &Game,
    positions: &[Position],
    verdicts: &[Verdict],
    moves: &[MoveReport],
) -> Option<usize> {
    let last = verdicts.last()?;
    let loser = match (last.over, game.result.as_str()) {
        (Some(over), _) => !over.winner?,
        (None, "1-0") => Color::Black,
        (None, "0-1") => Color::White,
        (None, _) => return None,
    };
    let mut chances = win_probability(last.score);
    if positions.last()?.turn() != loser {
        chances = 1.0 - chances;
    }
    if chances > judge::LOST {
        // Resigned or out of time, but not lost on the board.
        return None;
    }
    (0..moves.len()).rev().find(|&index| {
        let (before, after) = moves[index].chances;
        positions[index].turn() == loser
            && moves[index].judgement.is_some()
            && before > judge::LOST
            && after <= judge::LOST
    })
}

/// Searches under the settings.
pub(super) struct Searcher<'a> {
    pub pool: &'a mut Pool,
    pub settings: &'a Settings,
    pub interrupt: &'a Interrupt,
    pub nodes: u64,
}

impl Searcher<'_> {
    /// What is to be said of a position, of which `over` says how the game
    /// ended there. `None` if it was interrupted.
    pub fn verdict(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        over: Option<GameResult>,
    ) -> Option<Verdict> {
        if let Some(over) = over {
            return Some(Verdict {
                score: over.winner.map_or(DRAW, |_| mated_in(0)),
                depth: 0,
                line: Vec::new(),
                over: Some(over),
            });
        }
        let options = SearchOptions {
            overhead: Duration::ZERO,
            analysing: true,
            ..SearchOptions::default()
        };
        let limits = &self.settings.limits;
        let found = self.interrupt.during(limits, |control| {
            self.pool.search(
                position,
                earlier_keys,
                limits,
                &options,
                control,
                &mut |_| {},
            )
        });
        self.nodes += found.nodes;
        if self.interrupt.is_given() {
            return None;
        }
        let best = found.variations.first();
        Some(Verdict {
            score: best.map_or(DRAW, |info| info.score),
            depth: best.map_or(0, |info| info.depth),
            line: best.map_or_else(Vec::new, |info| info.pv.to_vec()),
            over: None,
        })
    }

    /// Adds the words to the judged moves, or to a lone position.
    fn explain(&mut self, report: &mut GameReport) {
        if report.moves.is_empty() {
            let position = report.positions[0].clone();
            report.explanation = words::on_position(self, &position, &report.verdicts[0]);
        }
        for index in 0..report.moves.len() {
            if report.moves[index].judgement.is_some() {
                report.moves[index].explanation =
                    words::on_error(&report.positions[index + 1], &report.verdicts[index + 1]);
            }
        }
    }
}
