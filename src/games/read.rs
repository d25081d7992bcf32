//! Plays the games of a file through under the rules of atomic chess.

use std::{io::Cursor, ops::ControlFlow};

use pgn_reader::{Nag, Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};

use super::{Fault, Game, Place, Ply, Skipped, scan::Chunk};
use crate::rules::{MoveError, Position, Ruleset};

/// How games are understood.
#[derive(Copy, Clone, Debug, Default)]
pub struct Reading {
    /// Take games without the tag `Variant` for atomic chess under these rules.
    pub assume: Option<Ruleset>,
    /// What the user can do about games without that tag, told where they are
    /// skipped.
    pub advice: Option<&'static str>,
    /// The rules of positions, which do not name theirs.
    pub positions: Ruleset,
}

/// Plays one game through.
///
/// # Errors
///
/// [`Skipped`] if the game is not atomic chess or cannot be played; it names
/// the line.
pub fn game(file: &str, chunk: &Chunk, reading: Reading) -> Result<Game, Skipped> {
    let game = game_or_start(file, chunk, reading)?;
    if game.plies.is_empty() {
        return Err(Skipped {
            file: file.to_owned(),
            place: Place::Game(chunk.number, chunk.line),
            fault: Fault::NoMoves,
        });
    }
    Ok(game)
}

/// Plays one game through, which may have no moves yet.
///
/// # Errors
///
/// As [`game`].
pub fn game_or_start(file: &str, chunk: &Chunk, reading: Reading) -> Result<Game, Skipped> {
    let skipped = |line, fault| Skipped {
        file: file.to_owned(),
        place: Place::Game(chunk.number, line),
        fault,
    };
    // Another variant is the better reason: its moves are wrong for us anyway.
    let text = format!("{}\n{}\n", chunk.tags, chunk.movetext);
    let mut visitor = Player {
        reading,
        file,
        chunk,
    };
    let played = Reader::build(Cursor::new(&text))
        .set_supported_tag_line_length(chunk.tags.len() + 2)
        .set_supported_comment_length(chunk.movetext.len() + 2)
        .finish()
        .read_game(&mut visitor)
        .map_err(|error| skipped(chunk.line, Fault::Read(error.to_string())))?;
    let scanned = chunk.fault.clone();
    match (played, scanned) {
        (Some(Err((_, fault @ (Fault::NoVariant { .. } | Fault::OtherVariant(_))))), _) => {
            Err(skipped(chunk.line, fault))
        }
        (_, Some((line, fault))) => Err(skipped(line, fault)),
        (Some(Err((line, fault))), None) => Err(skipped(line, fault)),
        (Some(Ok(game)), None) => Ok(game),
        (None, None) => Err(skipped(chunk.line, Fault::NoMoves)),
    }
}

/// The ruleset that a value of the tag `Variant` names. Servers and programs
/// write it in many ways.
#[must_use]
pub fn ruleset_of(variant: &str) -> Option<Ruleset> {
    let name: String = variant
        .to_ascii_lowercase()
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric())
        .collect();
    match name.as_str() {
        "atomic" | "atom" | "atomicchess" | "atomic960" | "atomicchess960" => {
            Some(Ruleset::Lichess)
        }
        "nocheckatomic" | "wild27" | "w27" => Some(Ruleset::Icc),
        _ => None,
    }
}

struct Player<'a> {
    reading: Reading,
    file: &'a str,
    chunk: &'a Chunk,
}

impl Player<'_> {
    fn begin(&self, tags: Vec<(String, String)>) -> Result<Replay, (usize, Fault)> {
        let line = self.chunk.line;
        let tag = |name: &str| {
            tags.iter()
                .find(|(tag, _)| tag.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.as_str())
        };
        let ruleset = match tag("Variant") {
            Some(variant) => ruleset_of(variant)
                .ok_or_else(|| (line, Fault::OtherVariant(variant.to_owned())))?,
            None => {
                let advice = self.reading.advice;
                self.reading
                    .assume
                    .ok_or((line, Fault::NoVariant { advice }))?
            }
        };
        let start = match tag("FEN") {
            Some(fen) => {
                Position::from_fen(fen, ruleset).map_err(|error| (line, Fault::Fen(error)))?
            }
            None => Position::startpos(ruleset),
        };
        let result = tag("Result").unwrap_or("*").to_owned();
        Ok(Replay {
            branches: vec![Branch {
                before: None,
                now: start.clone(),
            }],
            moves_seen: 0,
            variation: String::new(),
            wrong: None,
            game: Game {
                file: self.file.to_owned(),
                number: self.chunk.number,
                line,
                tags,
                start,
                comments: Vec::new(),
                plies: Vec::new(),
                result,
                left_out: Vec::new(),
            },
        })
    }
}

