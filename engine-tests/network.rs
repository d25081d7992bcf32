//! The evaluation network gives the same value however it is worked out.

mod support;

use std::{fs, sync::Arc};

use fission::{
    evaluation::nnue::{
        Accumulators, Architecture, HIDDEN, MAX_HIDDEN_WEIGHT, Network, NetworkError, PLACES,
        Parameters, QA, QB, QH, QO, QS, SCALE, View, simd::Level,
    },
    rules::Position,
};
use shakmaty::{Board, Color};

const GAMES: u64 = 10_000;

/// Eight king buckets by rank and wing.
fn king_buckets() -> [u8; 32] {
    std::array::from_fn(|square| match square {
        0..4 => square as u8,
        4..16 => 4 + (square as u8 / 2) % 2,
        _ => 6 + u8::from(square >= 24),
    })
}

fn random_network(width: usize, seed: u64) -> Arc<Network> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let architecture = Architecture::new(width, 8, king_buckets())
        .expect("shape")
        .with_hidden_layer(!width.is_multiple_of(96));
    let hidden = 8 * architecture.hidden();
    let most = MAX_HIDDEN_WEIGHT as i8;
    let parameters = Parameters {
        feature_weights: (0..architecture.inputs() * width)
            .map(|_| rng.i16(-120..=120))
            .collect(),
        feature_biases: (0..width).map(|_| rng.i16(-200..=200)).collect(),
        output_weights: (0..8 * 2 * width).map(|_| rng.i8(-127..=127)).collect(),
        output_biases: (0..8).map(|_| rng.i32(-20_000..=20_000)).collect(),
        hidden_weights: (0..hidden * 2 * width)
            .map(|_| rng.i8(-most..=most))
            .collect(),
        hidden_biases: (0..hidden).map(|_| rng.i32(-40_000..=40_000)).collect(),
        hidden_outputs: (0..hidden).map(|_| rng.i16(-4096..=4096)).collect(),
    };
    Arc::new(Network::new(architecture, &parameters, "random numbers").expect("network"))
}

/// The inputs that are on, man by man.
fn plain_inputs(board: &Board, side: Color, view: View) -> Vec<usize> {
    let flip = side.fold_wb(0, 56) ^ if view.index() % 2 == 1 { 7 } else { 0 };
    let mut inputs = Vec::new();
    for (square, man) in board.iter() {
        let theirs = usize::from(man.color != side);
        let place = (theirs * 6 + man.role as usize - 1) * 64 + (square as usize ^ flip);
        inputs.push(view.index() / 2 * PLACES + place);
    }
    inputs
}

/// The value from nothing, by plain sums.
fn plain_value(network: &Network, parameters: &Parameters, position: &Position) -> i32 {
    let shape = network.architecture();
    let width = shape.width();
    let bucket = shape.output_bucket(position.board().occupied().count());
    let us = position.turn();
    let mut sum = 0i64;
    let hidden = bucket * shape.hidden();
    let mut neurons = parameters
        .hidden_biases
        .get(hidden..hidden + HIDDEN)
        .map_or(Vec::new(), <[i32]>::to_vec);
    for (half, side) in [us, !us].into_iter().enumerate() {
        let view = shape.view(side, position.king(side));
        let mut layer: Vec<i64> = parameters
            .feature_biases
            .iter()
            .map(|&b| b.into())
            .collect();
        for input in plain_inputs(position.board(), side, view) {
            let row = input * width;
            for (value, &weight) in layer.iter_mut().zip(&parameters.feature_weights[row..]) {
                *value += i64::from(weight);
            }
        }
        let weights = &parameters.output_weights[(2 * bucket + half) * width..];
        for (value, &weight) in layer.iter().zip(weights) {
            let clipped = (*value).clamp(0, QA.into());
            sum += clipped * clipped * i64::from(weight);
        }
        for (i, value) in layer.iter().enumerate() {
            let clipped = (*value as i32).clamp(0, QA);
            let square = (clipped * clipped + 256) / 512;
            for (j, neuron) in neurons.iter_mut().enumerate() {
                let row = 2 * (hidden + j) + half;
                *neuron += square * i32::from(parameters.hidden_weights[row * width + i]);
            }
        }
    }
    let mut units = sum / i64::from(QA) + i64::from(parameters.output_biases[bucket]);
    let mut said = 0;
    for (neuron, &weight) in neurons.iter().zip(&parameters.hidden_outputs[hidden..]) {
        let clipped = i64::from(((neuron + QH / 2) / QH).clamp(-QS, QS));
        said += clipped * clipped * i64::from(weight);
    }
    units += said * i64::from(QA * QB) / i64::from(QS * QS * QO);
    (units * i64::from(SCALE) / i64::from(QA * QB)) as i32
}

