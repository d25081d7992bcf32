//! Judged games as a page for the browser, which loads nothing from elsewhere.
//!
//! A page can be written piece by piece: [`head`] once, then [`section`] for each
//! game. The closing tags that would be missing are optional in HTML.

use std::fmt::Write;

use shakmaty::Color;

use super::{GameReport, MoveReport, judge::win_probability, score_text};
use crate::{
    diagram::{
        Blast, Scene,
        svg::{self, escaped},
    },
    games::line,
};

/// The begin of a page, up to the first game.
#[must_use]
pub fn head(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n<title>{title}</title>\n<style>\n{}</style>\n\
         <noscript><style>.board > svg > .ply:first-of-type {{ display: inline; }}</style></noscript>\n\
         <script>\n{}</script>\n\
         <svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\">{}</svg>\n<main>\n<h1>{title}</h1>\n<nav></nav>\n",
        include_str!("page.css"),
        include_str!("page.js"),
        svg::definitions()
    )
}

/// A game: its boards, the graph, the moves, and the moments that decided.
#[must_use]
pub fn section(report: &GameReport) -> String {
    let mut text = format!(
        "<section class=\"game\">\n<h2>{}</h2>\n<p class=\"meta\">{}</p>\n<p>{}</p>\n",
        escaped(&title(report)),
        escaped(&origin(report)),
        escaped(&report.summary())
    );
    for sentence in &report.explanation {
        let _ = writeln!(text, "<p>{}</p>", escaped(sentence));
    }
    let _ = write!(
        text,
        "<div class=\"view\"><div>\n<div class=\"board\"><div class=\"bar\" aria-hidden=\"true\"><i></i></div>\
         <svg viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"Board\">{}\n",
        svg::ground(Color::White),
        side = svg::SIDE
    );
    for index in 0..report.positions.len() {
        frame(&mut text, report, index);
    }
    text.push_str(
        "</svg></div>\n<div class=\"steps\"><button data-do=\"first\" aria-label=\"First position\">|◀</button>\
         <button data-do=\"back\" aria-label=\"Back\">◀</button><button data-do=\"on\" aria-label=\"On\">▶</button>\
         <button data-do=\"last\" aria-label=\"Last position\">▶|</button>\
         <button data-do=\"turn\" aria-label=\"Turn the board\">⇅</button></div>\n\
         <p class=\"note\" aria-live=\"polite\"></p>\n</div>\n<div>\n",
    );
    if !report.moves.is_empty() {
        graph(&mut text, report);
        moves(&mut text, report);
        key_moments(&mut text, report);
        text.push_str(
            "<p class=\"help\">Keys: ← → step, ↑ ↓ to the key moments, Home and End, f turns the board. \
             The mouse wheel, the board and the graph step, too.</p>\n",
        );
    }
    text.push_str("</div></div>\n</section>\n");
    text
}

/// The begin of the page that lists games which have a page each.
#[must_use]
pub fn index_head() -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Analysed games</title>\n\
         <style>\n{}</style>\n<main>\n<h1>Analysed games</h1>\n",
        include_str!("page.css")
    )
}

/// The entry of one game in that list.
#[must_use]
pub fn index_entry(report: &GameReport, page: &str) -> String {
    format!(
        "<p><a href=\"{}\">{}</a> <span class=\"meta\">{}</span>\n",
        escaped(page),
        escaped(&title(report)),
        escaped(&report.summary())
    )
}

/// Players and result, or what a position is called.
#[must_use]
pub fn title(report: &GameReport) -> String {
    let game = &report.game;
    match (game.tag("White"), game.tag("Black")) {
        (Some(white), Some(black)) => format!("{white} – {black}, {}", game.result),
        _ => game
            .tag("Event")
            .map_or_else(|| format!("Game {}", game.number), str::to_owned),
    }
}

fn origin(report: &GameReport) -> String {
    let game = &report.game;
    let mut parts: Vec<&str> = ["Event", "Date", "TimeControl"]
        .into_iter()
        .filter_map(|name| game.tag(name))
        .filter(|value| !value.is_empty() && *value != "?")
        .collect();
    let place = game.place();
    parts.push(&place);
    parts.join(" · ")
}

/// The board after `index` moves, hidden until the reader comes to it.
fn frame(text: &mut String, report: &GameReport, index: usize) {
    let scene = match index.checked_sub(1) {
        None => Scene::of_position(&report.positions[0]),
        Some(last) => Scene::of_move(&report.positions[last], report.moves[last].m),
    };
    let (title, note) = caption(report, index);
    let win = 100.0 * win_probability(report.white_score(index));
    let _ = writeln!(
        text,
        "<g class=\"ply\" data-title=\"{}\" data-note=\"{}\" data-win=\"{win:.1}\">{}</g>",
        escaped(&title),
        escaped(&note),
        svg::men(&scene, Color::White)
    );
}

