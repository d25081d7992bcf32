//! The figures of a match as a table for people.

use std::fmt::Write;

use super::{
    record::{FaultKind, GameRecord},
    report::Report,
    sprt::{Decision, SprtStatus},
    standings::Standings,
    statistics::Estimate,
};

/// How many faults of one engine and kind are told in full.
const TOLD: usize = 3;

/// The final table: engines, encounters, the test, and what went wrong.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    engines(&mut text, &report.standings);
    text.push('\n');
    encounters(&mut text, &report.standings);
    if let Some(status) = &report.sprt {
        let _ = writeln!(text, "\n{}", sprt_line(status));
    }
    if report.slot_seconds > 0.0 {
        let share = |seconds: f64| 100.0 * seconds / report.slot_seconds;
        let _ = writeln!(
            text,
            "\n{} games in {:.1} s of play: {:.1}% thinking, {:.1}% engines getting ready, the rest waiting and refereeing",
            report.games.len(),
            report.slot_seconds,
            share(report.thinking_seconds),
            share(report.preparing_seconds),
        );
    }
    faults(&mut text, &report.standings, &report.games);
    text
}

fn engines(text: &mut String, standings: &Standings) {
    let mut order = Vec::from_iter(&standings.engines);
    // A knockout gives a different number of games to each.
    order.sort_by(|a, b| {
        let strength = |row: &super::standings::EngineRow| (row.tally.points(), row.score);
        strength(b)
            .partial_cmp(&strength(a))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let width = order
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let _ = writeln!(
        text,
        "{:3} {:width$} {:>6} {:>5} {:>5} {:>5} {:>7} {:>6} {:>17} {:>6} {:>5} {:>7} {:>7}",
        "#",
        "engine",
        "games",
        "W",
        "L",
        "D",
        "points",
        "score",
        "Elo",
        "LOS",
        "time",
        "crashes",
        "illegal",
    );
    for (place, row) in order.iter().enumerate() {
        let count = |kind: FaultKind| row.faults.get(&kind).copied().unwrap_or(0);
        let gone = count(FaultKind::Crash) + count(FaultKind::Hang) + count(FaultKind::Disconnect);
        let _ = writeln!(
            text,
            "{:<3} {:width$} {:>6} {:>5} {:>5} {:>5} {:>7.1} {:>5.1}% {:>17} {:>5.1}% {:>5} {:>7} {:>7}",
            place + 1,
            row.name,
            row.tally.games(),
            row.tally.wins,
            row.tally.losses,
            row.tally.draws,
            row.tally.points(),
            100.0 * row.score,
            elo(&row.estimate),
            100.0 * row.estimate.los,
            count(FaultKind::TimeLoss),
            gone,
            count(FaultKind::IllegalMove),
        );
    }
}

fn encounters(text: &mut String, standings: &Standings) {
    for row in &standings.encounters {
        let normalized = match row.estimate.normalized_elo {
            Some(elo) => format!("{elo:+.1}"),
            None => "-".to_owned(),
        };
        let _ = writeln!(
            text,
            "{} v {}: +{} -{} ={} ({:.1}%), Elo {}, normalized Elo {normalized}, LOS {:.1}%, draws {:.1}%, pairs (0 to 2 points) {:?}",
            row.first,
            row.second,
            row.tally.wins,
            row.tally.losses,
            row.tally.draws,
            100.0 * row.score,
            elo(&row.estimate),
            100.0 * row.estimate.los,
            100.0 * row.draw_rate,
            row.pentanomial.0,
        );
    }
}

/// Elo with its error, such as `+12.3 +/- 4.5`; what the games do not determine
/// is a dash.
#[must_use]
pub fn elo(estimate: &Estimate) -> String {
    match (estimate.elo, estimate.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:+.1} +/- {error:.1}"),
        (Some(elo), None) => format!("{elo:+.1} +/- -"),
        (None, _) => "-".to_owned(),
    }
}

/// The state of the test in one line.
#[must_use]
pub fn sprt_line(status: &SprtStatus) -> String {
    let SprtStatus {
        test,
        llr,
        lower,
        upper,
        decision,
    } = status;
    let decision = match decision {
        Decision::Undecided => "undecided",
        Decision::AcceptH1 => "H1 accepted: the first engine is stronger",
        Decision::AcceptH0 => "H0 accepted: no gain of the size tested for",
    };
    format!("SPRT {test}: LLR {llr:.2} ({lower:.2}, {upper:.2}), {decision}")
}

fn faults(text: &mut String, standings: &Standings, games: &[GameRecord]) {
    for row in &standings.engines {
        for (&kind, &count) in &row.faults {
            let _ = writeln!(text, "\n{}: {}", row.name, kind.counted(count));
            let told = games.iter().flat_map(|game| {
                game.faults
                    .iter()
                    .filter(|fault| fault.engine == row.name && fault.kind == kind)
                    .map(move |fault| (game, fault))
            });
            for (game, fault) in told.take(TOLD) {
                let _ = writeln!(
                    text,
                    "  game {}.{} against {}: {}",
                    game.id.game / 2 + 1,
                    game.id.game % 2 + 1,
                    if game.white == row.name {
                        &game.black
                    } else {
                        &game.white
                    },
                    fault.detail,
                );
            }
        }
    }
}
