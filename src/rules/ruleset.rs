//! The two sets of rules that servers play.
//!
//! Lichess and FICS know check and mate; ICC does not, and a game there ends
//! only when a king explodes. Blasts are the same under both.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// Which server's rules decide what is legal.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq, Hash)]
pub enum Ruleset {
    /// Lichess and FICS: a king may not be left in check, unless the kings
    /// touch.
    #[default]
    Lichess,
    /// ICC: there is no check; only a blast on one's own king is illegal.
    Icc,
}

impl Ruleset {
    /// Both rulesets, the default first.
    pub const ALL: [Ruleset; 2] = [Ruleset::Lichess, Ruleset::Icc];

    /// The value of the UCI option `UCI_Variant` that stands for these rules.
    pub const fn uci_name(self) -> &'static str {
        match self {
            Ruleset::Lichess => "atomic",
            Ruleset::Icc => "nocheckatomic",
        }
    }

    /// Whether a king must answer attacks on it.
    pub const fn has_check(self) -> bool {
        matches!(self, Ruleset::Lichess)
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.uci_name())
    }
}

/// The text names no ruleset.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("unknown ruleset {0:?}: expected atomic or nocheckatomic")]
pub struct UnknownRuleset(pub String);

impl FromStr for Ruleset {
    type Err = UnknownRuleset;

    /// Reads `atomic` or `nocheckatomic` in any letter case.
    fn from_str(text: &str) -> Result<Ruleset, UnknownRuleset> {
        Ruleset::ALL
            .into_iter()
            .find(|ruleset| ruleset.uci_name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| UnknownRuleset(text.to_owned()))
    }
}
