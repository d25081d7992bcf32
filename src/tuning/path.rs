//! The way the numbers went: a table to go on from and a picture to look at.

use std::fmt::Write;

use super::spsa::Subject;

type Path = [(u64, Vec<f64>)];

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 130.0;
const COLUMNS: usize = 4;

/// A line for each note: pairs of games, then the values.
pub(super) fn table(subjects: &[Subject], path: &Path) -> String {
    let mut text = header(subjects);
    for (done, values) in path {
        let _ = write!(text, "{done}");
        for value in values {
            let _ = write!(text, "\t{value:.4}");
        }
        text.push('\n');
    }
    text
}

fn header(subjects: &[Subject]) -> String {
    let mut text = String::from("pairs");
    for subject in subjects {
        text.push('\t');
        text.push_str(subject.name());
    }
    text.push('\n');
    text
}

/// Reads the table back, `None` if it is of other numbers.
pub(super) fn read(subjects: &[Subject], table: &str) -> Option<Vec<(u64, Vec<f64>)>> {
    let rows = table.strip_prefix(&header(subjects))?;
    rows.lines()
        .map(|row| {
            let (done, values) = row.split_once('\t')?;
            let values: Vec<f64> = values
                .split('\t')
                .map(|value| value.parse().ok())
                .collect::<Option<_>>()?;
            (values.len() == subjects.len()).then_some((done.parse().ok()?, values))
        })
        .collect()
}

/// A small picture for each number.
pub(super) fn svg(subjects: &[Subject], path: &Path) -> String {
    let rows = subjects.len().div_ceil(COLUMNS);
    let last = path.last().map_or(1, |(done, _)| *done).max(1) as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        WIDTH * COLUMNS as f64,
        HEIGHT * rows as f64
    );
    for (i, subject) in subjects.iter().enumerate() {
        let left = (i % COLUMNS) as f64 * WIDTH + 10.0;
        let top = (i / COLUMNS) as f64 * HEIGHT + 30.0;
        let values = || path.iter().map(|(_, values)| values[i]);
        let low = values().fold(f64::INFINITY, f64::min);
        let span = (values().fold(f64::NEG_INFINITY, f64::max) - low).max(1e-9);
        let points: Vec<String> = path
            .iter()
            .map(|(done, values)| {
                let x = left + *done as f64 / last * (WIDTH - 20.0);
                let y = top + (1.0 - (values[i] - low) / span) * (HEIGHT - 50.0);
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let first = values().next().unwrap_or(0.0);
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{}\">{}: {first:.0} to {:.1}</text>\
             <polyline fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.5\" points=\"{}\"/>",
            top - 8.0,
            subject.name(),
            subject.value(),
            points.join(" ")
        );
    }
    svg.push_str("</svg>\n");
    svg
}
