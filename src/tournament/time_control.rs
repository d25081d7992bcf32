//! How long an engine may think: clocks, fixed times, depths and node counts.
//!
//! The referee owns the clock. Nothing here is special to atomic chess except
//! what happens when a flag falls, which [`super::game`] decides.

use std::{fmt, num::NonZeroU32, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Clock setting of one side, as in PGN: `40/60+0.6` gives 60 seconds for every
/// 40 moves and adds 0.6 seconds after each move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeControl {
    /// Moves in one session; `None` when the base time is for the whole game.
    pub moves: Option<NonZeroU32>,
    /// Time at the start, and again after every session.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// Text that is not a time control or a number of seconds.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' is not a time control: write seconds as 40/60+0.6 (moves/time+increment), 10+0.1, 60 or 1:30+1"
)]
pub struct TimeControlError(pub String);

/// Text that is not a positive number of seconds.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a time: write seconds, such as 0.5 or 10")]
pub struct SecondsError(pub String);

/// The longest time that is accepted, which keeps all sums far from overflow.
const LONGEST: f64 = 1e7;

/// Reads a number of seconds, such as `0.5`; zero is allowed.
///
/// # Errors
///
/// When the text is not a number, is negative or is absurdly long.
pub fn parse_seconds(text: &str) -> Result<Duration, SecondsError> {
    let error = || SecondsError(text.to_owned());
    let seconds: f64 = text.trim().parse().map_err(|_| error())?;
    if (0.0..=LONGEST).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(error())
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || TimeControlError(text.to_owned());
        let (moves, rest) = match text.trim().split_once('/') {
            Some((moves, rest)) => (Some(moves.parse().map_err(|_| error())?), rest),
            None => (None, text.trim()),
        };
        let (base, increment) = match rest.split_once('+') {
            Some((base, increment)) => (base, parse_seconds(increment).map_err(|_| error())?),
            None => (rest, Duration::ZERO),
        };
        let base = match base.split_once(':') {
            Some((minutes, seconds)) => {
                let minutes: u32 = minutes.parse().map_err(|_| error())?;
                parse_seconds(seconds).map_err(|_| error())?
                    + Duration::from_secs(u64::from(minutes.min(LONGEST as u32)) * 60)
            }
            None => parse_seconds(base).map_err(|_| error())?,
        };
        if base.is_zero() {
            return Err(error());
        }
        Ok(TimeControl {
            moves,
            base,
            increment,
        })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}", self.base.as_secs_f64())?;
        if !self.increment.is_zero() {
            write!(f, "+{}", self.increment.as_secs_f64())?;
        }
        Ok(())
    }
}

/// Everything that may limit one move. Limits add up: the engine stops at the
/// first one it meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Clock for the whole game.
    #[serde(with = "text", skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<TimeControl>,
    /// Fixed time for each move.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub move_time: Option<Duration>,
    /// Depth of each search in plies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
    /// Nodes of each search.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nodes: Option<u64>,
}

impl Limits {
    /// True when nothing ends a search.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Limits::default()
    }

    /// The limits named in `self`, and those of `other` only where `self` names
    /// none at all.
    #[must_use]
    pub fn or(self, other: Limits) -> Limits {
        if self.is_unlimited() { other } else { self }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(clock) = self.clock {
            parts.push(clock.to_string());
        }
        if let Some(time) = self.move_time {
            parts.push(format!("{} s a move", time.as_secs_f64()));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("depth {depth}"));
        }
        if let Some(nodes) = self.nodes {
            parts.push(format!("{nodes} nodes"));
        }
        f.write_str(&parts.join(", "))
    }
}

/// Reads and writes a time control in its text form.
mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::TimeControl;

    pub fn serialize<S: Serializer>(
        clock: &Option<TimeControl>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match clock {
            Some(clock) => serializer.collect_str(clock),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<TimeControl>, D::Error> {
        Option::<String>::deserialize(deserializer)?
            .map(|text| text.parse().map_err(D::Error::custom))
            .transpose()
    }
}

/// One side's running clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clock {
    control: TimeControl,
    remaining: Duration,
    moves_left: Option<u32>,
}

impl Clock {
    /// A full clock.
    #[must_use]
    pub fn new(control: TimeControl) -> Clock {
        Clock {
            control,
            remaining: control.base,
            moves_left: control.moves.map(NonZeroU32::get),
        }
    }

    /// Time left before the next move.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.remaining
    }

    /// Time added after each move.
    #[must_use]
    pub fn increment(&self) -> Duration {
        self.control.increment
    }

    /// Moves left to the next session, if there are sessions.
    #[must_use]
    pub fn moves_left(&self) -> Option<u32> {
        self.moves_left
    }

    /// Takes the time of one move off, then adds increment and session time.
    ///
    /// A move within the referee's margin may use more than what was left; the
    /// clock then starts again from zero.
    pub fn press(&mut self, used: Duration) {
        self.remaining = self.remaining.saturating_sub(used) + self.control.increment;
        if let (Some(left), Some(moves)) = (&mut self.moves_left, self.control.moves) {
            *left -= 1;
            if *left == 0 {
                *left = moves.get();
                self.remaining += self.control.base;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn time_controls_are_read_and_written() {
        for (text, moves, base, increment) in [
            ("40/60+0.6", NonZeroU32::new(40), 60_000, 600),
            ("10+0.1", None, 10_000, 100),
            ("0.1+0.001", None, 100, 1),
            ("60", None, 60_000, 0),
            ("40/60", NonZeroU32::new(40), 60_000, 0),
        ] {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(
                control,
                TimeControl {
                    moves,
                    base: ms(base),
                    increment: ms(increment)
                }
            );
            assert_eq!(control.to_string(), text);
        }
        let minutes: TimeControl = "1:30+1".parse().unwrap();
        assert_eq!(minutes.base, ms(90_000));
    }

    #[test]
    fn nonsense_is_refused_and_named() {
        for text in [
            "", "x", "10+", "+1", "0", "-3", "0/60", "40/", "1e99", "nan", "1:x",
        ] {
            let error = text.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().contains(&format!("'{text}'")));
        }
    }

    #[test]
    fn sessions_start_again() {
        let mut clock = Clock::new("2/10+1".parse().unwrap());
        clock.press(ms(4_000));
        assert_eq!(
            (clock.remaining(), clock.moves_left()),
            (ms(7_000), Some(1))
        );
        clock.press(ms(7_500));
        assert_eq!(
            (clock.remaining(), clock.moves_left()),
            (ms(11_000), Some(2))
        );
    }
}
