//! What makes two sessions the same match.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    time::Duration,
};

use serde::Serialize;

use super::{
    adjudication::Adjudication, engine::EngineSpec, runner::MatchConfig, sprt::Sprt,
    time_control::Limits,
};

/// The settings that must stay the same when a match is resumed. Not among them:
/// the number of games, so that a match can be prolonged, and concurrency.
#[derive(Clone, Debug, Serialize)]
pub struct Settings<'a> {
    engines: &'a [EngineSpec],
    format: String,
    /// Count and hash of the openings in their order, which stands for file, seed
    /// and plies.
    openings: String,
    variant: &'static str,
    chess960: bool,
    options: &'a [(String, String)],
    limits: Limits,
    ponder: bool,
    margin: Duration,
    adjudication: &'a Adjudication,
    sprt: Option<Sprt>,
}

impl Settings<'_> {
    /// Those of `config`.
    #[must_use]
    pub fn new(config: &MatchConfig) -> Settings<'_> {
        let mut hasher = DefaultHasher::new();
        for opening in &config.openings {
            opening.describe().hash(&mut hasher);
        }
        Settings {
            engines: &config.engines,
            format: config.format.to_string(),
            openings: format!("{} ({:016x})", config.openings.len(), hasher.finish()),
            variant: config.ruleset.uci_name(),
            chess960: config.chess960,
            options: &config.options,
            limits: config.limits,
            ponder: config.ponder,
            margin: config.margin,
            adjudication: &config.adjudication,
            sprt: config.sprt,
        }
    }
}
