//! The losses of a training as a picture.

use std::fmt::Write;

use super::trainer::Epoch;

/// Which loss of an epoch a curve shows.
type Loss = fn(&Epoch) -> Option<f64>;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const BOTTOM: f64 = 50.0;
const MARGIN: f64 = 30.0;

/// An SVG picture of training and validation loss by epoch.
pub(super) fn svg(epochs: &[Epoch]) -> String {
    let losses = || {
        epochs
            .iter()
            .flat_map(|epoch| [Some(epoch.training_loss), epoch.validation_loss])
            .flatten()
    };
    let low = losses().fold(f64::INFINITY, f64::min);
    let high = losses().fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(1e-9);
    let last = epochs.last().map_or(1, |epoch| epoch.number).max(2) as f64;
    let x = |number: usize| LEFT + (number as f64 - 1.0) / (last - 1.0) * (WIDTH - LEFT - MARGIN);
    let y = |loss: f64| MARGIN + (high - loss) / span * (HEIGHT - MARGIN - BOTTOM);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for i in 0..=4 {
        let loss = low + span * f64::from(i) / 4.0;
        let height = y(loss);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{height:.1}\" y2=\"{height:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.5}</text>",
            WIDTH - MARGIN,
            LEFT - 8.0,
            height + 4.0
        );
    }
    for number in [1.0, (1.0 + last) / 2.0, last] {
        let number = number.round() as usize;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{number}</text>",
            x(number),
            HEIGHT - BOTTOM + 20.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">epoch</text>",
        (LEFT + WIDTH - MARGIN) / 2.0,
        HEIGHT - 10.0
    );
    let curves: [(&str, &str, Loss); 2] = [
        ("training", "#1f77b4", |epoch| Some(epoch.training_loss)),
        ("validation", "#d62728", |epoch| epoch.validation_loss),
    ];
    for (i, (name, colour, loss)) in curves.into_iter().enumerate() {
        let points: Vec<String> = epochs
            .iter()
            .filter_map(|epoch| Some(format!("{:.1},{:.1}", x(epoch.number), y(loss(epoch)?))))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{colour}\" text-anchor=\"end\">{name} loss</text>",
            points.join(" "),
            WIDTH - MARGIN,
            MARGIN + 16.0 * (i as f64 + 1.0)
        );
    }
    svg.push_str("</svg>\n");
    svg
}
