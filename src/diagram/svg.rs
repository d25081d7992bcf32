//! Boards as SVG: our own plain shapes, no font needed but for coordinates.
//!
//! A blast is a glow on its squares; the men that it took are drawn as ghosts
//! where they stood.

use std::fmt::Write;

use shakmaty::{Color, File, Piece, Rank, Role, Square};

use super::Scene;

/// The side of a square.
const SQUARE: u32 = 45;
/// The border that holds the coordinates.
const BORDER: u32 = 18;
/// The side of a whole board with its border.
pub const SIDE: u32 = 8 * SQUARE + 2 * BORDER;
/// Room for a line of text below a board.
const CAPTION: u32 = 26;
/// The most boards side by side in a strip.
const COLUMNS: u32 = 4;

/// The parts of a man's shape: filled outlines, and lines on top of them.
struct Shape {
    body: &'static str,
    lines: &'static str,
}

const fn shape(role: Role) -> Shape {
    let (body, lines) = match role {
        Role::Pawn => (
            "M22.5 10a5.6 5.6 0 0 1 4 9.5h3l-2.4 4.5c.4 4.5 3.4 6.5 5.4 10.5h-20c2-4 5-6 5.4-10.5\
             l-2.4-4.5h3a5.6 5.6 0 0 1 4-9.5zM11.5 35h22v4h-22z",
            "M16.5 24h12",
        ),
        Role::Knight => (
            "M13 35c0-7.5 7-9 8.5-14.5c-3.5 1.5-5.5 2-7.5 5.5c-2.5 1.5-4.5 0-5-2.5c3.5-4.5 3.5-9 7-12.5\
             l.3-5.5 4.7 3.5c8.5.5 13.5 7.5 13.5 17.5l.5 8.5zM11 35.5h24v3.5h-24z",
            "M17.5 14.5v1.6M24.5 12.5c4.5 2.5 6.5 8 6.5 14",
        ),
        Role::Bishop => (
            "M22.5 5a2.7 2.7 0 0 1 1.9 4.6c4.6 3.9 7.1 8.4 7.1 12.4c0 3.5-2.5 5.5-4.5 7\
             l3 5.5h-15l3-5.5c-2-1.5-4.5-3.5-4.5-7c0-4 2.5-8.5 7.1-12.4a2.7 2.7 0 0 1 1.9-4.6zM11 35h23v4h-23z",
            "M22.5 15v8M18.7 18.5h7.6M17.5 29h10",
        ),
        Role::Rook => (
            "M12 8h5v4h3.5v-4h4v4h3.5v-4h5v8l-3.5 3.5v11l3 4h-20l3-4v-11l-3.5-3.5zM10.5 35h24v4h-24z",
            "M15.5 19.5h14M15.5 30.5h14",
        ),
        Role::Queen => (
            "M8.5 11.5l7.5 10.5 .5-14 6 13 6-13 .5 14 7.5-10.5-3.8 20 1.3 3h-23l1.3-3zM10.5 35h24v4h-24z",
            "M12.6 29h19.8",
        ),
        Role::King => (
            "M21.2 4h2.6v3h3v2.6h-3v4c2 .7 3 2.5 2.6 4.9c3.3-3.5 9.6-2.7 9.6 2.7c0 4.8-4.7 7-5.6 13.3h-15.8\
             c-.9-6.3-5.6-8.5-5.6-13.3c0-5.4 6.3-6.2 9.6-2.7c-.4-2.4.6-4.2 2.6-4.9v-4h-3v-2.6h3zM10.5 35h24v4h-24z",
            "M22.5 19v9M14.6 30h15.8",
        ),
    };
    Shape { body, lines }
}

/// The shapes of all men and the glow, as `<defs>` that every board in the same
/// document may use.
#[must_use]
pub fn definitions() -> String {
    let mut text = String::from(
        "<defs><radialGradient id=\"glow\"><stop offset=\"0\" stop-color=\"#ffe08a\"/>\
         <stop offset=\".45\" stop-color=\"#ff8a2b\"/><stop offset=\"1\" stop-color=\"#d8341d\" stop-opacity=\".55\"/>\
         </radialGradient>",
    );
    for color in Color::ALL {
        let (fill, line) = match color {
            Color::White => ("#fdfdf8", "#20201c"),
            Color::Black => ("#2e2c2a", "#d8d4cc"),
        };
        for role in Role::ALL {
            let shape = shape(role);
            let _ = write!(
                text,
                "<g id=\"{}\" class=\"man\"><path d=\"{}\" fill=\"{fill}\" stroke=\"#141412\" stroke-width=\"1.4\" \
                 stroke-linejoin=\"round\"/><path d=\"{}\" fill=\"none\" stroke=\"{line}\" stroke-width=\"1.5\" \
                 stroke-linecap=\"round\"/></g>",
                symbol(role.of(color)),
                shape.body,
                shape.lines
            );
        }
    }
    text.push_str("</defs>");
    text
}

fn symbol(man: Piece) -> String {
    format!("{}{}", man.color.char(), man.role.upper_char())
}