#[test]
fn moves_along_a_line_give_the_value_of_a_fresh_start() {
    let network = random_network(64, 1);
    let parameters = network.parameters();
    let mut line = Accumulators::new(Arc::clone(&network));
    let mut fresh = Accumulators::new(Arc::clone(&network));
    let (mut blasts, mut castlings, mut promotions, mut passants) = (0, 0, 0, 0);
    for number in 0..GAMES {
        let mut rng = fastrand::Rng::with_seed(number);
        let mut position = support::random_start(number, &mut rng);
        line.reset();
        for ply in 0..300 {
            // Some plies stay without an evaluation, as in a search.
            if rng.u8(..) < 160 {
                fresh.reset();
                let expected = fresh.evaluate(&position);
                assert_eq!(line.evaluate(&position), expected, "{}", position.fen());
                if ply % 16 == 0 {
                    let plain = plain_value(&network, &parameters, &position);
                    assert_eq!(plain, expected, "{}", position.fen());
                }
            }
            let Some(m) = support::random_move(&position, &mut rng) else {
                break;
            };
            // A line tried and taken back, a null move within.
            if let Some(tried) = support::random_move(&position, &mut rng) {
                let after = position.after(tried);
                line.push();
                line.push();
                if rng.bool() && !after.king_is_gone() {
                    let passed = after.after_null();
                    fresh.reset();
                    assert_eq!(line.evaluate(&passed), fresh.evaluate(&passed));
                }
                line.pop();
                line.pop();
            }
            line.push();
            position.play(m);
            blasts += usize::from(m.is_capture());
            castlings += usize::from(m.is_castle());
            promotions += usize::from(m.is_promotion());
            passants += usize::from(m.is_en_passant());
            if position.king_is_gone() {
                break;
            }
        }
    }
    for seen in [blasts, castlings, promotions, passants] {
        assert!(seen > 20, "{blasts} {castlings} {promotions} {passants}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_value() {
    for width in [32, 96, 256, 512, 1024] {
        let network = random_network(width, width as u64);
        let mut levels: Vec<Accumulators> = Level::ALL
            .into_iter()
            .filter(|level| level.is_available())
            .map(|level| Accumulators::new(Arc::clone(&network)).with_level(level))
            .collect();
        for number in 0..12 {
            let mut rng = fastrand::Rng::with_seed(number);
            let mut position = support::random_start(number, &mut rng);
            levels.iter_mut().for_each(|level| level.reset());
            while !position.king_is_gone() && position.fullmoves().get() < 60 {
                let values: Vec<i32> = levels
                    .iter_mut()
                    .map(|level| level.evaluate(&position))
                    .collect();
                assert!(
                    values.windows(2).all(|pair| pair[0] == pair[1]),
                    "{values:?} width {width} {}",
                    position.fen()
                );
                let Some(m) = support::random_move(&position, &mut rng) else {
                    break;
                };
                levels.iter_mut().for_each(|level| level.push());
                position.play(m);
            }
        }
    }
}

#[test]
fn a_file_gives_the_network_back_and_damage_is_refused() {
    let network = random_network(32, 7);
    let path = std::env::temp_dir().join(format!("fission-{}.nnue", std::process::id()));
    network.save(&path).expect("write");
    let back = Network::load(&path).expect("read");
    assert_eq!(back.parameters(), network.parameters());
    assert_eq!(back.architecture(), network.architecture());
    assert_eq!(
        (back.hash(), back.facts()),
        (network.hash(), network.facts())
    );

    let whole = fs::read(&path).expect("read");
    fs::remove_file(&path).expect("remove");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    assert!(matches!(
        Network::from_bytes(&flipped),
        Err(NetworkError::Checksum { .. })
    ));
    assert!(Network::from_bytes(&whole[..whole.len() - 100]).is_err());
    assert!(matches!(
        Network::from_bytes(b"not a network"),
        Err(NetworkError::Magic)
    ));
    for length in 0..60 {
        assert!(Network::from_bytes(&whole[..length]).is_err());
    }
}
