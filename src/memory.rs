//! Large blocks of memory, with large pages where the system has them.
//!
//! A search reads the hash table and the network's weights all over the place.
//! In pages of 4 KiB nearly each such read misses the processor's list of
//! pages; in pages of 2 MiB hardly any does.

use std::ptr::NonNull;

/// Asks the processor to have the begin of `value` at hand soon.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start: *const T = value;
        // SAFETY: prefetching has no effect but on caches.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Zeroed memory, aligned to pages, that is taken as it is first used.
#[derive(Debug)]
pub struct Pages {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the memory belongs to this value alone, as that of a `Vec` does.
unsafe impl Send for Pages {}
// SAFETY: nothing is written through a shared reference.
unsafe impl Sync for Pages {}

#[cfg(unix)]
impl Pages {
    /// So many bytes, or `None` if the system does not give them.
    #[must_use]
    pub fn new(bytes: usize) -> Option<Pages> {
        use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};
        let length = std::num::NonZeroUsize::new(bytes)?;
        let rights = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new private mapping overlaps nothing.
        let start = unsafe { mmap_anonymous(None, length, rights, MapFlags::MAP_PRIVATE) };
        let start = start.ok()?.cast();
        prefer_large_pages(start, bytes);
        Some(Pages { start, bytes })
    }
}

#[cfg(unix)]
impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this very length.
        let unmapped = unsafe { nix::sys::mman::munmap(self.start.cast(), self.bytes) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(not(unix))]
impl Pages {
    fn layout(bytes: usize) -> std::alloc::Layout {
        std::alloc::Layout::from_size_align(bytes, 4096).expect("at most a TiB")
    }

    /// So many bytes, or `None` if the system does not give them.
    #[must_use]
    pub fn new(bytes: usize) -> Option<Pages> {
        if bytes == 0 {
            return None;
        }
        // SAFETY: the layout has a size above zero.
        let start = unsafe { std::alloc::alloc_zeroed(Pages::layout(bytes)) };
        NonNull::new(start).map(|start| Pages { start, bytes })
    }
}

#[cfg(not(unix))]
impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this very layout.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), Pages::layout(self.bytes)) };
    }
}

impl Pages {
    /// Where they start.
    #[inline]
    #[must_use]
    pub const fn start(&self) -> NonNull<u8> {
        self.start
    }
}

/// Asks for large pages in memory that is allocated but not used yet. Without
/// effect where there are none.
pub fn prefer_large_pages<T>(start: NonNull<T>, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::mman::{MmapAdvise, madvise};
        const PAGE: usize = 4096;
        let skipped = start.cast::<u8>().align_offset(PAGE);
        if bytes > skipped {
            // SAFETY: advice on the kind of page changes no content.
            let _ = unsafe {
                madvise(
                    start.cast::<std::ffi::c_void>().byte_add(skipped),
                    bytes - skipped,
                    MmapAdvise::MADV_HUGEPAGE,
                )
            };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zero_and_can_be_written() {
        for bytes in [1, 4096, 5 << 20] {
            let pages = Pages::new(bytes).expect("memory");
            // SAFETY: the pages are that long and belong to the test.
            let content = unsafe { std::slice::from_raw_parts_mut(pages.start().as_ptr(), bytes) };
            assert!(content.iter().all(|&byte| byte == 0));
            content.fill(7);
            assert_eq!(content[bytes - 1], 7);
        }
        assert!(Pages::new(0).is_none() && Pages::new(usize::MAX / 2).is_none());
    }
}
