//! A chess clock with increments.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, Instant},
};

use shakmaty::{ByColor, Color};
use thiserror::Error;

/// Time for the whole game and time added after each move.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct ClockSetting {
    /// Time for the game.
    pub base: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// Text that sets no clock.
#[derive(Clone, Debug, Eq, PartialEq, Error)]
#[error("{0:?} sets no clock: write minutes, as 3, or minutes and seconds a move, as 3+2")]
pub struct ClockError(String);

impl FromStr for ClockSetting {
    type Err = ClockError;

    /// Reads minutes, as `3`, or minutes and seconds a move, as `3+2`.
    fn from_str(text: &str) -> Result<ClockSetting, ClockError> {
        let number = |part: &str, most: f64| {
            part.trim()
                .parse::<f64>()
                .ok()
                .filter(|value| (0.0..=most).contains(value))
                .ok_or_else(|| ClockError(text.to_owned()))
        };
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let base = Duration::from_secs_f64(60.0 * number(minutes, 10_000.0)?);
        if base.is_zero() {
            return Err(ClockError(text.to_owned()));
        }
        Ok(ClockSetting {
            base,
            increment: Duration::from_secs_f64(number(seconds, 10_000.0)?),
        })
    }
}

impl fmt::Display for ClockSetting {
    /// As in the PGN tag `TimeControl`: seconds, as `180+2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}+{}",
            self.base.as_secs_f64(),
            self.increment.as_secs_f64()
        )
    }
}

impl ClockSetting {
    /// Reads the PGN tag `TimeControl`, as `180+2`.
    #[must_use]
    pub fn from_tag(text: &str) -> Option<ClockSetting> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let seconds = |part: &str| Duration::try_from_secs_f64(part.parse().ok()?).ok();
        Some(ClockSetting {
            base: seconds(base)?,
            increment: seconds(increment)?,
        })
    }
}

/// Both clocks, of which at most one runs.
#[derive(Clone, Debug)]
pub struct Clock {
    setting: ClockSetting,
    left: ByColor<Duration>,
    running: Option<(Color, Instant)>,
}

impl Clock {
    /// Both clocks full, none running.
    #[must_use]
    pub fn new(setting: ClockSetting) -> Clock {
        Clock {
            setting,
            left: ByColor::new_with(|_| setting.base),
            running: None,
        }
    }

    /// How it was set.
    #[must_use]
    pub const fn setting(&self) -> ClockSetting {
        self.setting
    }

    /// Starts one clock and stops the other.
    pub fn start(&mut self, color: Color, now: Instant) {
        self.stop(now);
        self.running = Some((color, now));
    }

    /// Stops both.
    pub fn stop(&mut self, now: Instant) {
        self.left = ByColor::new_with(|color| self.left(color, now));
        self.running = None;
    }

    /// Adds the increment of one move.
    pub fn add_increment(&mut self, color: Color) {
        *self.left.get_mut(color) += self.setting.increment;
    }

    /// Time left.
    #[must_use]
    pub fn left(&self, color: Color, now: Instant) -> Duration {
        let left = *self.left.get(color);
        match self.running {
            Some((running, since)) if running == color => {
                left.saturating_sub(now.saturating_duration_since(since))
            }
            _ => left,
        }
    }

    /// Sets the time left of a side.
    pub fn set(&mut self, color: Color, left: Duration) {
        *self.left.get_mut(color) = left;
    }
}

/// Time as on a clock: `2:59`, below twenty seconds with tenths, `0:19.3`.
#[must_use]
pub fn face(left: Duration) -> String {
    let tenths = left.as_millis() / 100;
    let (minutes, seconds) = (tenths / 600, tenths / 10 % 60);
    if tenths < 200 {
        format!("{minutes}:{seconds:02}.{}", tenths % 10)
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_minutes_and_seconds() {
        let setting: ClockSetting = "3+2".parse().expect("a setting");
        assert_eq!(setting.to_string(), "180+2");
        assert_eq!(ClockSetting::from_tag("180+2"), Some(setting));
        assert_eq!(
            "1".parse::<ClockSetting>().expect("one").to_string(),
            "60+0"
        );
        for bad in ["", "0", "x", "-3", "3+x", "nan", "1e99"] {
            assert!(bad.parse::<ClockSetting>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_running_clock_loses_time() {
        let start = Instant::now();
        let mut clock = Clock::new("1+2".parse().expect("a setting"));
        clock.start(Color::White, start);
        let later = start + Duration::from_secs(10);
        assert_eq!(clock.left(Color::White, later), Duration::from_secs(50));
        assert_eq!(clock.left(Color::Black, later), Duration::from_secs(60));
        clock.stop(later);
        clock.add_increment(Color::White);
        let end = start + Duration::from_secs(1000);
        assert_eq!(clock.left(Color::White, end), Duration::from_secs(52));
        clock.start(Color::Black, later);
        assert!(clock.left(Color::Black, end).is_zero());
    }

    #[test]
    fn faces_show_tenths_when_it_matters() {
        assert_eq!(face(Duration::from_millis(179_900)), "2:59");
        assert_eq!(face(Duration::from_millis(19_340)), "0:19.3");
    }
}
