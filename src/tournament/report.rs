//! The outcome of a match as JSON: all figures of the table, and every game, so
//! that matches played on several machines can be merged into one table.

use std::{collections::HashSet, path::Path};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{
    engine::EngineSpec,
    record::{GameId, GameRecord},
    sprt::{Sprt, SprtStatus},
    standings::Standings,
    time_control::Limits,
};

/// What a report calls itself.
const KIND: &str = "fission-match";

/// Changes when older readers would misunderstand a report.
const VERSION: u32 = 1;

/// An engine as it played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineEntry {
    /// Name in the games.
    pub name: String,
    /// How it was started, and its own settings.
    #[serde(flatten)]
    pub settings: EngineSettings,
}

/// How an engine was started and what it was allowed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EngineSettings {
    /// Program and arguments.
    pub command: Vec<String>,
    /// UCI options of its own.
    pub options: Vec<(String, String)>,
    /// Its limits.
    pub limits: Limits,
}

impl EngineEntry {
    /// The engine `spec` under the name it got, with `limits` of the match where
    /// it has none of its own.
    #[must_use]
    pub fn new(name: &str, spec: &EngineSpec, limits: Limits) -> EngineEntry {
        EngineEntry {
            name: name.to_owned(),
            settings: EngineSettings {
                command: spec.command.clone(),
                options: spec.options.clone(),
                limits: spec.limits.or(limits),
            },
        }
    }
}

/// A match: figures and games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Always `fission-match`.
    pub kind: String,
    /// Version of this layout.
    pub version: u32,
    /// Value of `UCI_Variant`.
    pub variant: String,
    /// Engines in the order of the match.
    pub engines: Vec<EngineEntry>,
    /// Whether all planned games were played or the test was decided.
    pub complete: bool,
    /// Seconds of play, times the games that were played at a time.
    pub slot_seconds: f64,
    /// Seconds that the engines thought on their own clocks.
    pub thinking_seconds: f64,
    /// Seconds that the engines took to start and to get ready for games.
    pub preparing_seconds: f64,
    /// The test, if there was one.
    pub sprt: Option<SprtStatus>,
    /// All figures.
    pub standings: Standings,
    /// All games.
    pub games: Vec<GameRecord>,
}

/// Why reports cannot be read or merged.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The file is not a report.
    #[error("'{path}' is not the JSON of a match: {why}")]
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// The rules differ.
    #[error("'{path}' was played by {variant}, the reports before it by {expected}")]
    Variant {
        /// The file.
        path: String,
        /// Its rules.
        variant: String,
        /// The rules of the others.
        expected: String,
    },
    /// The same game comes twice.
    #[error("'{path}' repeats games of a report before it; each report may be merged once")]
    Repeated {
        /// The file.
        path: String,
    },
    /// Nothing to merge.
    #[error("there are no reports to merge")]
    Nothing,
}

impl Report {
    /// Works out all figures from games.
    #[must_use]
    pub fn new(
        variant: &str,
        engines: Vec<EngineEntry>,
        games: Vec<GameRecord>,
        sprt: Option<Sprt>,
    ) -> Report {
        let names = Vec::from_iter(engines.iter().map(|engine| engine.name.clone()));
        let standings = Standings::new(&names, &games);
        let pairs = standings
            .encounters
            .first()
            .map(|row| row.pentanomial)
            .unwrap_or_default();
        Report {
            kind: KIND.to_owned(),
            version: VERSION,
            variant: variant.to_owned(),
            complete: false,
            slot_seconds: 0.0,
            preparing_seconds: games.iter().map(|game| game.preparing_seconds).sum(),
            thinking_seconds: standings.engines.iter().map(|engine| engine.seconds).sum(),
            sprt: sprt.map(|sprt| sprt.status(&pairs)),
            engines,
            standings,
            games,
        }
    }

    /// Reads a report; `path` names it in errors.
    ///
    /// # Errors
    ///
    /// When the text is not a report of this version.
    pub fn read(path: &Path, text: &str) -> Result<Report, ReportError> {
        let unreadable = |why: String| ReportError::Unreadable {
            path: path.display().to_string(),
            why,
        };
        let report: Report =
            serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        if report.kind != KIND || report.version != VERSION {
            let Report { kind, version, .. } = report;
            let why = format!("it is {kind} version {version}, expected {KIND} version {VERSION}");
            return Err(unreadable(why));
        }
        Ok(report)
    }

