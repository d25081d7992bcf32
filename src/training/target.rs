//! What the network should say about the positions of a game.
//!
//! The score of a search sees a few plies far, and the result of the game is
//! right on average but says the same about thirty positions, so that a
//! network rather learns games by heart. Between the two lie the scores that
//! come later in the same game: they have seen more than the score of now,
//! and know more of this position than the result does.

use shakmaty::Color;

use super::sample::CERTAIN;
use crate::data::{Ending, Game, PlyPosition};

/// Centipawns in scores for 1.0 in the logistic function: fits the results of
/// games to scores of 1,000 nodes.
pub const SCORE_SCALE: f32 = 280.0;

/// How the expected points of a position are put together.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Target {
    /// The share of the position's own score; the rest is the outlook's.
    pub lambda: f32,
    /// The outlook is the mean of all later scores and, at the end, of the
    /// result, each ply further on weighing less: by e over so many plies.
    /// Infinite, the outlook is the result alone.
    pub horizon: f32,
    /// Centipawns in scores for 1.0 in the logistic function.
    pub score_scale: f32,
}

impl Default for Target {
    fn default() -> Target {
        Target {
            lambda: 0.4,
            horizon: 8.0,
            score_scale: SCORE_SCALE,
        }
    }
}

impl Target {
    /// The points that the side to move should expect at each position of a
    /// game, in units of 1 / [`CERTAIN`].
    pub(super) fn expected(&self, game: &Game, plies: &[PlyPosition]) -> Vec<u16> {
        // Points of White until the end.
        let by_score: Vec<f32> = plies.iter().map(|ply| self.by_score(ply)).collect();
        let mut outlook = match (game.ending, game.winner) {
            (Ending::Unfinished, _) => by_score.last().copied().unwrap_or(0.5),
            (_, None) => 0.5,
            (_, Some(color)) => color.fold_wb(1.0, 0.0),
        };
        let later = (-1.0 / self.horizon).exp();
        let mut expected: Vec<u16> = plies
            .iter()
            .zip(&by_score)
            .rev()
            .map(|(ply, score)| {
                let white = self.lambda * score + (1.0 - self.lambda) * outlook;
                outlook = (1.0 - later) * score + later * outlook;
                let own = points_of(ply.position.turn(), white);
                (own * f32::from(CERTAIN)).round() as u16
            })
            .collect();
        expected.reverse();
        expected
    }

    fn by_score(&self, ply: &PlyPosition) -> f32 {
        let own = logistic(f32::from(ply.score) / self.score_scale);
        points_of(ply.position.turn(), own)
    }
}

/// The points of a side from those of White, and back.
fn points_of(side: Color, points: f32) -> f32 {
    side.fold_wb(points, 1.0 - points)
}

pub(super) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::Ply,
        rules::{PackedMove, Position, Ruleset},
    };

    /// A game of three plies that Black wins, with a score of 0 at each.
    fn game(ending: Ending) -> Game {
        let start = Position::startpos(Ruleset::Lichess);
        let mut position = start.clone();
        let mut plies = Vec::new();
        for text in ["e2e4", "e7e5", "g1f3"] {
            let m = position.parse_uci(text).expect("legal");
            plies.push(Ply {
                played: PackedMove::new(m),
                score: 0,
            });
            position.play(m);
        }
        Game {
            start,
            plies,
            winner: Some(Color::Black),
            ending,
        }
    }

    fn expected(ending: Ending, lambda: f32, horizon: f32) -> Vec<f32> {
        let game = game(ending);
        let plies: Vec<PlyPosition> = game.positions().map(|ply| ply.expect("legal")).collect();
        let target = Target {
            lambda,
            horizon,
            ..Target::default()
        };
        let points = target.expected(&game, &plies).into_iter();
        points
            .map(|points| f32::from(points) / f32::from(CERTAIN))
            .collect()
    }

    #[test]
    fn the_result_counts_more_near_the_end() {
        let points = expected(Ending::Adjudicated, 0.5, 2.0);
        let later = (-0.5f32).exp();
        let white = [later * later, later, 1.0].map(|share| 0.5 - 0.25 * share);
        for (points, expected) in points.iter().zip([white[0], 1.0 - white[1], white[2]]) {
            assert!((points - expected).abs() < 1e-3, "{points} {expected}");
        }
    }

    #[test]
    fn far_horizons_see_the_result_alone_and_unfinished_games_none() {
        assert_eq!(
            expected(Ending::Adjudicated, 0.0, f32::INFINITY),
            [0.0, 1.0, 0.0]
        );
        assert_eq!(expected(Ending::Unfinished, 0.0, 8.0), [0.5; 3]);
    }
}
