//! What endgame tables tell the search.
//!
//! At the root they rank the moves, so that a won ending is won within fifty
//! moves and a drawn one is held. Within the tree they bound the score of
//! positions directly after a capture or pawn move; nearer to the root other
//! positions say little, since their result depends on the fifty-move count.

use shakmaty_syzygy::Wdl;

use super::{
    alphabeta::Searcher,
    score::{Bound, DRAW, Score, table_win_in},
    worker::RootMove,
};
use crate::{
    endgame::{Promise, Tables},
    rules::Position,
};

/// How tables are used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TableUse {
    /// Positions with as many men as the limit allows are looked up only this
    /// many plies or more above the leaves.
    pub depth: i32,
    /// Positions with more men are not looked up; 0 for no use at all.
    pub limit: usize,
    /// Whether the fifty-move rule counts.
    pub fifty_moves: bool,
}

impl Default for TableUse {
    fn default() -> TableUse {
        TableUse {
            depth: 1,
            limit: 7,
            fifty_moves: true,
        }
    }
}

/// Tables for one search, and up to how many men they are asked.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lookup<'a> {
    pub(super) tables: &'a Tables,
    pub(super) rules: &'a TableUse,
    pub(super) men: usize,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(tables: &'a Tables, rules: &'a TableUse) -> Lookup<'a> {
        Lookup {
            tables,
            rules,
            men: tables.max_men().min(rules.limit),
        }
    }

    /// Ranks the moves of a root that the tables know. Returns whether they do.
    pub(super) fn rank(&self, root: &Position, earlier: &[u64], moves: &mut [RootMove]) -> bool {
        if root.board().occupied().count() > self.men {
            return false;
        }
        let Some(verdicts) = self.tables.verdicts(root) else {
            return false;
        };
        for root_move in moves {
            let Some(mut verdict) = verdicts.iter().find(|v| v.m == root_move.m).copied() else {
                continue;
            };
            let key = root.after(root_move.m).key();
            if earlier.iter().filter(|&&other| other == key).count() >= 2 {
                verdict.dtz = 0;
            }
            let halfmoves = root.halfmoves();
            root_move.rank = verdict.rank(halfmoves, self.rules.fifty_moves);
            root_move.table_score =
                Some(match verdict.promise(halfmoves, self.rules.fifty_moves) {
                    Promise::Win(plies) => table_win_in(plies as usize),
                    Promise::Hope => DRAW + 1,
                    Promise::Draw => DRAW,
                    Promise::Fear => DRAW - 1,
                    Promise::Loss(plies) => -table_win_in(plies as usize),
                });
        }
        true
    }
}

impl Searcher<'_> {
    /// What the tables say of a node, if they are to be asked.
    pub(super) fn table_bound(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
    ) -> Option<(Score, Bound)> {
        let lookup = self.task.lookup.as_ref()?;
        let men = position.board().occupied().count();
        if men > lookup.men
            || (men == lookup.men && depth < lookup.rules.depth)
            || position.halfmoves() != 0
            || position.castles().any()
        {
            return None;
        }
        let wdl = lookup.tables.wdl(position)?;
        self.worker.table_hits += 1;
        Some(match wdl {
            Wdl::CursedWin if lookup.rules.fifty_moves => (DRAW + 1, Bound::Exact),
            Wdl::BlessedLoss if lookup.rules.fifty_moves => (DRAW - 1, Bound::Exact),
            Wdl::Draw => (DRAW, Bound::Exact),
            Wdl::Win | Wdl::CursedWin => (table_win_in(ply), Bound::Lower),
            Wdl::Loss | Wdl::BlessedLoss => (-table_win_in(ply), Bound::Upper),
        })
    }
}