/// What is said below a board: the move, and what is to be known about it.
fn caption(report: &GameReport, index: usize) -> (String, String) {
    let position = &report.positions[index];
    let verdict = &report.verdicts[index];
    let mut words = Vec::new();
    let title = match index.checked_sub(1) {
        None => "Start".to_owned(),
        Some(last) => {
            let judged = &report.moves[last];
            if let Some(blast) = Blast::of_move(&report.positions[last], judged.m) {
                words.push(blast.describe());
            }
            words.extend(judged.trap.iter().map(|name| format!("Trap: {name}.")));
            words.push(report.remark(last));
            words.extend(judged.explanation.iter().cloned());
            let glyph = judged.judgement.map_or("", |judgement| judgement.glyph());
            format!("{}{glyph}", report.numbered(last))
        }
    };
    words.retain(|text| !text.is_empty());
    let score = score_text(report.white_score(index));
    match verdict.over {
        Some(over) => words.push(format!("{}: {}.", over.as_str(), over.termination)),
        None if !verdict.line.is_empty() => {
            let shown = &verdict.line[..verdict.line.len().min(8)];
            words.push(format!(
                "Best now: {}.",
                line::numbered(position, shown).trim_end_matches('.')
            ));
        }
        None => {}
    }
    let title = match verdict.over {
        Some(_) => title,
        None => format!("{title} ({score})"),
    };
    (title, words.join(" "))
}

/// White's chances over the game, with a dot at every error.
fn graph(text: &mut String, report: &GameReport) {
    let last = report.positions.len() - 1;
    let height = |index: usize| 100.0 - 100.0 * win_probability(report.white_score(index));
    let mut path = String::from("M0 100");
    for index in 0..=last {
        let _ = write!(path, "L{index} {:.1}", height(index));
    }
    let _ = write!(path, "L{last} 100z");
    let _ = write!(
        text,
        "<svg class=\"graph\" viewBox=\"0 0 {last} 100\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"White's chances over the game\"><path d=\"{path}\" fill=\"#fdfdf8\"/>\
         <path d=\"M0 50H{last}\" stroke=\"#8a8378\" vector-effect=\"non-scaling-stroke\" stroke-dasharray=\"4 4\"/>"
    );
    for (index, judged) in report.moves.iter().enumerate() {
        if let Some(judgement) = judged.judgement {
            // A line without length and with round ends is a dot at any scale.
            let _ = write!(
                text,
                "<path class=\"{}\" d=\"M{} {:.1}h0\" stroke=\"currentColor\" stroke-width=\"7\" \
                 stroke-linecap=\"round\" vector-effect=\"non-scaling-stroke\"/>",
                judgement.name().to_lowercase(),
                index + 1,
                height(index + 1)
            );
        }
    }
    text.push_str(
        "<line class=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"100\" stroke=\"#e06a25\" stroke-width=\"2\" \
         vector-effect=\"non-scaling-stroke\"/></svg>\n",
    );
}

fn moves(text: &mut String, report: &GameReport) {
    text.push_str("<ol class=\"moves\">");
    for (index, judged) in report.moves.iter().enumerate() {
        let shown = if report.mover(index).is_white() || index == 0 {
            report.numbered(index)
        } else {
            judged.san.clone()
        };
        let (class, glyph) = look(judged);
        let _ = write!(
            text,
            "<li><button class=\"{class}\" data-ply=\"{}\">{}{glyph}</button>",
            index + 1,
            escaped(&shown)
        );
    }
    text.push_str("</ol>\n");
}

/// The style of a move and its glyph.
fn look(judged: &MoveReport) -> (String, &'static str) {
    judged.judgement.map_or((String::new(), ""), |judgement| {
        (judgement.name().to_lowercase(), judgement.glyph())
    })
}

fn key_moments(text: &mut String, report: &GameReport) {
    let key = report.key_moments();
    if key.is_empty() {
        return;
    }
    text.push_str("<h3>Key moments</h3>\n<ul class=\"key\">");
    for index in key {
        let judged = &report.moves[index];
        let (class, glyph) = look(judged);
        let losing = if report.losing == Some(index) {
            "The losing move. "
        } else {
            ""
        };
        let _ = write!(
            text,
            "<li><button data-ply=\"{}\"><span class=\"{class}\">{}{glyph}</span> {losing}{}</button>",
            index + 1,
            escaped(&report.numbered(index)),
            escaped(&report.remark(index))
        );
    }
    text.push_str("</ul>\n");
}
