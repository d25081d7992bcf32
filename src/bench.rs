//! A fixed set of positions searched to a fixed depth.
//!
//! With one thread the number of nodes is the same on every machine: it is the
//! signature of the search. The speed compares machines or builds.

use std::{
    fmt,
    time::{Duration, Instant},
};

use crate::{
    rules::{FenError, Position, Ruleset},
    search::{Control, Limits, Pool, SearchOptions},
};

/// How deep each position is searched.
pub const DEPTH: usize = 12;

/// Openings, middlegames and endings.
const POSITIONS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq - 0 1",
    "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq - 0 1",
    "rnb5/p2p1k2/7p/np2ppp1/P1pP1PP1/4P2N/1PPQBK1P/R5BR b - - 2 27",
    "b2nr1k1/5p2/ppp1p1r1/1P3Pp1/2P2qPp/PBNP4/1B2PbK1/3R2RQ w - - 0 24",
    "r1bqk1nr/ppp1p1b1/5p1p/3pP1pP/1P1nR3/P5P1/2PP1P2/RNBQKBN1 w Qkq - 1 10",
    "r1bq2n1/p1pp2k1/1pn1p2r/PP3pp1/3PN2p/b2RPN2/1BP2PPP/2Q1KB1R w K - 4 15",
    "rnbq1b1r/pp1ppk1p/7P/5p2/5Pp1/2pPPQ2/PPPN2BR/R1B1K1N1 b Q - 1 13",
    "rn1k1b1r/3pqp1p/b7/pp2p2P/PPpn1Np1/2P3P1/1RNPPP2/R1BQKB2 b Q - 1 18",
    "rnbqkbnr/p1ppp2p/1p3p2/2P5/P1Q3p1/R5P1/1P1PPP1P/1NB1KBNR b Kkq - 1 7",
    "3qk2r/2pp1ppp/r1bbp2n/pp6/1n1P1PPP/N1P1B3/PPQKPN1R/1R3B2 b k - 5 15",
    "rnr2k2/pp1b1pp1/1q1p2Pp/b1p1p3/Q1P4P/P1N1PN2/1P1P1P2/R1B1R1K1 w - - 3 19",
    "r1bq1b1r/pppknpp1/6Bp/4pn2/1P2P2N/P1Np3P/2PP1PP1/R1BQK1R1 b Q - 1 11",
    "r3k1nr/pp3bp1/n1pb3p/q2p1p2/1P2pN1P/2N1P1P1/P1PPQPB1/R1B1K2R b KQkq - 5 13",
    "rn1qk2r/1b2b2p/2p2p2/1N1pp1p1/ppPPP2P/1P1Q1Rn1/PB2BPP1/1R2K1N1 w kq - 0 16",
    "2r1k2r/2qb3p/p2p3b/nppn1p1N/2P1pPp1/1P1PP2P/PBB2KPN/RQ1R4 b k - 2 23",
    "rnbqkbnr/2ppppp1/pp5p/8/P5P1/7B/1PPPPP1P/RNBQK1NR w KQkq - 0 4",
    "rnbqkbnr/2pppppp/p7/1p6/1P3P2/8/PBPPP1PP/RN1QKBNR b KQkq - 0 1",
    "rnbqkbnr/p1pppppp/8/1p6/8/5N1P/PPPPPPP1/RNBQKB1R b KQkq - 0 1",
    "rnbqkbnr/1ppppp1p/p7/6p1/8/1PN4P/P1PPPPP1/R1BQKBNR b KQkq - 0 1",
    "rnbqkbnr/ppppppp1/7p/8/1P3P2/8/P1PPP1PP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pp1p1p1p/4p1p1/2p5/P6P/2R5/1PPPPPP1/RNBQKBN1 w Qkq - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/8/2N2N2/PPPPPPPP/R1BQKB1R b KQkq - 0 1",
    "rnbqkbnr/ppp1pp1p/6p1/3p4/P7/2P2P2/1P1PP1PP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pppp2pp/5p2/4p3/N7/6P1/PPPPPP1P/R1BQKBNR b KQkq - 0 1",
    "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1",
    "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2",
    "8/5k2/8/3r4/8/2K5/4P3/3R4 w - - 0 1",
    "8/2k5/5pp1/8/3R4/6P1/4K3/2b5 b - - 0 1",
];

/// What a run cost.
#[derive(Copy, Clone, Debug, Default)]
pub struct Total {
    /// Moves played in the search: the signature.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl fmt::Display for Total {
    /// `N nodes M nps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nps = self.nodes as f64 / self.time.as_secs_f64().max(1e-6);
        write!(f, "{} nodes {} nps", self.nodes, nps as u64)
    }
}

/// Searches all positions `depth` plies deep, each from an empty table, and
/// tells the nodes of each to `progress`, until done or stopped.
pub fn run(
    pool: &mut Pool,
    depth: usize,
    control: &Control,
    mut progress: impl FnMut(&str),
) -> Total {
    let mut total = Total::default();
    for (index, position) in positions().flatten().enumerate() {
        if control.is_stopped() {
            break;
        }
        pool.clear();
        let limits = Limits::depth(depth);
        let start = Instant::now();
        let result = pool.search(
            &position,
            &[],
            &limits,
            &SearchOptions::default(),
            &Control::new(&limits),
            &mut |_| {},
        );
        total.time += start.elapsed();
        total.nodes += result.nodes;
        progress(&format!(
            "{:>2}/{}  {:>9} nodes  {}",
            index + 1,
            POSITIONS.len(),
            result.nodes,
            position.fen()
        ));
    }
    total
}

fn positions() -> impl Iterator<Item = Result<Position, FenError>> {
    POSITIONS
        .iter()
        .map(|fen| Position::from_fen(fen, Ruleset::Lichess))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_bench_position_is_legal() {
        for position in super::positions() {
            position.expect("valid FEN");
        }
    }
}
