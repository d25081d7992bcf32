//! What endgame tables promise: they are exact, the same each time they are
//! made, read by others' rules, used without any option, and damage to files
//! is told and does no harm.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use fission::{
    endgame::{
        Tables, TablesError, Wdl,
        build::{BuildError, Computation, Progress, build},
        embedded_files,
        material::Material,
        syzygy::checksum::is_intact,
        verify::compare,
    },
    rules::{Position, Ruleset, Termination, result},
    search::{
        Control, Limits, Pool, SearchOptions, SearchResult, TableUse,
        score::{is_decided, is_mate},
    },
};

fn position(fen: &str) -> Position {
    Position::from_fen(fen, Ruleset::Lichess).expect("valid FEN")
}

fn materials(names: &[&str]) -> Vec<Material> {
    let parse = |name: &&str| name.parse().expect("the name of a table");
    names.iter().map(parse).collect()
}

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("fission-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    /// Writes an embedded file under some name, changed by `change`.
    fn put(&self, name: &str, from: &str, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = embedded(from).to_vec();
        change(&mut bytes);
        fs::write(self.0.join(name), bytes).expect("a writable file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn embedded(name: &str) -> &'static [u8] {
    let mut files = embedded_files();
    let found = files.find(|(other, _)| *other == name);
    found.expect("an embedded table").1
}

#[test]
fn every_table_of_three_and_four_men_is_inside_and_intact() {
    for material in (3..=4).flat_map(Material::all) {
        for extension in ["atbw", "atbz"] {
            assert!(
                is_intact(embedded(&format!("{material}.{extension}"))),
                "{material}"
            );
        }
    }
    let size: usize = embedded_files().map(|(_, bytes)| bytes.len()).sum();
    assert!(size < 5 << 20, "{size} bytes");
}

#[test]
fn the_tables_inside_equal_a_fresh_computation() {
    let names = materials(&["KQvK", "KPvK", "KRvKB", "KQQvK"]);
    let mut computation = Computation::new(&names);
    let mut compared = 0;
    while let Some(solution) = computation.next(&|| false) {
        let difference = compare(&solution, &Tables::embedded(), 4_000, 9);
        assert!(
            difference.is_clean(),
            "{} {difference}",
            solution.space.material
        );
        compared += difference.compared;
    }
    assert!(compared >= 20_000);
}

#[test]
fn building_gives_the_same_files_as_those_inside() {
    let folder = Folder::new("same-files");
    build(&folder.0, &materials(&["KPvK"]), &|| false, &mut |_| {}).expect("built");
    // A pawn becomes any piece.
    for material in ["KPvK", "KNvK", "KBvK", "KRvK", "KQvK"] {
        for name in [".atbw", ".atbz"].map(|ending| format!("{material}{ending}")) {
            let built = fs::read(folder.0.join(&name)).expect("a file that was built");
            assert!(built == embedded(&name), "{name}");
        }
    }
}

#[test]
fn a_folder_is_completed_by_the_tables_inside() {
    let folder = Folder::new("completed");
    for name in ["KPvK.atbw", "KPvK.atbz"] {
        fs::write(folder.0.join(name), embedded(name)).expect("a table");
    }
    let mut computation = Computation::new(&materials(&["KPvK"]));
    let solution = std::iter::from_fn(|| computation.next(&|| false))
        .last()
        .expect("a solution");
    let (alone, _) = Tables::of_folder(&folder.0);
    let (completed, faults) = Tables::completed(&folder.0);
    assert!(compare(&solution, &alone, 2_000, 1).unknown > 0);
    assert!(compare(&solution, &completed, 2_000, 1).is_clean() && faults.is_empty());
}

#[test]
fn an_interrupted_build_goes_on_where_it_was() {
    let folder = Folder::new("resume");
    let names = materials(&["KNvK", "KBvK", "KRvK"]);
    let written = AtomicUsize::new(0);
    let mut count = |progress: Progress| {
        if matches!(progress, Progress::Written { .. }) {
            written.fetch_add(1, Relaxed);
        }
    };
    let stop = || written.load(Relaxed) == 1;
    let broken_off = build(&folder.0, &names, &stop, &mut count);
    assert!(matches!(broken_off, Err(BuildError::Interrupted)));
    let mut kept = 0;
    let mut look = |progress: Progress| kept += usize::from(matches!(progress, Progress::Kept(_)));
    build(&folder.0, &names, &|| false, &mut look).expect("built");
    assert_eq!(kept, 1);
    let tables = Tables::open(&folder.0).expect("whole tables");
    assert_eq!(tables.max_men(), 3);
}

/// Whether the side to move can force a capture, pawn move or mate that keeps
/// the win within so many plies, found by trying everything.
fn wins_within(position: &Position, plies: u32) -> bool {
    position.legal_moves().into_iter().any(|m| {
        let next = position.after(m);
        if next.king_is_gone() || next.legal_moves().is_empty() {
            return next.king_is_gone() || next.is_check();
        }
        if m.is_zeroing() {
            return Tables::embedded().wdl(&next) == Some(Wdl::Loss);
        }
        plies > 1 && loses_within(&next, plies - 1)
    })
}

/// Whether every move of the side to move runs into that.
fn loses_within(position: &Position, plies: u32) -> bool {
    position.legal_moves().into_iter().all(|m| {
        let next = position.after(m);
        if next.king_is_gone() || next.legal_moves().is_empty() {
            return false;
        }
        if m.is_zeroing() {
            return Tables::embedded().wdl(&next) == Some(Wdl::Win);
        }
        plies > 1 && wins_within(&next, plies - 1)
    })
}

#[test]
fn distances_equal_a_plain_search_up_to_rounding() {
    for fen in [
        // In both endings a file may have one value for a whole part, which
        // readers take for zero; it must not stand there for another one.
        "7k/6n1/8/8/8/B7/8/4K3 w - - 0 1",
        "8/8/8/3K2B1/8/8/1n6/k7 w - - 0 1",
        "8/8/5K2/k4P2/8/8/8/8 w - - 0 1",
        "1k6/1P6/8/8/8/8/7K/8 w - - 0 1",
    ] {
        let position = position(fen);
        let dtz = Tables::embedded().dtz(&position).expect("four men at most");
        let exact = (1..6).find(|&plies| wins_within(&position, plies));
        let exact = exact.expect("a short win") as i32;
        let short = exact - dtz.ignore_rounding().0;
        assert!((0..=1).contains(&short), "{fen}: {dtz:?}, in truth {exact}");
    }
}

/// The only thing wrong with a folder.
fn fault(folder: &Path) -> TablesError {
    let (tables, mut faults) = Tables::with_folders(&[folder.to_owned()]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    // What is inside works on.
    let won = position("8/8/8/8/6k1/8/6KQ/8 w - - 0 1");
    assert_eq!(tables.wdl(&won), Some(Wdl::Win));
    faults.remove(0)
}

#[test]
fn a_damaged_folder_is_told_in_one_line_and_does_no_harm() {
    let cut = Folder::new("cut");
    cut.put("KQvK.atbw", "KQvK.atbw", |bytes| bytes.truncate(1_000));
    assert!(matches!(fault(&cut.0), TablesError::Damaged(_)));

    let cut_evenly = Folder::new("cut-evenly");
    cut_evenly.put("KQvK.atbw", "KQvK.atbw", |bytes| bytes.truncate(1_040));
    assert!(matches!(fault(&cut_evenly.0), TablesError::Damaged(_)));

    let flipped = Folder::new("flipped");
    flipped.put("KQvK.atbz", "KQvK.atbz", |bytes| bytes[900] ^= 4);
    assert!(matches!(fault(&flipped.0), TablesError::Damaged(_)));

    let empty = Folder::new("empty");
    assert!(matches!(fault(&empty.0), TablesError::Empty(_)));

    let foreign = Folder::new("foreign");
    foreign.put("KQvK.atbw", "KQvK.atbw", |bytes| {
        bytes[..4].copy_from_slice(&[0x71, 0xe8, 0x23, 0x5d]);
    });
    assert!(matches!(fault(&foreign.0), TablesError::Foreign(_)));

    let other_men = Folder::new("other-men");
    other_men.put("KQPvKP.atbw", "KQvKP.atbw", |_| {});
    assert!(matches!(fault(&other_men.0), TablesError::OtherMen(_)));

    let misnamed = Folder::new("misnamed");
    misnamed.put("queen.atbw", "KQvK.atbw", |_| {});
    assert!(matches!(fault(&misnamed.0), TablesError::Misnamed(_)));

    let other = Folder::new("other-variant");
    other.put("KQvK.rtbw", "KQvK.atbw", |_| {});
    assert!(matches!(fault(&other.0), TablesError::OtherVariant { .. }));

    let missing = empty.0.join("nowhere");
    assert!(matches!(fault(&missing), TablesError::Unreadable { .. }));
    for folder in [
        &cut, &flipped, &empty, &foreign, &other_men, &misnamed, &other,
    ] {
        assert!(!fault(&folder.0).to_string().contains('\n'));
    }
}

fn search(pool: &mut Pool, position: &Position, keys: &[u64], nodes: u64) -> SearchResult {
    let limits = Limits::nodes(nodes);
    let options = SearchOptions::default();
    let control = Control::new(&limits);
    pool.search(position, keys, &limits, &options, &control, &mut |_| {})
}

/// Plays both sides from `position` and returns how the game ended, and after
/// how many plies.
fn play(mut position: Position, nodes: u64, most: usize) -> (Option<Termination>, usize) {
    let mut pools = [Pool::default(), Pool::default()];
    let mut keys = Vec::new();
    for ply in 0..most {
        if let Some(over) = result(&position, &keys) {
            return (Some(over.termination), ply);
        }
        let found = search(&mut pools[ply % 2], &position, &keys, nodes);
        keys.push(position.key());
        position.play(found.best.expect("a legal move"));
    }
    (result(&position, &keys).map(|over| over.termination), most)
}

#[test]
fn won_endings_are_won_in_the_number_of_moves_that_the_table_says() {
    for fen in [
        "8/8/8/8/6k1/8/6KQ/8 w - - 0 1",
        "8/8/8/p3Q3/8/3Kk3/8/8 w - - 0 1",
        "8/8/3k4/8/8/8/1K3Q2/6r1 w - - 0 1",
    ] {
        let position = position(fen);
        let dtz = Tables::embedded().dtz(&position).expect("four men at most");
        assert!(dtz.ignore_rounding().0 > 0, "{fen}");
        let found = search(&mut Pool::default(), &position, &[], 500);
        assert!(
            found
                .score()
                .is_some_and(|score| score > 0 && is_decided(score)),
            "{fen}"
        );
        // Distances may be one less than the truth.
        let plies = dtz.ignore_rounding().0 as usize + 1;
        let (end, played) = play(position, 300, plies + 1);
        assert!(
            matches!(
                end,
                Some(Termination::KingExploded | Termination::Checkmate)
            ),
            "{fen}: {end:?} after {played}"
        );
        assert!(
            played <= plies,
            "{fen}: {played} plies, {plies} by the table"
        );
    }
}

#[test]
fn the_only_move_that_holds_a_draw_is_found() {
    for (fen, only) in [
        ("8/8/8/3k2Q1/6K1/8/r7/8 b - - 0 1", "Ke4"),
        ("8/7K/8/4Q3/8/8/8/r2k4 b - - 0 1", "Ra7+"),
        ("8/4Q3/8/6K1/8/8/2p5/5k2 b - - 0 1", "c1=Q+"),
    ] {
        let position = position(fen);
        assert_eq!(Tables::embedded().wdl(&position), Some(Wdl::Draw), "{fen}");
        let found = search(&mut Pool::default(), &position, &[], 500);
        assert_eq!(found.score(), Some(0), "{fen}");
        assert_eq!(
            position.san(found.best.expect("a legal move")),
            only,
            "{fen}"
        );
    }
}

#[test]
fn an_explosion_comes_before_the_tables() {
    let won = position("8/8/8/8/8/5k2/4p3/K3R3 w - - 0 1");
    let found = search(&mut Pool::default(), &won, &[], 500);
    assert!(found.score().is_some_and(is_mate));
}

#[test]
fn tables_may_be_switched_off_and_are_never_asked_under_icc_rules() {
    let fen = "8/8/8/8/6k1/8/6KQ/8 w - - 0 1";
    let limits = Limits::depth(4);
    let hits = |position: &Position, limit| {
        let tables = TableUse {
            limit,
            ..TableUse::default()
        };
        let options = SearchOptions {
            tables,
            ..SearchOptions::default()
        };
        let control = Control::new(&limits);
        let mut pool = Pool::default();
        let found = pool.search(position, &[], &limits, &options, &control, &mut |_| {});
        found.variations[0].table_hits
    };
    assert!(hits(&position(fen), 7) > 0);
    assert_eq!(hits(&position(fen), 0), 0);
    let icc = Position::from_fen(fen, Ruleset::Icc).expect("valid FEN");
    assert_eq!(hits(&icc, 7), 0);
    assert_eq!(Tables::embedded().wdl(&icc), None);
}

#[test]
fn under_icc_rules_a_rook_wins_against_a_bare_king() {
    let start = Position::from_fen("8/8/3k4/8/8/8/1K3R2/8 w - - 0 1", Ruleset::Icc);
    let (end, plies) = play(start.expect("valid FEN"), 20_000, 100);
    assert_eq!(end, Some(Termination::KingExploded), "after {plies} plies");
}
