//! Searches every position of a game and judges its moves.

use std::time::Duration;

use shakmaty::{ByColor, Color, Move};

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
        score::{DRAW, is_mate, mated_in},
    },
    traps::Collection,
};

/// How games are analysed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The limits of each search.
    pub limits: Limits,
    /// Add sentences that explain.
    pub explain: bool,
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
    let verdicts = searcher.verdicts(&game.moves(), &positions, &keys)?;
    let mut moves = Vec::with_capacity(game.plies.len());
    for (index, ply) in game.plies.iter().enumerate() {
        let (before, after) = (&verdicts[index], &verdicts[index + 1]);
        let (best, played) = (win_probability(before.score), win_probability(-after.score));
        let is_best = before.line.first() == Some(&ply.m);
        let loss = if is_best {
            0.0
        } else {
            (best - played).max(0.0)
        };
        let judgement = Judgement::of_loss(loss);
        moves.push(MoveReport {
            m: ply.m,
            san: positions[index].san(ply.m),
            chances: (played + loss, played),
            accuracy: judge::move_accuracy(loss),
            judgement,
            missed_win: judgement.is_some() && judge::is_missed_win(best, played),
            better: judgement.map_or_else(Vec::new, |_| before.line.clone()),
            trap: Collection::embedded()
                .sprung(&positions[index + 1])
                .map(|trap| trap.name.clone()),
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

/// The move of the loser after which the game was lost for good.
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
    let by_loser = |index: &usize| positions[*index].turn() == loser;
    let loss = |index: usize| moves[index].chances.0 - moves[index].chances.1;
    let crossing = (0..moves.len()).rev().filter(by_loser).find(|&index| {
        let (before, after) = moves[index].chances;
        before > judge::LOST && after <= judge::LOST
    });
    // Lost little by little: the worst of the errors.
    crossing.or_else(|| {
        (0..moves.len())
            .filter(by_loser)
            .filter(|&index| moves[index].judgement.is_some())
            .max_by(|&a, &b| loss(a).total_cmp(&loss(b)))
    })
}

/// The verdict on a position in which `m` is played, from the one after it.
fn backed_up(m: Move, after: &Verdict) -> Verdict {
    let mut line = vec![m];
    line.extend(&after.line);
    Verdict {
        // A mate is one ply farther away.
        score: match after.score {
            score if is_mate(score) => -score + score.signum(),
            score => -score,
        },
        depth: after.depth + 1,
        line,
        over: None,
    }
}

/// Searches under the settings.
pub(super) struct Searcher<'a> {
    pub pool: &'a mut Pool,
    pub settings: &'a Settings,
    pub interrupt: &'a Interrupt,
    pub nodes: u64,
}

impl Searcher<'_> {
    /// What is to be said of all positions of a game. `None` if it was
    /// interrupted.
    ///
    /// They are looked at from the last to the first. What the search learns of
    /// later positions helps in earlier ones, and a verdict that the move played
    /// contradicts is looked at again and corrected, so that the one before it
    /// is judged by the truth.
    fn verdicts(
        &mut self,
        moves: &[Move],
        positions: &[Position],
        keys: &[u64],
    ) -> Option<Vec<Verdict>> {
        let last = moves.len();
        let mut verdicts: Vec<Verdict> = Vec::with_capacity(last + 1);
        for index in (0..=last).rev() {
            let (position, keys) = (&positions[index], &keys[..index]);
            let over = result(position, keys).filter(|over| index == last || !may_go_on(*over));
            let mut verdict = self.verdict(position, keys, over)?;
            if let Some(next) = verdicts.last() {
                let played = backed_up(moves[index], next);
                let fell = win_probability(verdict.score) - win_probability(played.score);
                if Judgement::of_loss(fell).is_some() {
                    let other = self.best_instead(position, keys, played.line[0], &verdict)?;
                    verdict = other
                        .filter(|other| other.score > played.score)
                        .unwrap_or(played);
                } else if is_mate(played.score) && played.score > verdict.score.max(0) {
                    // The move played wins by force, though the search overlooked it.
                    verdict = played;
                }
            }
            verdicts.push(verdict);
        }
        verdicts.reverse();
        Some(verdicts)
    }

    /// What is to be said of a position, of which `over` says how the game
    /// ended there. `None` if it was interrupted.
    pub fn verdict(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        over: Option<GameResult>,
    ) -> Option<Verdict> {
        let Some(over) = over else {
            return self.search(position, earlier_keys, &self.settings.limits);
        };
        Some(Verdict {
            score: over.winner.map_or(DRAW, |_| mated_in(0)),
            depth: 0,
            line: Vec::new(),
            over: Some(over),
        })
    }

    /// The best move but for `played`, known as deeply as the position after
    /// `played` is: the move that the search preferred, or else the best of all
    /// others. The inner `None` if there is no other move; the outer if it was
    /// interrupted.
    fn best_instead(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        played: Move,
        before: &Verdict,
    ) -> Option<Option<Verdict>> {
        let preferred = before.line.first().copied().filter(|&best| best != played);
        let best = match preferred {
            Some(best) => best,
            None => {
                let mut limits = self.settings.limits.clone();
                limits.search_moves = position.legal_moves().to_vec();
                limits.search_moves.retain(|&m| m != played);
                if limits.search_moves.is_empty() {
                    return Some(None);
                }
                let others = self.search(position, earlier_keys, &limits)?;
                match others.line.first() {
                    Some(&best) => best,
                    None => return Some(None),
                }
            }
        };
        let next = position.after(best);
        let keys = [earlier_keys, &[position.key()]].concat();
        let checked = self.verdict(&next, &keys, result(&next, &keys))?;
        Some(Some(backed_up(best, &checked)))
    }

    fn search(
        &mut self,
        position: &Position,
        earlier_keys: &[u64],
        limits: &Limits,
    ) -> Option<Verdict> {
        let options = SearchOptions {
            overhead: Duration::ZERO,
            analysing: true,
            ..SearchOptions::default()
        };
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
                report.moves[index].explanation = words::on_error(
                    self,
                    &report.positions[index],
                    &report.positions[index + 1],
                    &report.verdicts[index + 1],
                );
            }
        }
    }
}
