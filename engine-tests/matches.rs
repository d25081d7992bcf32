//! A match survives whatever its engines do: faulty engines lose their games and
//! are named, and nothing that was played is lost.

#![cfg(unix)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;

/// Longer than any match of these tests takes unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A directory for the files of one test, removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = env::temp_dir().join(format!("fission-match-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary directory");
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.file(name), text).expect("temporary file");
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).expect("JSON")
    }

    /// `fission match` with these words, in this directory.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fission"));
        command
            .arg("match")
            .args(words)
            .current_dir(&self.0)
            .env("SCRIPT_LOG", self.file("script.log"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        let child = self
            .command(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fission starts");
        finish(child)
    }

    /// Plays with a JSON result and returns it with the exit status.
    fn play(&self, words: &[&str]) -> (i32, Value) {
        let output = self.run(&[words, &["--json", "result.json"]].concat());
        let status = output.status.code().expect("an exit status");
        if !self.file("result.json").exists() {
            panic!("no result: {}", text(&output.stderr));
        }
        (status, self.json("result.json"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits for a process, but not for ever.
fn finish(mut child: Child) -> Output {
    let started = Instant::now();
    while child.try_wait().expect("status").is_none() {
        if started.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the match hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("output")
}

/// The words of an engine that follows the script.
fn scripted(name: &str, actions: &str) -> Vec<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("engine-tests/data/scripted-engine.sh");
    vec![
        "--engine".to_owned(),
        format!("cmd=sh '{}' {actions}", script.display()),
        format!("name={name}"),
    ]
}

/// A match of two scripted engines with further words.
fn pair(first: &str, second: &str, words: &[&str]) -> Vec<String> {
    let mut all = scripted("first", first);
    all.extend(scripted("second", second));
    all.extend(words.iter().map(|&word| word.to_owned()));
    all
}

/// Plays them from the start of the game.
fn play_pair(name: &str, first: &str, second: &str, words: &[&str]) -> (i32, Value, Scratch) {
    play_from(START, name, first, second, words)
}

/// Starts in which both queen's knights may go out and back.
const STARTS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -
rnbqkbnr/ppppppp1/8/7p/8/8/PPPPPPPP/RNBQKBNR w KQkq -
rnbqkbnr/pppppppp/8/8/8/7P/PPPPPPP1/RNBQKBNR w KQkq -
rnbqkbnr/pppppp1p/8/6p1/8/7P/PPPPPPP1/RNBQKBNR w KQkq -
";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn play_from(
    start: &str,
    name: &str,
    first: &str,
    second: &str,
    words: &[&str],
) -> (i32, Value, Scratch) {
    let scratch = Scratch::new(name);
    scratch.write("start.epd", start);
    let words = pair(
        first,
        second,
        &[&["--openings", "start.epd"], words].concat(),
    );
    let words = Vec::from_iter(words.iter().map(String::as_str));
    let (status, result) = scratch.play(&words);
    (status, result, scratch)
}

/// Plays an engine with `actions`, to which the first words belong, against one
/// without faults.
fn play_limited(name: &str, actions: &str, words: &[&str]) -> (i32, Value, Scratch) {
    let scratch = Scratch::new(name);
    scratch.write("start.epd", START);
    let own = words
        .iter()
        .take_while(|word| !word.starts_with("--"))
        .count();
    let mut all = scripted("first", actions);
    all.extend(words[..own].iter().map(|&word| word.to_owned()));
    all.extend(scripted("second", ""));
    let rest = ["--openings", "start.epd"].iter().chain(&words[own..]);
    all.extend(rest.map(|&word| word.to_owned()));
    let (status, result) = scratch.play(&Vec::from_iter(all.iter().map(String::as_str)));
    (status, result, scratch)
}

/// How many processes of scripted engines were started.
fn processes(scratch: &Scratch) -> usize {
    let log = scratch.read("script.log");
    log.lines().filter(|&line| line == "uci").count()
}

/// Results of the games in order of their numbers.
fn results(result: &Value) -> Vec<String> {
    let mut games = result["games"].as_array().expect("games").clone();
    games.sort_by_key(|game| (game["pairing"].as_u64(), game["game"].as_u64()));
    games
        .iter()
        .map(|game| game["result"].as_str().expect("result").to_owned())
        .collect()
}

fn faults(result: &Value, engine: usize) -> Value {
    result["standings"]["engines"][engine]["faults"].clone()
}

#[test]
fn a_faultless_match_ends_with_status_zero_and_the_whole_table() {
    let (status, result, scratch) = play_pair(
        "faultless",
        "",
        "",
        &[
            "--nodes",
            "1",
            "--games",
            "4",
            "--concurrency",
            "2",
            "--pgn",
            "games.pgn",
        ],
    );
    assert_eq!(status, 0);
    assert_eq!(results(&result), ["1/2-1/2"; 4]);
    assert_eq!(result["games"][0]["reason"], "threefold repetition");
    let row = &result["standings"]["encounters"][0];
    assert_eq!(row["pentanomial"], serde_json::json!([0, 0, 2, 0, 0]));
    assert_eq!(row["estimate"]["elo"], 0.0);
    assert_eq!(result["complete"], true);
    let pgn = scratch.read("games.pgn");
    assert_eq!(pgn.matches("[Variant \"Atomic\"]").count(), 4);
    assert!(pgn.contains("1. Nc3 {+0.00/1 "), "{pgn}");
}

#[test]
fn an_engine_killed_in_mid_game_loses_it_and_plays_the_next() {
    let (status, result, _scratch) =
        play_pair("killed", "b1c3 die", "", &["--nodes", "1", "--games", "3"]);
    assert_eq!(status, 1);
    assert_eq!(results(&result), ["0-1", "1/2-1/2", "0-1"]);
    assert_eq!(faults(&result, 0), serde_json::json!({ "crash": 2 }));
    assert_eq!(faults(&result, 1), serde_json::json!({}));
    let detail = result["games"][0]["faults"][0]["detail"]
        .as_str()
        .expect("detail");
    assert!(
        detail.contains("exit status: 3") && detail.contains("scripted death"),
        "{detail}"
    );
}

#[test]
fn an_engine_that_closes_its_output_is_named() {
    let (status, result, _scratch) =
        play_pair("closed", "close", "", &["--nodes", "1", "--games", "2"]);
    assert_eq!(status, 1);
    assert_eq!(results(&result), ["0-1", "1/2-1/2"]);
    assert_eq!(faults(&result, 0), serde_json::json!({ "disconnect": 1 }));
}

#[test]
fn a_silent_engine_loses_on_time_and_is_started_anew() {
    // Short limits hold for the first engine only, which never answers.
    let limits = ["tc=0.3", "--tc", "60", "--silence", "2", "--games", "2"];
    let (status, result, scratch) = play_limited("silent", "hang black hang", &limits);
    assert_eq!(status, 1);
    assert_eq!(results(&result), ["0-1", "1-0"]);
    let faults = faults(&result, 0);
    assert_eq!(faults, serde_json::json!({ "hang": 2, "time-loss": 2 }));
    assert_eq!(processes(&scratch), 3);
}

#[test]
fn silence_without_a_clock_is_not_waited_for_without_end() {
    let limits = ["--nodes", "1", "--silence", "2", "--games", "2"];
    let (status, result, _scratch) = play_limited("no-clock", "hang", &limits);
    assert_eq!(status, 1);
    assert_eq!(results(&result), ["0-1", "1/2-1/2"]);
    assert_eq!(faults(&result, 0), serde_json::json!({ "hang": 1 }));
}

#[test]
fn a_slow_engine_loses_on_time_and_stays() {
    let limits = ["st=0.2", "--st", "60", "--games", "2"];
    let (status, result, scratch) = play_limited("slow", "think black think", &limits);
    assert_eq!(status, 1);
    assert_eq!(results(&result), ["0-1", "1-0"]);
    assert_eq!(faults(&result, 0), serde_json::json!({ "time-loss": 2 }));
    assert_eq!(result["games"][0]["end"], "time-forfeit");
    assert_eq!(processes(&scratch), 2);
}

#[test]
fn a_late_move_counts_only_within_the_margin() {
    let limits = ["st=0.1", "--st", "60", "--games", "1"];
    let (status, late, _scratch) = play_limited("late", "late:0.6:b1c3", &limits);
    assert_eq!((status, results(&late)), (1, vec!["0-1".to_owned()]));
    let margin = [&limits[..], &["--time-margin", "60000"]].concat();
    let (status, in_time, _scratch) = play_limited("margin", "late:0.6:b1c3", &margin);
    assert_eq!((status, results(&in_time)), (0, vec!["1/2-1/2".to_owned()]));
}

#[test]
fn an_illegal_move_loses() {
    let blast_on_own_king = "4k3/8/8/8/8/8/3n4/2B1K2R w - -";
    for (name, start, action) in [
        ("own-king", blast_on_own_king, "c1d2"),
        ("blocked", START, "a1a5"),
        ("no-move", START, "0000"),
        ("nonsense", START, "z9z9"),
    ] {
        let words = ["--nodes", "1", "--games", "1"];
        let (status, result, _scratch) = play_from(start, name, action, "", &words);
        assert_eq!(
            (status, results(&result)),
            (1, vec!["0-1".to_owned()]),
            "{name}"
        );
        assert_eq!(faults(&result, 0), serde_json::json!({ "illegal-move": 1 }));
        let detail = result["games"][0]["faults"][0]["detail"]
            .as_str()
            .expect("detail");
        assert!(detail.contains(action), "{detail}");
    }
}

#[test]
fn an_exploded_king_ends_the_game() {
    let words = ["--nodes", "1", "--games", "1", "--pgn", "games.pgn"];
    let moves = "g1f3 f3e5 e5f7 black a7a6 b7b6";
    let (status, result, scratch) = play_pair("exploded", moves, moves, &words);
    assert_eq!((status, results(&result)), (0, vec!["1-0".to_owned()]));
    assert_eq!(result["games"][0]["reason"], "king exploded");
    assert!(scratch.read("games.pgn").contains("3. Nxf7# "));
}

#[test]
fn a_flag_fall_with_a_bare_king_loses_and_against_one_draws() {
    let words = ["--tc", "0.2", "--games", "1"];
    let white_to_move = "8/8/8/4k3/8/8/4P3/4K3 w - -";
    let (status, against, _scratch) = play_from(white_to_move, "against-bare", "think", "", &words);
    assert_eq!((status, results(&against)), (1, vec!["1/2-1/2".to_owned()]));
    assert_eq!(faults(&against, 0), serde_json::json!({ "time-loss": 1 }));

    let black_to_move = "8/8/8/4k3/8/8/4P3/4K3 b - -";
    let (status, with, _scratch) = play_from(black_to_move, "with-bare", "", "black think", &words);
    assert_eq!((status, results(&with)), (1, vec!["1-0".to_owned()]));
    assert_eq!(faults(&with, 1), serde_json::json!({ "time-loss": 1 }));
}

#[test]
fn scores_adjudicate_when_told_to() {
    let lost = "score:-700:g1f3 score:-700:f3g1";
    let words = [
        "--nodes",
        "1",
        "--games",
        "1",
        "--resign",
        "movecount=2,score=600",
    ];
    let (status, result, _scratch) = play_pair("resign", lost, "", &words);
    assert_eq!((status, results(&result)), (0, vec!["0-1".to_owned()]));
    assert_eq!(result["games"][0]["end"], "adjudication");
}

#[test]
fn an_engine_thinks_in_its_opponents_time() {
    let scratch = Scratch::new("ponder");
    scratch.write("start.epd", START);
    // The first guess is right, the second wrong.
    let words = pair(
        "ponder:g1f3:b8c6 ponder:f3g1:h7h6 g1f3 f3g1",
        "",
        &[
            "--openings",
            "start.epd",
            "--st",
            "20",
            "--games",
            "1",
            "--ponder",
            "--json",
            "result.json",
        ],
    );
    let output = scratch.run(&Vec::from_iter(words.iter().map(String::as_str)));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let log = scratch.read("script.log");
    let count = |start: &str| log.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!(
        (count("go ponder"), count("ponderhit"), count("stop")),
        (2, 1, 1)
    );
    // The engine lists the variant with a capital letter and gets it so.
    assert_eq!(count("setoption name UCI_Variant value Atomic"), 2);
}

#[test]
fn castling_is_sent_as_chess960_wants_it() {
    let start = "4k3/8/8/8/8/8/4P3/1R2K2R w KBkb -".replace("KBkb", "HB");
    let words = [
        "--nodes",
        "1",
        "--games",
        "1",
        "--max-moves",
        "1",
        "--pgn",
        "games.pgn",
    ];
    let (status, result, scratch) = play_from(&start, "chess960", "e1b1", "black e8e7", &words);
    assert_eq!(status, 0, "{result}");
    assert!(scratch.read("games.pgn").contains("1. O-O-O "));
    assert_eq!(result["games"][0]["reason"], "draw by length");
}

#[test]
fn a_decided_test_ends_the_match() {
    let words = [
        "--nodes", "1", "--games", "1000", "--sprt", "elo0=0", "elo1=200",
    ];
    let (_, result, _scratch) = play_pair("sprt", "", "0000 black 0000", &words);
    assert_eq!(result["sprt"]["decision"], "accept-h1");
    assert_eq!(result["complete"], true);
    assert!(results(&result).len() < 100);
}

#[test]
fn an_engine_can_be_started_anew_for_every_game() {
    let words = ["restart=on", "--nodes", "1", "--games", "3"];
    let (status, _, scratch) = play_limited("restart", "", &words);
    assert_eq!((status, processes(&scratch)), (0, 4));
}

#[test]
fn a_knockout_goes_on_with_the_winners() {
    let scratch = Scratch::new("knockout");
    let mut words = Vec::new();
    for (name, actions) in [
        ("a", "0000 black 0000"),
        ("b", ""),
        ("c", "0000 black 0000"),
        ("d", "0000"),
    ] {
        words.extend(scripted(name, actions));
    }
    let rest = [
        "--format",
        "knockout",
        "--nodes",
        "1",
        "--games",
        "2",
        "--concurrency",
        "2",
    ];
    words.extend(rest.map(str::to_owned));
    let (status, result) = scratch.play(&Vec::from_iter(words.iter().map(String::as_str)));
    assert_eq!(status, 1);
    let met = Vec::from_iter(
        result["standings"]["encounters"]
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| {
                format!(
                    "{}{}",
                    row["first"].as_str().unwrap(),
                    row["second"].as_str().unwrap()
                )
            }),
    );
    assert_eq!(met, ["ad", "bc", "bd"]);
}

#[test]
fn an_interrupted_match_is_resumed() {
    let scratch = Scratch::new("resume");
    scratch.write("starts.epd", STARTS);
    let words = pair(
        "",
        "",
        &[
            "--openings",
            "starts.epd",
            "--nodes",
            "1",
            "--games",
            "60",
            "--seed",
            "7",
            "--json",
            "result.json",
            "--pgn",
            "games.pgn",
        ],
    );
    let words = Vec::from_iter(words.iter().map(String::as_str));
    let child = scratch
        .command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fission starts");
    let journal = scratch.file("result.journal");
    let started = Instant::now();
    let lines = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 4 && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(2));
    }
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("interrupt");
    let output = finish(child);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("--resume"));
    let first = scratch.json("result.json");
    let played = results(&first).len();
    assert!((3..60).contains(&played), "{played}");
    assert_eq!(first["complete"], false);

    // Another match is not taken for the same.
    let other = scratch.run(&[&words[..], &["--resume", "--nodes", "2"]].concat());
    assert_eq!(other.status.code(), Some(2));
    let other = scratch.run(&[&words[..], &["--resume", "--chess960"]].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("chess960 was false and is now true"));

    let output = scratch.run(&[&words[..], &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let whole = scratch.json("result.json");
    assert_eq!(whole["complete"], true);
    let games = whole["games"].as_array().expect("games");
    assert_eq!(
        &games[..played],
        &first["games"].as_array().expect("games")[..]
    );
    let mut numbers = Vec::from_iter(games.iter().map(|game| game["game"].as_u64()));
    numbers.sort();
    assert_eq!(numbers, Vec::from_iter((0..60).map(Some)));
    assert_eq!(scratch.read("games.pgn").matches("[Event ").count(), 60);
}

#[test]
fn what_cannot_be_played_is_said_before_the_first_game() {
    let scratch = Scratch::new("refused");
    scratch.write("empty.epd", "\n# nothing\n");
    scratch.write(
        "broken.epd",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq -\n",
    );
    let script = scripted("x", "");
    let engine = |command: &str| vec!["--engine".to_owned(), format!("cmd={command}")];
    let nodes = ["--nodes", "1", "--silence", "3"];
    for (other, words, named) in [
        (engine("./no-such-engine"), &[][..], "no-such-engine"),
        (engine("true"), &[], "'true' ended unexpectedly"),
        (engine("cat"), &[], "'cat' did not answer 'uci'"),
        (scripted("x", ""), &[], "two engines are named 'x'"),
        (
            [scripted("y", ""), vec!["option.Hsah=3".to_owned()]].concat(),
            &[],
            "no option 'Hsah'",
        ),
        (
            scripted("y", ""),
            &["--openings", "empty.epd"],
            "'empty.epd' holds no openings",
        ),
        (
            scripted("y", ""),
            &["--openings", "broken.epd"],
            "'broken.epd' line 1",
        ),
        (
            scripted("y", ""),
            &["--openings", "missing.epd"],
            "'missing.epd'",
        ),
        (scripted("y", ""), &["--tc", "fast"], "'fast'"),
        (
            scripted("y", ""),
            &["--variant", "nocheckatomic"],
            "does not play nocheckatomic",
        ),
        (
            scripted("y", ""),
            &["--json", "no/such/directory.json"],
            "no/such/directory.json",
        ),
    ] {
        let all = [&script[..], &other[..], &nodes.map(str::to_owned)[..]].concat();
        let all = Vec::from_iter(all.iter().map(String::as_str).chain(words.iter().copied()));
        let output = scratch.run(&all);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(named), "{named}: {said}");
    }
}

#[test]
fn matches_from_several_machines_give_one_table() {
    let scratch = Scratch::new("merge");
    scratch.write("starts.epd", STARTS);
    for seed in ["1", "2"] {
        let json = format!("{seed}.json");
        let words = pair(
            "",
            "0000",
            &[
                "--openings",
                "starts.epd",
                "--nodes",
                "1",
                "--games",
                "8",
                "--seed",
                seed,
                "--json",
                &json,
            ],
        );
        let output = scratch.run(&Vec::from_iter(words.iter().map(String::as_str)));
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
    let output = scratch.run(&["merge", "1.json", "2.json", "--json", "all.json"]);
    // The faults of the engines are those of the joint match.
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let all = scratch.json("all.json");
    let row = &all["standings"]["encounters"][0];
    // The second engine moves illegally with White only.
    let tally = serde_json::json!({ "wins": 8, "losses": 0, "draws": 8 });
    assert_eq!(row["tally"], tally);
    assert_eq!(row["pentanomial"], serde_json::json!([0, 0, 0, 8, 0]));
    assert!(text(&output.stdout).contains("second: 8 illegal moves"));
    // Each seed has its own order of openings.
    let order = |name: &str| {
        let mut games = scratch.json(name)["games"]
            .as_array()
            .expect("games")
            .clone();
        games.sort_by_key(|game| game["game"].as_u64());
        Vec::from_iter(games.iter().map(|game| game["opening"].clone()))
    };
    assert_ne!(order("1.json"), order("2.json"));

    let twice = scratch.run(&["merge", "1.json", "all.json"]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(text(&twice.stderr).contains("'all.json' repeats games"));
    let over = scratch.run(&["merge", "1.json", "2.json", "--json", "2.json"]);
    assert_eq!(over.status.code(), Some(2));
    assert!(text(&over.stderr).contains("2.json: one of the files to read"));
}
