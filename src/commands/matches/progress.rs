//! What a match says while it runs: faults as they occur, and on a terminal one
//! line that changes with every game.

use std::{
    io::{IsTerminal, Write, stderr},
    time::{Duration, Instant},
};

use fission::tournament::{runner::Finished, sprt::Sprt, standings::Standings, table};

/// Shows the state of a match on standard error.
pub struct Progress<'a> {
    names: &'a [String],
    sprt: Option<Sprt>,
    started: Instant,
    /// Games finished before this session, once known.
    before: Option<usize>,
    live: bool,
}

impl Progress<'_> {
    /// Nothing is shown before the first game ends.
    pub fn new(names: &[String], sprt: Option<Sprt>) -> Progress<'_> {
        Progress {
            names,
            sprt,
            started: Instant::now(),
            before: None,
            live: stderr().is_terminal(),
        }
    }

    /// Takes in a finished game.
    pub fn show(&mut self, finished: &Finished<'_>) {
        for fault in &finished.record.faults {
            self.clear();
            note(&format!("{}: {}", fault.engine, fault.detail));
        }
        if self.live {
            let line = self.line(finished);
            write(&format!("\r{line}\x1b[K"));
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        if self.live {
            write("\r\x1b[K");
        }
    }

    fn line(&mut self, finished: &Finished<'_>) -> String {
        let played = finished.games.len();
        let before = *self.before.get_or_insert(played - 1);
        let mut parts = vec![format!("{played}/{}", finished.total)];
        let standings = Standings::new(self.names, finished.games);
        if let [row] = standings.encounters.as_slice() {
            let tally = row.tally;
            parts.push(format!(
                "{} +{} -{} ={}",
                row.first, tally.wins, tally.losses, tally.draws
            ));
            parts.push(format!("Elo {}", table::elo(&row.estimate)));
            if let Some(sprt) = self.sprt {
                let status = sprt.status(&row.pentanomial);
                parts.push(format!(
                    "LLR {:.2} ({:.2}, {:.2})",
                    status.llr, status.lower, status.upper
                ));
            }
        } else if let Some(leader) = standings
            .engines
            .iter()
            .max_by(|a, b| a.tally.points().total_cmp(&b.tally.points()))
        {
            parts.push(format!(
                "{} leads with {}",
                leader.name,
                leader.tally.points()
            ));
        }
        let each = self.started.elapsed() / (played - before).max(1) as u32;
        let left = each * finished.total.saturating_sub(played) as u32;
        parts.push(format!("{} left", clock(left)));
        parts.join(" | ")
    }
}

/// Says something in a line of its own.
pub fn note(text: &str) {
    write(&format!("{text}\n"));
}

/// A match goes on when nobody can read what it says.
fn write(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// A time as hours and minutes, or minutes and seconds.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds >= 3600 {
        format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60)
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}
