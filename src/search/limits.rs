//! What bounds a search, and how it is told to stop.

use std::{
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use shakmaty::{Color, Move};

/// One side's clock.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct Clock {
    /// Time left.
    pub left: Duration,
    /// Time added after each move.
    pub increment: Duration,
}

/// When a search ends. Without any bound it runs until it is stopped.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Limits {
    /// The last iteration.
    pub depth: Option<usize>,
    /// Moves played in the search by all threads, exact with one thread.
    pub nodes: Option<u64>,
    /// No iteration is begun after this many nodes.
    pub soft_nodes: Option<u64>,
    /// Stop as soon as a mate in this many moves is found.
    pub mate: Option<u32>,
    /// Exactly this long.
    pub movetime: Option<Duration>,
    /// The clocks of White and Black.
    pub clocks: [Option<Clock>; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Give no move before being stopped.
    pub infinite: bool,
    /// Think on the opponent's time: as `infinite` until the move is played.
    pub ponder: bool,
    /// Only these moves at the root; empty for all.
    pub search_moves: Vec<Move>,
}

impl Limits {
    /// A search to a fixed depth.
    #[must_use]
    pub fn depth(depth: usize) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// A search of a fixed number of nodes.
    #[must_use]
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// The clock of `color`.
    #[must_use]
    pub fn clock(&self, color: Color) -> Option<Clock> {
        self.clocks[usize::from(color.is_black())]
    }
}

/// The strings by which a running search is held.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
    changed: Condvar,
    lock: Mutex<()>,
}

impl Control {
    /// A control for a search under these limits.
    #[must_use]
    pub fn new(limits: &Limits) -> Control {
        Control {
            pondering: AtomicBool::new(limits.ponder),
            ..Control::default()
        }
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
        self.wake();
    }

    /// The move pondered on was played: the clock counts from now on.
    pub fn ponderhit(&self) {
        self.pondering.store(false, Relaxed);
        self.wake();
    }

    /// Whether the search was told to stop.
    #[inline]
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the search thinks on the opponent's time.
    #[inline]
    #[must_use]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Waits until the search may give its move: at once for ordinary
    /// searches, after a stop for infinite ones, after a stop or a ponder hit
    /// for those on the opponent's time.
    pub(crate) fn wait_for_release(&self, infinite: bool) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self
                .changed
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn wake(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.notify_all();
    }
}