/// The main line or a variation, as far as it was read.
struct Branch {
    /// The position before the last move, from which a variation starts.
    before: Option<Position>,
    now: Position,
}

/// A game in the making.
struct Replay {
    /// The main line, and the variations that are open.
    branches: Vec<Branch>,
    moves_seen: usize,
    /// The text of the outermost open variation.
    variation: String,
    /// What is wrong in it, and on which line.
    wrong: Option<(usize, MoveError)>,
    game: Game,
}

impl Replay {
    fn is_main(&self) -> bool {
        self.branches.len() == 1
    }

    fn write(&mut self, word: &str) {
        let glued = self.variation.is_empty() || self.variation.ends_with('(') || word == ")";
        if !glued {
            self.variation.push(' ');
        }
        self.variation.push_str(word);
    }

    /// Adds a move of a variation, with its number where one is needed.
    fn write_move(&mut self, san: &str) {
        let Some(branch) = self.branches.last() else {
            return;
        };
        let number = branch.now.fullmoves();
        let follows_move = branch.before.is_some() && !self.variation.ends_with(['}', ')']);
        if branch.now.turn().is_white() {
            self.write(&format!("{number}."));
        } else if !follows_move {
            self.write(&format!("{number}..."));
        }
        self.write(san);
    }

    fn take_comment(&mut self, words: String) {
        if !self.is_main() {
            self.write(&format!("{{{words}}}"));
        } else if let Some(ply) = self.game.plies.last_mut() {
            ply.comments.push(words);
        } else {
            self.game.comments.push(words);
        }
    }
}

type Output = Result<Game, (usize, Fault)>;

