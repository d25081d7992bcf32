//! Engine-against-engine matches: strength by measurement.
//!
//! UCI engines run as child processes and play each other under a referee that
//! knows atomic chess: an exploded king ends the game before any draw rule is
//! asked, and a flag that falls against a bare king is a draw.
//!
//! The parts, from the inside out: [`process`] and [`uci`] talk to one engine,
//! [`game`] plays one game, [`runner`] plays a whole [`schedule`] on several
//! workers, [`journal`] remembers finished games so that an interrupted match
//! can go on, and [`standings`] turns games into the table.

pub mod adjudication;
pub mod engine;
pub mod game;
pub mod info;
pub mod journal;
pub mod knockout;
pub mod openings;
pub mod pgn;
pub mod process;
pub mod record;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod settings;
pub mod sprt;
pub mod standings;
pub mod statistics;
pub mod stop;
pub mod table;
pub mod time_control;
pub mod uci;
mod worker;