    /// Joins matches between engines of the same names into one. A test goes on
    /// over all games when every report has the same; `sprt` replaces it.
    ///
    /// # Errors
    ///
    /// When the rules differ or a game is in more than one report.
    pub fn merge(
        reports: Vec<(String, Report)>,
        sprt: Option<Sprt>,
    ) -> Result<Report, ReportError> {
        let Some((_, first)) = reports.first() else {
            return Err(ReportError::Nothing);
        };
        let variant = first.variant.clone();
        let common = first.sprt.map(|status| status.test);
        let all_same = reports
            .iter()
            .all(|(_, report)| report.sprt.map(|status| status.test) == common);
        let sprt = sprt.or(common.filter(|_| all_same));
        let mut engines: Vec<EngineEntry> = Vec::new();
        let mut games: Vec<GameRecord> = Vec::new();
        let mut seen: HashSet<(String, GameId)> = HashSet::new();
        let (mut complete, mut slot_seconds) = (true, 0.0);
        for (path, report) in reports {
            if report.variant != variant {
                let expected = variant;
                return Err(ReportError::Variant {
                    path,
                    variant: report.variant,
                    expected,
                });
            }
            for engine in report.engines {
                if engines.iter().all(|known| known.name != engine.name) {
                    engines.push(engine);
                }
            }
            for game in report.games {
                if !seen.insert((game.run.clone(), game.id)) {
                    return Err(ReportError::Repeated { path });
                }
                games.push(game);
            }
            complete &= report.complete;
            slot_seconds += report.slot_seconds;
        }
        let sprt = sprt.filter(|_| engines.len() == 2);
        Ok(Report {
            complete,
            slot_seconds,
            ..Report::new(&variant, engines, games, sprt)
        })
    }

    /// Engines whose limits or options differ between reports, by name: their
    /// games can be merged, but may not measure the same thing.
    #[must_use]
    pub fn unlike_engines(reports: &[(String, Report)]) -> Vec<String> {
        let all = Vec::from_iter(reports.iter().flat_map(|(_, report)| &report.engines));
        let mut names = Vec::new();
        for engine in &all {
            let unlike = all.iter().any(|other| {
                other.name == engine.name
                    && (other.settings.limits != engine.settings.limits
                        || other.settings.options != engine.settings.options)
            });
            if unlike && !names.contains(&engine.name) {
                names.push(engine.name.clone());
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{
        record::{EndKind, Outcome},
        statistics::{Pentanomial, Tally},
    };

    fn report(run: &str, results: &[Outcome]) -> (String, Report) {
        let engine = |name: &str| EngineEntry::new(name, &EngineSpec::default(), Limits::default());
        let games = results.iter().zip(0..).map(|(&result, game)| GameRecord {
            run: run.to_owned(),
            id: GameId { pairing: 0, game },
            white: if game % 2 == 0 { "a" } else { "b" }.to_owned(),
            black: if game % 2 == 0 { "b" } else { "a" }.to_owned(),
            opening: String::new(),
            result,
            end: EndKind::Rules,
            reason: String::new(),
            plies: 1,
            white_seconds: 0.5,
            black_seconds: 0.5,
            preparing_seconds: 0.25,
            faults: Vec::new(),
        });
        let sprt = Sprt::from_words(&["elo0=0", "elo1=10"]).unwrap();
        let report = Report::new(
            "atomic",
            vec![engine("a"), engine("b")],
            games.collect(),
            Some(sprt),
        );
        (format!("{run}.json"), report)
    }

    #[test]
    fn merged_reports_count_as_one_match() {
        use Outcome::{BlackWins, Draw, WhiteWins};
        let reports = vec![
            report("x", &[WhiteWins, BlackWins]),
            report("y", &[WhiteWins, WhiteWins, Draw, Draw]),
        ];
        let merged = Report::merge(reports, None).unwrap();
        let row = &merged.standings.encounters[0];
        assert_eq!(
            row.tally,
            Tally {
                wins: 3,
                losses: 1,
                draws: 2
            }
        );
        assert_eq!(row.pentanomial, Pentanomial([0, 0, 2, 0, 1]));
        assert_eq!(merged.thinking_seconds, 6.0);
        let pairs = Pentanomial([0, 0, 2, 0, 1]);
        let status = merged.sprt.unwrap();
        assert_eq!(status, status.test.status(&pairs));
        let text = serde_json::to_string(&merged).unwrap();
        let read = Report::read(Path::new("m.json"), &text).unwrap();
        assert_eq!((read.games, read.engines), (merged.games, merged.engines));
    }

    #[test]
    fn a_report_is_not_counted_twice() {
        let once = report("x", &[Outcome::Draw]);
        let error = Report::merge(vec![once.clone(), once], None).unwrap_err();
        assert!(error.to_string().contains("x.json"), "{error}");
    }

    #[test]
    fn other_json_is_refused() {
        for text in ["", "{}", "[1]"] {
            let error = Report::read(Path::new("x.json"), text).unwrap_err();
            assert!(error.to_string().contains("x.json"), "{error}");
        }
    }
}
