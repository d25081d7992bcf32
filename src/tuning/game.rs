//! Games between two sets of numbers.

use shakmaty::{ByColor, Color};

use crate::{
    endgame,
    rules::{self, Position},
    search::{Control, Limits, Pool, SearchOptions, parameters::Values, score},
    tournament::openings::Opening,
};

/// A game is won when both sides agree that a side is this far ahead...
const WIN_SCORE: i32 = 1_500;
/// ... for this many plies.
const WIN_PLIES: u32 = 4;
/// A longer game is a draw.
const MAX_PLIES: usize = 300;

/// Two players with numbers of their own, for the games of one thread.
pub struct Duel {
    players: [Player; 2],
    limits: Limits,
}

struct Player {
    pool: Pool,
    values: &'static Values,
}

impl Duel {
    /// Players that search `nodes` nodes a move. Both pools should have one
    /// thread and the same network.
    #[must_use]
    pub fn new(pools: [Pool; 2], nodes: u64) -> Duel {
        Duel {
            players: pools.map(|pool| Player {
                pool,
                values: Values::leaked(),
            }),
            limits: Limits {
                nodes: Some(nodes),
                ..Limits::default()
            },
        }
    }

    /// The numbers of the first and of the second player.
    #[must_use]
    pub const fn values(&self) -> [&'static Values; 2] {
        [self.players[0].values, self.players[1].values]
    }

    /// Plays from `opening` with both colours; what the first player got more
    /// than the second, -2 to 2.
    pub fn pair(&mut self, opening: &Opening) -> i32 {
        let first = self.game(opening, ByColor { white: 0, black: 1 });
        let second = self.game(opening, ByColor { white: 1, black: 0 });
        first - second
    }

    /// 1 if White wins, -1 if Black does.
    fn game(&mut self, opening: &Opening, seats: ByColor<usize>) -> i32 {
        for player in &mut self.players {
            player.pool.clear();
        }
        let mut position = opening.start.clone();
        let mut keys = Vec::new();
        for &m in &opening.moves {
            keys.push(position.key());
            position.play(m);
        }
        let mut agreed: (Option<Color>, u32) = (None, 0);
        for _ in 0..MAX_PLIES {
            if let Some(result) = rules::result(&position, &keys) {
                return value(result.winner);
            }
            if endgame::is_dead_draw(&position) {
                return 0;
            }
            let turn = position.turn();
            let Some((m, score)) = self.players[seats[turn]].think(&position, &keys, &self.limits)
            else {
                return 0;
            };
            let ahead = (score.abs() >= WIN_SCORE).then_some(if score > 0 { turn } else { !turn });
            agreed = match ahead {
                Some(_) if ahead == agreed.0 => (ahead, agreed.1 + 1),
                _ => (ahead, u32::from(ahead.is_some())),
            };
            if agreed.1 >= WIN_PLIES || (agreed.1 > 0 && score::is_mate(score)) {
                return value(agreed.0);
            }
            keys.push(position.key());
            position.play(m);
        }
        0
    }
}

impl Player {
    fn think(
        &mut self,
        position: &Position,
        keys: &[u64],
        limits: &Limits,
    ) -> Option<(shakmaty::Move, i32)> {
        self.values.use_here();
        let found = self.pool.search(
            position,
            keys,
            limits,
            &SearchOptions::default(),
            &Control::new(limits),
            &mut |_| {},
        );
        Some((found.best?, found.score()?))
    }
}

fn value(winner: Option<Color>) -> i32 {
    winner.map_or(0, |winner| winner.fold_wb(1, -1))
}
