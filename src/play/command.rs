//! What a player may type.

use shakmaty::{Color, Move, Role, Square};

use crate::{
    games::line,
    rules::{MoveError, Position},
};

/// One line of input, understood.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Command {
    /// Nothing.
    Nothing,
    /// Play this move.
    Play(Move),
    /// A pawn reaches the last rank; these are the moves to choose from.
    Promote(Vec<Move>),
    /// Show the board.
    Board,
    /// Show the legal moves, of one square or all.
    Moves(Option<Square>),
    /// Suggest a move.
    Hint,
    /// Take back the last move.
    Undo,
    /// Judge the position.
    Eval,
    /// Give up.
    Resign,
    /// Offer a draw or accept one.
    Draw,
    /// Turn the board.
    Flip,
    /// Show the FEN.
    Fen,
    /// Save and leave.
    Quit,
    /// List the commands.
    Help,
    /// Not understood.
    Wrong(MoveError),
}

/// The commands in words.
pub const HELP: &str = "\
a move         as Nf3, exd5, O-O or e2e4
moves          all legal moves; moves e2, or e2 alone, those of one square
hint           what the engine would play
undo           take back your last move
eval           what the engine thinks of the position
draw           offer a draw, or accept one
resign         give up
board          show the board again; flip turns it
fen            show the position as FEN
quit           save and leave; fission play --continue goes on
";

impl Command {
    /// Reads a line in a position.
    #[must_use]
    pub fn parse(text: &str, position: &Position) -> Command {
        let text = text.trim();
        let mut words = text.split_whitespace();
        let (first, second) = (words.next().unwrap_or(""), words.next());
        let square = |word: &str| word.trim_end_matches('?').parse::<Square>().ok();
        match (first.to_ascii_lowercase().as_str(), second) {
            ("", _) => Command::Nothing,
            ("board" | "show", None) => Command::Board,
            ("moves", None) => Command::Moves(None),
            ("moves", Some(word)) if square(word).is_some() => Command::Moves(square(word)),
            ("hint", None) => Command::Hint,
            ("undo" | "back", None) => Command::Undo,
            ("eval", None) => Command::Eval,
            ("resign", None) => Command::Resign,
            ("draw", None) => Command::Draw,
            ("flip", None) => Command::Flip,
            ("fen", None) => Command::Fen,
            ("quit" | "exit", None) => Command::Quit,
            ("help" | "?", None) => Command::Help,
            (word, None) if word.ends_with('?') && square(word).is_some() => {
                Command::Moves(square(word))
            }
            _ => parse_move(text, position),
        }
    }
}

fn parse_move(text: &str, position: &Position) -> Command {
    let error = match line::parse_move(position, text) {
        Ok(m) => return Command::Play(m),
        Err(error) => error,
    };
    if let Ok(square) = text.parse::<Square>()
        && position.us().contains(square)
    {
        return Command::Moves(Some(square));
    }
    // `e8`, `dxe8` or `e7e8`, but which piece?
    let choices: Vec<Move> = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight]
        .into_iter()
        .filter_map(|role| {
            let bare = text.trim_end_matches(['+', '#', '=']);
            let san = format!("{bare}={}", role.upper_char());
            let uci = format!("{bare}{}", role.char());
            position
                .parse_san(&san)
                .or_else(|_| position.parse_uci(&uci))
                .ok()
        })
        .collect();
    if choices.is_empty() {
        Command::Wrong(error)
    } else {
        Command::Promote(choices)
    }
}

/// The piece that an answer to `Promote to?` names, among the moves offered.
#[must_use]
pub fn chosen_promotion(answer: &str, choices: &[Move]) -> Option<Move> {
    let answer = answer.trim().to_ascii_lowercase();
    choices.iter().copied().find(|m| {
        m.promotion().is_some_and(|role| {
            let name = crate::diagram::role_name(role);
            answer == name || answer == role.char().to_string()
        })
    })
}

/// Reads `white`, `black` or `random`.
///
/// # Errors
///
/// A sentence that says what would be right.
pub fn parse_side(text: &str) -> Result<Option<Color>, String> {
    match text.to_ascii_lowercase().as_str() {
        "white" | "w" => Ok(Some(Color::White)),
        "black" | "b" => Ok(Some(Color::Black)),
        "random" => Ok(None),
        _ => Err("expected white, black or random".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;

    #[test]
    fn moves_come_in_either_notation_and_commands_in_any_case() {
        let start = Position::startpos(Ruleset::Lichess);
        let e4 = start.parse_san("e4").expect("legal");
        for text in ["e4", "e2e4", " e2e4 "] {
            assert_eq!(Command::parse(text, &start), Command::Play(e4));
        }
        assert_eq!(Command::parse("HINT", &start), Command::Hint);
        for text in ["moves e2", "e2?", "e2"] {
            assert_eq!(
                Command::parse(text, &start),
                Command::Moves(Some(Square::E2))
            );
        }
        assert!(matches!(Command::parse("e5", &start), Command::Wrong(_)));
        assert!(matches!(
            Command::parse("resign now", &start),
            Command::Wrong(_)
        ));
    }

    #[test]
    fn a_promotion_without_piece_is_asked_for() {
        let fen = "8/4P3/8/8/8/k7/8/K7 w - - 0 1";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("test FEN");
        for text in ["e8", "e7e8", "e8="] {
            let Command::Promote(choices) = Command::parse(text, &position) else {
                panic!("{text} must ask");
            };
            assert_eq!(choices.len(), 4);
            let knight = chosen_promotion("Knight", &choices).expect("a knight");
            assert_eq!(position.san(knight), "e8=N");
            assert_eq!(chosen_promotion("n", &choices), Some(knight));
            assert_eq!(chosen_promotion("king", &choices), None);
        }
        assert!(matches!(
            Command::parse("e8=R", &position),
            Command::Play(_)
        ));
    }
}
