//! The evaluation that a search thread uses: the network along the line that
//! is searched, or the classical terms when there is no network or few men are
//! left.

use std::sync::Arc;

use super::{
    classical,
    nnue::{Accumulators, Network},
};
use crate::rules::Position;

/// Evaluations stay within this, in centipawns.
const BOUND: i32 = 20_000;

/// With so few men the classical terms are asked in any case. The games that
/// networks learn from play such endings by tables, so networks do not learn
/// how they are won, which a search without tables has to know.
const FEW_MEN: usize = 4;

/// One thread's evaluation. [`push`](Evaluator::push) and
/// [`pop`](Evaluator::pop) follow the moves of the search.
#[derive(Default)]
pub enum Evaluator {
    /// The hand-crafted terms, which need to follow nothing.
    #[default]
    Classical,
    /// The network with its sums along the line.
    Network(Box<Accumulators>),
}

impl Evaluator {
    /// The evaluation by `network`, or the classical one.
    #[must_use]
    pub fn new(network: Option<Arc<Network>>) -> Evaluator {
        network.map_or(Evaluator::Classical, |network| {
            Evaluator::Network(Box::new(Accumulators::new(network)))
        })
    }

    /// Starts a line anew.
    pub fn reset(&mut self) {
        if let Evaluator::Network(accumulators) = self {
            accumulators.reset();
        }
    }

    /// Follows a move or a pass.
    #[inline]
    pub fn push(&mut self) {
        if let Evaluator::Network(accumulators) = self {
            accumulators.push();
        }
    }

    /// Goes back a move or a pass.
    #[inline]
    pub fn pop(&mut self) {
        if let Evaluator::Network(accumulators) = self {
            accumulators.pop();
        }
    }

    /// Whether the network, if there is one, judges `position`.
    #[inline]
    #[must_use]
    pub fn is_for_network(position: &Position) -> bool {
        position.board().occupied().count() > FEW_MEN
    }

    /// What `position`, which the line has reached, is worth to the side to
    /// move, in centipawns. The network's word fades as the fifty-move rule
    /// comes near, as the classical terms do by themselves.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        match self {
            Evaluator::Network(accumulators) if Evaluator::is_for_network(position) => {
                let fresh = 200 - position.halfmoves().min(100) as i32;
                (accumulators.evaluate(position) * fresh / 200).clamp(-BOUND, BOUND)
            }
            _ => classical::evaluate(position),
        }
    }
}