impl Visitor for Player<'_> {
    type Tags = Vec<(String, String)>;
    type Movetext = Replay;
    type Output = Output;

    fn begin_tags(&mut self) -> ControlFlow<Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Output> {
        tags.push((
            String::from_utf8_lossy(name).trim().to_owned(),
            value.decode_utf8_lossy().into_owned(),
        ));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Output, Replay> {
        match self.begin(tags) {
            Ok(replay) => ControlFlow::Continue(replay),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn san(&mut self, replay: &mut Replay, san: SanPlus) -> ControlFlow<Output> {
        let line = self.chunk.move_lines.get(replay.moves_seen);
        let line = line.copied().unwrap_or(self.chunk.line);
        replay.moves_seen += 1;
        let is_main = replay.is_main();
        if replay.wrong.is_some() {
            return ControlFlow::Continue(());
        }
        if !is_main {
            replay.write_move(&san.to_string());
        }
        let Some(branch) = replay.branches.last_mut() else {
            return ControlFlow::Continue(());
        };
        match branch.now.parse_san(&san.to_string()) {
            Ok(m) => {
                let after = branch.now.after(m);
                branch.before = Some(std::mem::replace(&mut branch.now, after));
                if is_main {
                    replay.game.plies.push(Ply {
                        m,
                        nags: Vec::new(),
                        comments: Vec::new(),
                        variations: Vec::new(),
                    });
                }
            }
            Err(error) if is_main => return ControlFlow::Break(Err((line, Fault::Move(error)))),
            Err(error) => replay.wrong = Some((line, error)),
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, replay: &mut Replay, nag: Nag) -> ControlFlow<Output> {
        if !replay.is_main() {
            replay.write(&nag.to_string());
        } else if let Some(ply) = replay.game.plies.last_mut() {
            ply.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, replay: &mut Replay, comment: RawComment<'_>) -> ControlFlow<Output> {
        let words = String::from_utf8_lossy(comment.0).trim().to_owned();
        if !words.is_empty() {
            replay.take_comment(words);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, replay: &mut Replay) -> ControlFlow<Output, Skip> {
        if !replay.is_main() {
            replay.write("(");
        }
        let before = replay
            .branches
            .last()
            .and_then(|branch| branch.before.clone());
        let Some(now) = before else {
            return ControlFlow::Break(Err((self.chunk.line, Fault::Parentheses)));
        };
        replay.branches.push(Branch { before: None, now });
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, replay: &mut Replay) -> ControlFlow<Output> {
        if replay.is_main() {
            return ControlFlow::Continue(());
        }
        replay.branches.pop();
        if !replay.is_main() {
            replay.write(")");
            return ControlFlow::Continue(());
        }
        let text = std::mem::take(&mut replay.variation);
        if let Some((line, error)) = replay.wrong.take() {
            replay.game.left_out.push(Skipped {
                file: self.file.to_owned(),
                place: Place::Game(self.chunk.number, line),
                fault: Fault::Variation(error),
            });
        } else if let Some(ply) = replay.game.plies.last_mut() {
            ply.variations.push(text);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, replay: &mut Replay, outcome: Outcome) -> ControlFlow<Output> {
        if replay.is_main() {
            replay.game.result = outcome.to_string();
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, replay: Replay) -> Output {
        Ok(replay.game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::scan::Scanner;

    fn read(text: &str) -> Vec<Result<Game, Skipped>> {
        read_with(text, Reading::default())
    }

    fn read_with(text: &str, reading: Reading) -> Vec<Result<Game, Skipped>> {
        let mut scanner = Scanner::new(text.as_bytes());
        std::iter::from_fn(|| scanner.next_game().expect("no read error"))
            .map(|chunk| game("x.pgn", &chunk, reading))
            .collect()
    }

    fn complaint(text: &str) -> String {
        read(text)
            .remove(0)
            .expect_err("a game to be skipped")
            .to_string()
    }

    #[test]
    fn a_game_keeps_what_was_written_about_it() {
        let text = "[White \"A\"]\n[Variant \"Atomic\"]\n\n{intro} 1. Nf3 $5 {[%clk 0:01:00]} d5? \
            (1... f6 {best (or) so} 2. e3 (2. d4 e6) 2... e6) 2. Ne5 f6 3. Nd7 1-0";
        let game = read(text).remove(0).expect("a game");
        assert_eq!(game.plies.len(), 5);
        assert_eq!(game.comments, ["intro"]);
        assert_eq!(game.plies[0].nags, [5]);
        assert_eq!(game.plies[0].comments, ["[%clk 0:01:00]"]);
        assert_eq!(game.plies[1].nags, [2]);
        assert_eq!(
            game.plies[1].variations,
            ["1... f6 {best (or) so} 2. e3 (2. d4 e6) 2... e6"]
        );
        assert_eq!(
            (game.result.as_str(), game.tag("white")),
            ("1-0", Some("A"))
        );
    }

    #[test]
    fn other_variants_are_named() {
        assert!(complaint("[Variant \"Crazyhouse\"]\n\n1. e4 *").contains("\"Crazyhouse\""));
        let untold = "[Event \"x\"]\n\n1. e4 *";
        assert!(complaint(untold).ends_with("no Variant tag, so it is standard chess"));
        let reading = Reading {
            advice: Some("do this"),
            ..Reading::default()
        };
        let told = read_with(untold, reading).remove(0).expect_err("skipped");
        assert!(told.to_string().ends_with("chess; do this"), "{told}");
        assert!(complaint("[Variant \"Crazyhouse\"]\n\n1. P@e4 *").contains("\"Crazyhouse\""));
        for name in [
            "atomic",
            "ATOMIC",
            "Atomic chess",
            "Wild/27",
            "nocheckatomic",
        ] {
            assert!(ruleset_of(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_wrong_move_is_told_with_its_line() {
        let told = complaint("[Variant \"Atomic\"]\n\n1. Nf3 d5\n2. Ne5 Nd6 *");
        assert!(told.contains("x.pgn: game 1, line 4: \"Nd6\""), "{told}");
        let fen = "[FEN \"4k3/8/8/8/8/8/8/R3K2R w - - 0 1\"]";
        let told = complaint(&format!("[Variant \"Atomic\"]\n{fen}\n\n1. R1 *"));
        assert!(told.contains("\"R1\""), "{told}");
        let fen = "[FEN \"4k3/p7/8/8/8/8/4K3/R6R w - - 0 1\"]";
        let told = complaint(&format!("[Variant \"Atomic\"]\n{fen}\n\n1. Rd1 *"));
        assert!(told.contains("more than one move"), "{told}");
        assert!(complaint("[Variant \"Atomic\"]\n[FEN \"x\"]\n\n1. e4 *").contains("FEN"));
    }

    #[test]
    fn a_wrong_variation_is_left_out_alone() {
        let game = read("[Variant \"Atomic\"]\n\n1. e4 (1. d4\nd9) (1. d4 Qd4) (1. c4) e5 *");
        assert!(
            game[0]
                .as_ref()
                .is_err_and(|error| error.to_string().contains("\"d9\""))
        );
        let game = read("[Variant \"Atomic\"]\n\n1. e4 (1. d4\nQd4) (1. c4) e5 *").remove(0);
        let game = game.expect("a game");
        assert_eq!(game.plies[0].variations, ["1. c4"]);
        assert!(
            game.left_out[0]
                .to_string()
                .contains("game 1, line 4: variation")
        );
    }

    #[test]
    fn an_unfinished_game_is_a_game() {
        let game = read("[Variant \"Atomic\"]\n\n1. e4 e5")
            .remove(0)
            .expect("a game");
        assert_eq!((game.plies.len(), game.result.as_str()), (2, "*"));
        assert!(complaint("[Variant \"Atomic\"]\n\n1-0").contains("no moves"));
    }
}
