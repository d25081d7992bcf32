//! The evaluation told term by term.

use std::fmt;

use shakmaty::Color;

use super::{material::FULL_PHASE, scaling, score::Score};

/// A part of the evaluation.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Term {
    Material,
    Placement,
    Mobility,
    KingZone,
    Shelter,
    Contact,
    PassedPawns,
    Tempo,
}

impl Term {
    /// All terms, in the order in which a trace prints them.
    pub const ALL: [Term; 8] = [
        Term::Material,
        Term::Placement,
        Term::Mobility,
        Term::KingZone,
        Term::Shelter,
        Term::Contact,
        Term::PassedPawns,
        Term::Tempo,
    ];

    const fn name(self) -> &'static str {
        match self {
            Term::Material => "Material",
            Term::Placement => "Placement",
            Term::Mobility => "Mobility",
            Term::KingZone => "Enemy king's zone",
            Term::Shelter => "Own king's shelter",
            Term::Contact => "Kings in contact",
            Term::PassedPawns => "Passed pawns",
            Term::Tempo => "Tempo",
        }
    }
}

/// Listens while the evaluation adds up its terms.
pub trait Tracer {
    /// `color` was given `score` for `term`.
    fn term(&mut self, term: Term, color: Color, score: Score);
    /// The sum counts as a middlegame to `phase` of [`FULL_PHASE`], and
    /// `scale` of [`scaling::FULL`] of it remains.
    fn scaled(&mut self, phase: i32, scale: i32);
}

/// Listens to nothing and costs nothing.
pub struct Silent;

impl Tracer for Silent {
    #[inline]
    fn term(&mut self, _: Term, _: Color, _: Score) {}
    #[inline]
    fn scaled(&mut self, _: i32, _: i32) {}
}

/// Every term of the evaluation of a position. It displays as a table.
#[derive(Clone, Debug)]
pub struct Trace {
    terms: [[Score; 2]; Term::ALL.len()],
    phase: i32,
    scale: i32,
    total: i32,
}

impl Trace {
    pub(super) const EMPTY: Trace = Trace {
        terms: [[Score::ZERO; 2]; Term::ALL.len()],
        phase: FULL_PHASE,
        scale: scaling::FULL,
        total: 0,
    };

    pub(super) const fn with_total(mut self, total: i32) -> Trace {
        self.total = total;
        self
    }

    /// What `color` gets for `term`.
    #[must_use]
    pub const fn term(&self, term: Term, color: Color) -> Score {
        self.terms[term as usize][color as usize]
    }

    /// How much of the middlegame is left, from 0 to [`FULL_PHASE`].
    #[must_use]
    pub const fn phase(&self) -> i32 {
        self.phase
    }

    /// The share, of [`scaling::FULL`], of the sum that can be won.
    #[must_use]
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// The evaluation in centipawns, from White's point of view.
    #[must_use]
    pub const fn total(&self) -> i32 {
        self.total
    }
}

impl Tracer for Trace {
    fn term(&mut self, term: Term, color: Color, score: Score) {
        self.terms[term as usize][color as usize] += score;
    }

    fn scaled(&mut self, phase: i32, scale: i32) {
        self.phase = phase;
        self.scale = scale;
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = |centipawns: i32| f64::from(centipawns) / 100.0;
        let cells = |score: Score| {
            format!(
                "{:>7.2} {:>7.2}",
                pawns(score.middlegame()),
                pawns(score.endgame())
            )
        };
        writeln!(
            f,
            "{:<20} | {:^15} | {:^15} | {:^15}",
            "Term (in pawns)", "White", "Black", "Difference"
        )?;
        let columns = format!("{:>7} {:>7}", "mg", "eg");
        writeln!(f, "{:<20} | {columns} | {columns} | {columns}", "")?;
        let rule = "-".repeat(74);
        writeln!(f, "{rule}")?;
        let mut sums = [Score::ZERO; 2];
        for term in Term::ALL {
            let [white, black] = [Color::White, Color::Black].map(|color| self.term(term, color));
            sums[0] += white;
            sums[1] += black;
            writeln!(
                f,
                "{:<20} | {} | {} | {}",
                term.name(),
                cells(white),
                cells(black),
                cells(white - black)
            )?;
        }
        writeln!(f, "{rule}")?;
        writeln!(
            f,
            "{:<20} | {} | {} | {}",
            "Sum",
            cells(sums[0]),
            cells(sums[1]),
            cells(sums[0] - sums[1])
        )?;
        writeln!(f)?;
        writeln!(f, "Middlegame: {} of {FULL_PHASE}", self.phase)?;
        writeln!(f, "Scale: {} of {}", self.scale, scaling::FULL)?;
        write!(f, "Total: {:+.2} (White's side)", pawns(self.total))
    }
}
