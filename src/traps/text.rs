//! A trap as PGN: its name and what the comments say, from facts alone.

use shakmaty::{Color, Move};

use super::{BLUNDER, Proof};
use crate::{
    diagram,
    games::{line, pgn},
    rules::{Legality, Position, Ruleset, blast, legality, movegen},
};

/// Moves of the way to the mistake that a name shows.
const PATH: usize = 3;

/// A mistake found, not yet written.
#[derive(Clone, Debug)]
pub struct Found {
    /// The moves from the start of the game, the mistake last.
    pub line: Vec<Move>,
    /// The refutation against the longest defence.
    pub refutation: Vec<Move>,
    /// Other replies to the first move of the refutation, and what follows.
    pub replies: Vec<Vec<Move>>,
    /// How the win is known.
    pub proof: Proof,
}

impl Found {
    /// The trap as a game of PGN.
    #[must_use]
    pub fn pgn(&self) -> String {
        let start = Position::startpos(Ruleset::Lichess);
        let name = self.name(&start);
        let proof = self.proof.to_string();
        let winner = Color::from_white(self.line.len().is_multiple_of(2));
        let result = winner.fold_wb("1-0", "0-1");
        let mut text = pgn::tags([
            ("Event", name.as_str()),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "-"),
            ("White", "?"),
            ("Black", "?"),
            ("Result", result),
            ("Variant", pgn::variant(Ruleset::Lichess)),
            ("Proof", &proof),
        ]);
        let mut moves = pgn::Movetext::default();
        let mut position = start;
        for (index, &m) in self.line.iter().enumerate() {
            moves.play(&position, &position.san(m));
            position.play(m);
            if index + 1 == self.line.len() {
                moves.nag(BLUNDER);
            }
        }
        for (index, &m) in self.refutation.iter().enumerate() {
            moves.play(&position, &position.san(m));
            let before = position.clone();
            position.play(m);
            match index {
                0 => {
                    let words = self.comment(&before, m, &position);
                    if !words.is_empty() {
                        moves.comment(&words);
                    }
                }
                1 => {
                    for reply in &self.replies {
                        moves.variation(&line::numbered(&before, reply));
                    }
                }
                _ => {}
            }
        }
        text.push_str(&moves.end(result));
        text
    }

    /// The opening, the mistake, and where the blow falls.
    fn name(&self, start: &Position) -> String {
        let opening = start.san(self.line[0]);
        let family = family(&opening);
        let before = self.line.len() - 1;
        let mut position = start.clone();
        for &m in &self.line[..before] {
            position.play(m);
        }
        let sidelines = Vec::from_iter(self.line[1..before].iter().scan(
            start.after(self.line[0]),
            |current, &m| {
                let san = current.san(m);
                current.play(m);
                Some(san)
            },
        ));
        let mistake = line::numbered(&position, &self.line[before..]);
        let blow = self
            .refutation
            .last()
            .map(|&m| format!("{} to {}", diagram::role_name(m.role()), m.to()))
            .unwrap_or_default();
        let shown = sidelines.len().min(PATH);
        let path = match &sidelines[..shown] {
            [] => String::new(),
            path if shown < sidelines.len() => format!(" with {}...", path.join(" ")),
            path => format!(" with {}", path.join(" ")),
        };
        format!("{family}{path}: {mistake} and {blow}")
    }

    /// What the first move of the refutation does.
    fn comment(&self, before: &Position, m: Move, after: &Position) -> String {
        let mut facts = Vec::new();
        if after.king_is_gone() {
            facts.push("The king explodes.".to_owned());
        } else if after.is_check() {
            facts.push("Check.".to_owned());
        } else if let Some(blow) = movegen::king_blast(after, before.turn()) {
            let san = after.after_null().san(blow);
            facts.push(format!("Threatens {san}."));
        }
        if !after.king_is_gone() && cannot_be_taken(after, m) {
            facts.push(format!(
                "Taking the {} is illegal: the blast would reach the king as well.",
                diagram::role_name(m.role())
            ));
        }
        if let Proof::Win(moves) = self.proof
            && !after.king_is_gone()
        {
            facts.push(format!("Wins by force in {moves}."));
        }
        facts.join(" ")
    }
}

/// Whether the man that played `m` is attacked but stands where no capture is
/// legal.
fn cannot_be_taken(position: &Position, m: Move) -> bool {
    let board = position.board();
    let us = position.turn();
    let attacked = legality::attackers(board, m.to(), us, board.occupied()).any();
    let king_attacks = position
        .king(us)
        .is_some_and(|king| blast::zone(king).contains(m.to()));
    (attacked || king_attacks) && blast::fatal_centers(board, us).contains(m.to()) && {
        let legality = Legality::new(position);
        let mut possible = false;
        movegen::captures(position, |capture| {
            possible |= capture.to() == m.to() && legality.allows(capture);
        });
        !possible
    }
}

/// What chess calls the opening that begins with this move.
fn family(first: &str) -> &str {
    match first {
        "Nf3" => "Knight's Opening",
        "Nc3" => "Dunst Opening",
        "Nh3" => "Amar Opening",
        "Na3" => "Durkin Opening",
        "e4" => "King's Pawn",
        "d4" => "Queen's Pawn",
        "c4" => "English Opening",
        "b4" => "Polish Opening",
        "g4" => "Grob",
        "f4" => "Bird's Opening",
        "b3" => "Larsen's Opening",
        "g3" => "Hungarian Opening",
        "e3" => "Van 't Kruijs Opening",
        "d3" => "Mieses Opening",
        "c3" => "Saragossa Opening",
        "a3" => "Anderssen's Opening",
        "a4" => "Ware Opening",
        "h4" => "Kadas Opening",
        "h3" => "Clemenz Opening",
        "f3" => "Barnes Opening",
        other => other,
    }
}
