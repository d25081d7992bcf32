//! A signal that ends everything that waits for an engine, at once and for good.

use std::sync::{Arc, Mutex, PoisonError};

use crossbeam::channel::{self, Receiver, Sender, TryRecvError};

/// Clones share one signal. It is given by closing a channel, which wakes every
/// thread that waits on it.
#[derive(Clone, Debug)]
pub struct StopSignal {
    sender: Arc<Mutex<Option<Sender<()>>>>,
    receiver: Receiver<()>,
}

impl StopSignal {
    /// A signal that was not given yet.
    #[must_use]
    pub fn new() -> StopSignal {
        let (sender, receiver) = channel::bounded(0);
        StopSignal {
            sender: Arc::new(Mutex::new(Some(sender))),
            receiver,
        }
    }

    /// Gives the signal.
    pub fn stop(&self) {
        self.sender
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }

    /// Whether the signal was given.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.receiver.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// A channel that never brings a message and closes with the signal.
    pub(super) fn receiver(&self) -> &Receiver<()> {
        &self.receiver
    }
}

impl Default for StopSignal {
    fn default() -> Self {
        StopSignal::new()
    }
}
