//! One signal that ends every search that runs, and those to come.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering::SeqCst},
};

use crate::search::{Control, Limits};

/// Shared by everything that searches and whoever may break in, such as the
/// handler of Ctrl-C.
#[derive(Debug, Default)]
pub struct Interrupt {
    given: AtomicBool,
    running: Mutex<Vec<Arc<Control>>>,
}

impl Interrupt {
    /// Gives the signal.
    pub fn give(&self) {
        self.given.store(true, SeqCst);
        for control in self.lock().iter() {
            control.stop();
        }
    }

    /// Whether the signal was given.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.given.load(SeqCst)
    }

    /// Runs a search with a control that the signal stops.
    pub fn during<T>(&self, limits: &Limits, search: impl FnOnce(&Control) -> T) -> T {
        let control = Arc::new(Control::new(limits));
        self.lock().push(Arc::clone(&control));
        if self.is_given() {
            control.stop();
        }
        let found = search(&control);
        self.lock().retain(|other| !Arc::ptr_eq(other, &control));
        found
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Control>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
