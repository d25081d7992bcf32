//! A training learns, goes on after a stop, and its network says in whole
//! numbers what it says in floating point.

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use fission::{
    data::{Ending, Game, Ply, Writer},
    evaluation::nnue::{Accumulators, Architecture, Network},
    rules::{PackedMove, Position},
    training::{
        Dataset, Filter, Model, Plan, Sample, Schedule, Target, TrainError, Trainer,
        king_bucket_layout,
    },
};
use shakmaty::{Color, Role};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("fission-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("temporary folder");
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn shape(width: usize, layout: &str, outputs: usize) -> Architecture {
    let layout = king_bucket_layout(layout).expect("layout");
    // Wide ones have a hidden layer.
    Architecture::new(width, outputs, layout)
        .expect("shape")
        .with_hidden_layer(width > 32)
}

/// Men counted as in chess, from the view of the side to move.
fn material(position: &Position) -> i16 {
    let board = position.board();
    let worth = [100, 300, 300, 500, 900];
    let of = |color: Color| -> i16 {
        Role::ALL
            .iter()
            .zip(worth)
            .map(|(role, worth)| worth * board.by_piece(role.of(color)).count() as i16)
            .sum()
    };
    of(position.turn()) - of(!position.turn())
}

/// Random games whose scores count material.
fn games(count: u64) -> Vec<Game> {
    (0..count)
        .map(|number| {
            let mut rng = fastrand::Rng::with_seed(number);
            let start = Position::startpos(fission::rules::Ruleset::Lichess);
            let mut position = start.clone();
            let mut plies = Vec::new();
            while plies.len() < 120
                && let Some(m) = support::random_move(&position, &mut rng)
            {
                plies.push(Ply {
                    played: PackedMove::new(m),
                    score: material(&position),
                });
                position.play(m);
            }
            Game {
                start,
                plies,
                winner: None,
                ending: Ending::Adjudicated,
            }
        })
        .collect()
}

fn write(path: &Path, games: &[Game]) {
    let mut writer = Writer::create(path).expect("file");
    for game in games {
        writer.write(game).expect("write");
    }
}

/// Scores alone.
const TARGET: Target = Target {
    lambda: 1.0,
    horizon: 8.0,
    score_scale: 400.0,
};

fn plan(folder: &Path, epochs: usize) -> Plan {
    Plan {
        epochs,
        batch: 256,
        schedule: Schedule::Cosine {
            first: 0.01,
            last: 0.0001,
        },
        decay: 0.0,
        seed: 1,
        threads: 2,
        folder: folder.to_owned(),
        facts: "a test".to_owned(),
    }
}

fn random_positions(count: usize) -> Vec<Position> {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut positions = Vec::new();
    let mut number = 0;
    while positions.len() < count {
        let mut position = support::random_start(number, &mut rng);
        number += 1;
        for _ in 0..80 {
            let Some(m) = support::random_move(&position, &mut rng) else {
                break;
            };
            position.play(m);
            if position.king_is_gone() {
                break;
            }
            positions.push(position.clone());
        }
    }
    positions
}

/// The value of the network in whole numbers and in floating point, for each
/// position.
fn values(model: &Model, positions: &[Position]) -> Vec<(i32, f32)> {
    let network = Arc::new(model.quantise("a test").expect("network"));
    let mut accumulators = Accumulators::new(network);
    positions
        .iter()
        .map(|position| {
            accumulators.reset();
            let sample = Sample::new(position, 0).expect("sample");
            (accumulators.evaluate(position), model.evaluate(&sample))
        })
        .collect()
}

#[test]
fn whole_numbers_say_what_floating_point_says() {
    let positions = random_positions(500);
    for (width, layout, outputs) in [(32, "1", 1), (64, "8", 8), (256, "16", 4)] {
        let model = Model::random(shape(width, layout, outputs), 2);
        for (whole, floating) in values(&model, &positions) {
            let difference = (whole as f32 - floating).abs();
            assert!(
                difference < 16.0 + 0.03 * floating.abs(),
                "{whole} {floating} at width {width}"
            );
        }
    }
}

#[test]
fn a_warm_start_keeps_the_values_also_when_it_widens() {
    let positions = random_positions(200);
    let olds = [32, 64].map(|width| Model::random(shape(width, "4", 2), 2));
    let news = [shape(64, "4", 2), shape(96, "16", 8), shape(96, "4", 2)];
    for (old, shape) in olds.iter().flat_map(|old| news.map(|new| (old, new))) {
        let network = old.quantise("old").expect("network");
        let warm = Model::warm(shape, &network, 9);
        let before = values(old, &positions);
        let after = values(&warm, &positions);
        for ((before, _), (after, _)) in before.iter().zip(&after) {
            assert!((before - after).abs() <= 3, "{before} {after} {shape:?}");
        }
    }
}

#[test]
fn a_training_learns_to_count_men_and_goes_on_after_a_stop() {
    let folder = Folder::new("train");
    let file = folder.0.join("a.games");
    write(&file, &games(1_000));
    let filter = Filter {
        validation_permille: 200,
        ..Filter::default()
    };
    let load =
        || Dataset::load(&[&file], &filter, &TARGET, |error| panic!("{error}")).expect("games");
    let mut dataset = load();
    assert!(dataset.training.len() > 10_000 && dataset.validation.len() > 1_000);

    let out = folder.0.join("net");
    let model = Model::random(shape(32, "1", 1).with_hidden_layer(true), 1);
    Trainer::new(plan(&out, 3), model.clone())
        .expect("an empty folder")
        .run(&mut dataset, |_| {})
        .expect("three epochs");
    let mut trainer = Trainer::resume(plan(&out, 6), model).expect("checkpoint");
    assert_eq!(trainer.finished_epochs(), 3);
    trainer.run(&mut load(), |_| {}).expect("three epochs more");

    let table = fs::read_to_string(out.join("losses.tsv")).expect("losses");
    let validation: Vec<f64> = table
        .lines()
        .skip(1)
        .map(|line| {
            line.split('\t')
                .nth(2)
                .expect("field")
                .parse()
                .expect("loss")
        })
        .collect();
    assert_eq!(validation.len(), 6);
    assert!(validation[5] < validation[0] / 2.0, "{table}");
    let picture = fs::read_to_string(out.join("losses.svg")).expect("picture");
    assert!(picture.starts_with("<svg") && picture.contains("validation loss"));

    let network = Arc::new(Network::load(&out.join("latest.nnue")).expect("network"));
    assert!(network.facts().starts_with("a test\n"));
    let mut accumulators = Accumulators::new(network);
    let queen_up = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let position = Position::from_fen(queen_up, fission::rules::Ruleset::Lichess).expect("FEN");
    accumulators.reset();
    assert!(accumulators.evaluate(&position) > 200);
}

#[test]
fn a_training_is_not_overwritten_by_another_one() {
    let folder = Folder::new("occupied");
    let out = folder.0.join("net");
    let model = || Model::random(shape(32, "1", 1), 1);
    for name in ["latest.nnue", "checkpoint.bin", "losses.tsv", "losses.svg"] {
        Trainer::new(plan(&out, 1), model()).expect("an empty folder");
        let path = out.join(name);
        fs::write(&path, "precious").expect("a file");
        let error = Trainer::new(plan(&out, 1), model()).expect_err("a training");
        assert!(matches!(error, TrainError::Occupied(_)), "{name}: {error}");
        assert!(error.to_string().starts_with(&out.display().to_string()));
        let error = Trainer::resume(plan(&out, 1), model()).expect_err("no checkpoint");
        let is_damaged = matches!(error, TrainError::Checkpoint(_));
        let is_missing = matches!(error, TrainError::NoCheckpoint(_));
        assert!(if name == "checkpoint.bin" {
            is_damaged
        } else {
            is_missing
        });
        assert_eq!(fs::read_to_string(&path).expect("kept"), "precious");
        fs::remove_file(&path).expect("to be removed");
    }
}

#[test]
fn a_training_needs_a_folder_before_it_begins() {
    let folder = Folder::new("no-folder");
    let out = folder.0.join("file");
    fs::write(&out, "").expect("a file");
    let model = Model::random(shape(32, "1", 1), 1);
    let error = Trainer::new(plan(&out, 1), model).expect_err("no folder");
    assert!(error.to_string().contains("not a folder"), "{error}");
}

#[test]
fn a_checkpoint_of_another_shape_or_a_damaged_one_is_refused() {
    let folder = Folder::new("refuse");
    let file = folder.0.join("a.games");
    write(&file, &games(3));
    let mut dataset = Dataset::load(&[&file], &Filter::default(), &TARGET, |error| {
        panic!("{error}")
    })
    .expect("games");
    let out = folder.0.join("net");
    Trainer::new(plan(&out, 1), Model::random(shape(32, "1", 1), 1))
        .expect("an empty folder")
        .run(&mut dataset, |_| {})
        .expect("an epoch");
    let other = Trainer::resume(plan(&out, 2), Model::random(shape(64, "1", 1), 1));
    assert!(matches!(other, Err(TrainError::Checkpoint(_))));
    let path = out.join("checkpoint.bin");
    let mut bytes = fs::read(&path).expect("checkpoint");
    bytes[5000] ^= 1;
    fs::write(&path, bytes).expect("write");
    let damaged = Trainer::resume(plan(&out, 2), Model::random(shape(32, "1", 1), 1));
    assert!(matches!(damaged, Err(TrainError::Checkpoint(_))));
}

#[test]
fn only_quiet_new_positions_with_a_sensible_score_teach() {
    let folder = Folder::new("filter");
    let file = folder.0.join("a.games");
    let start = Position::startpos(fission::rules::Ruleset::Lichess);
    let mut position = start.clone();
    let mut plies = Vec::new();
    // A queen check on f7 is answered by a capture; the last score is too big.
    for (text, score) in [
        ("e2e4", 20),
        ("f7f6", -20),
        ("d1h5", 40),
        ("g7g6", -40),
        ("h5g6", 30),
        ("e7e6", 9_000),
    ] {
        let m = position.parse_uci(text).expect("legal");
        plies.push(Ply {
            played: PackedMove::new(m),
            score,
        });
        position.play(m);
    }
    let game = Game {
        start,
        plies,
        winner: None,
        ending: Ending::Adjudicated,
    };
    write(&file, &[game.clone(), game]);
    let filter = Filter {
        validation_permille: 0,
        ..Filter::default()
    };
    let dataset =
        Dataset::load(&[&file], &filter, &TARGET, |error| panic!("{error}")).expect("games");
    assert_eq!(dataset.training.len(), 3);
    for (sample, score) in dataset.training.iter().zip([20.0, -20.0, 40.0]) {
        let points = 1.0 / (1.0 + f32::exp(-score / TARGET.score_scale));
        assert!(
            (sample.points() - points).abs() < 1e-3,
            "{score} {}",
            sample.points()
        );
    }
    let words = dataset.counts.to_string();
    for expected in [
        "12 positions of 2 games",
        "2 left out: in check",
        "2 left out: best move takes",
        "2 left out: score beyond",
        "3 left out: seen before",
    ] {
        assert!(words.contains(expected), "{words}");
    }
}