/// The empty board with coordinates, [`SIDE`] wide and high.
#[must_use]
pub fn ground(below: Color) -> String {
    let mut text = format!(
        "<rect width=\"{SIDE}\" height=\"{SIDE}\" rx=\"4\" fill=\"#4a3b2e\"/>\
         <rect x=\"{BORDER}\" y=\"{BORDER}\" width=\"{0}\" height=\"{0}\" fill=\"#eddcbe\"/>\
         <path fill=\"#b58a63\" d=\"",
        8 * SQUARE
    );
    for square in Square::ALL.into_iter().filter(|square| square.is_dark()) {
        let (x, y) = corner(square, below);
        let _ = write!(text, "M{x} {y}h{SQUARE}v{SQUARE}h-{SQUARE}z");
    }
    text.push_str("\"/><g fill=\"#f0e4d0\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">");
    let middle = SQUARE / 2;
    for file in File::ALL {
        let (x, _) = corner(Square::from_coords(file, Rank::First), below);
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            x + middle,
            SIDE - 5,
            file.char()
        );
    }
    for rank in Rank::ALL {
        let (_, y) = corner(Square::from_coords(File::A, rank), below);
        let _ = write!(
            text,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            BORDER / 2,
            y + middle + 4,
            rank.char()
        );
    }
    text.push_str("</g>");
    text
}

/// What stands on the board, to be drawn over [`ground`].
#[must_use]
pub fn men(scene: &Scene, below: Color) -> String {
    let mut text = String::new();
    let mut mark = |square: Square, fill: &str| {
        let (x, y) = corner(square, below);
        let _ = write!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"{fill}\"/>"
        );
    };
    if let Some((from, to)) = scene.last {
        mark(from, "#f5e663a0");
        mark(to, "#f5e663a0");
    }
    if let Some(king) = scene.check {
        mark(king, "#e0402c");
    }
    if let Some(blast) = &scene.blast {
        for square in blast.area {
            mark(square, "#e8502f80");
        }
        let (x, y) = corner(blast.center, below);
        let middle = SQUARE / 2;
        let _ = write!(
            text,
            "<circle class=\"blast\" cx=\"{}\" cy=\"{}\" r=\"{middle}\" fill=\"url(#glow)\"/>",
            x + middle,
            y + middle
        );
        text.push_str("<g class=\"ghosts\" opacity=\".35\">");
        for &(square, man) in &blast.removed {
            put(&mut text, square, man, below);
        }
        text.push_str("</g>");
    }
    for (square, man) in &scene.board {
        put(&mut text, square, man, below);
    }
    text
}

fn put(text: &mut String, square: Square, man: Piece, below: Color) {
    let (x, y) = corner(square, below);
    let _ = write!(text, "<use href=\"#{}\" x=\"{x}\" y=\"{y}\"/>", symbol(man));
}

/// The upper left corner of a square.
fn corner(square: Square, below: Color) -> (u32, u32) {
    let (column, row) = match below {
        Color::White => (u32::from(square.file()), 7 - u32::from(square.rank())),
        Color::Black => (7 - u32::from(square.file()), u32::from(square.rank())),
    };
    (BORDER + column * SQUARE, BORDER + row * SQUARE)
}

/// A document of its own with one board for each scene, in rows, each with its
/// caption below.
#[must_use]
pub fn strip(scenes: &[(Scene, String)], below: Color) -> String {
    let count = scenes.len() as u32;
    let columns = count.clamp(1, COLUMNS);
    let rows = count.div_ceil(columns).max(1);
    let (width, height) = (columns * SIDE, rows * (SIDE + CAPTION));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">{}",
        definitions()
    );
    let ground = ground(below);
    for ((scene, caption), index) in scenes.iter().zip(0..) {
        let (x, y) = (index % columns * SIDE, index / columns * (SIDE + CAPTION));
        let _ = write!(
            text,
            "\n<g transform=\"translate({x} {y})\">{ground}{}<text x=\"{}\" y=\"{}\" font-family=\"sans-serif\" \
             font-size=\"15\" text-anchor=\"middle\">{}</text></g>",
            men(scene, below),
            SIDE / 2,
            SIDE + 18,
            escaped(caption)
        );
    }
    text.push_str("\n</svg>\n");
    text
}

/// Text that may stand in XML or HTML, between tags and in attributes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Position, Ruleset};

    #[test]
    fn ghosts_are_what_the_blast_took() {
        let fen = "rnbqkbnr/ppp1pppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 2";
        let position = Position::from_fen(fen, Ruleset::Lichess).expect("test FEN");
        let m = position.parse_san("Nxf7").expect("test move");
        let drawing = men(&Scene::of_move(&position, m), Color::White);
        let (ghosts, rest) = drawing
            .split_once("class=\"ghosts\"")
            .and_then(|(_, ghosts)| ghosts.split_once("</g>"))
            .expect("ghosts");
        // Knight, pawn f7, king e8, bishop f8, knight g8.
        assert_eq!(ghosts.matches("<use").count(), 5);
        assert_eq!(rest.matches("<use").count(), 32 - 5);
    }

    #[test]
    fn captions_cannot_break_out() {
        let scene = Scene::of_position(&Position::startpos(Ruleset::Lichess));
        let svg = strip(&[(scene, "<a & b>".to_owned())], Color::Black);
        assert!(svg.contains("&lt;a &amp; b&gt;"));
        assert_eq!(svg.matches("<svg").count(), 1);
        assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
    }
}
