//! The numbers of the search, gathered so that a reader and a tuner see them
//! at once. Depths in plies, margins in centipawns, reductions in plies times
//! 1024.
//!
//! They are constants, unless the program is built with the feature `tuning`:
//! then each is an option of the protocol under its own name, and
//! `fission spsa` finds better values.

use std::sync::LazyLock;
#[cfg(feature = "tuning")]
pub use tuned::{Parameter, Values, named};

/// What a build for tuning has in addition.
#[cfg(feature = "tuning")]
mod tuned {
    use std::{
        cell::Cell,
        sync::atomic::{AtomicI32, Ordering::Relaxed},
    };

    use super::PARAMETERS;

    /// A number of the search that may be tuned.
    #[derive(Debug)]
    pub struct Parameter {
        /// The name, also of its option.
        pub name: &'static str,
        /// The value when nothing is set.
        pub default: i32,
        /// The least value that makes sense.
        pub low: i32,
        /// The greatest.
        pub high: i32,
    }

    /// The parameter of that name, by its index in [`PARAMETERS`].
    #[must_use]
    pub fn named(name: &str) -> Option<usize> {
        PARAMETERS
            .iter()
            .position(|parameter| parameter.name == name)
    }

    /// A value for each of [`PARAMETERS`].
    #[derive(Debug)]
    pub struct Values([AtomicI32; PARAMETERS.len()]);

    /// What threads use that have no values of their own.
    static COMMON: Values = Values::defaults();

    thread_local! {
        static IN_USE: Cell<&'static Values> = const { Cell::new(&COMMON) };
    }

    impl Values {
        const fn defaults() -> Values {
            let mut values = [const { AtomicI32::new(0) }; PARAMETERS.len()];
            let mut i = 0;
            while i < PARAMETERS.len() {
                values[i] = AtomicI32::new(PARAMETERS[i].default);
                i += 1;
            }
            Values(values)
        }

        /// The values that all threads use, unless they have their own.
        #[must_use]
        pub fn common() -> &'static Values {
            &COMMON
        }

        /// New values, for as long as the program runs.
        #[must_use]
        pub fn leaked() -> &'static Values {
            Box::leak(Box::new(Values::defaults()))
        }

        /// Lets the searches of this thread use these values.
        pub fn use_here(&'static self) {
            IN_USE.set(self);
        }

        /// Sets one value, kept within its bounds.
        pub fn set(&self, index: usize, value: i32) {
            let Parameter { low, high, .. } = PARAMETERS[index];
            self.0[index].store(value.clamp(low, high), Relaxed);
        }
    }

    pub(super) fn get(index: usize) -> i32 {
        IN_USE.get().0[index].load(Relaxed)
    }
}

macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident = $default:literal in $low:literal..=$high:literal;)*) => {
        $(
            $(#[$doc])*
            #[cfg(not(feature = "tuning"))]
            #[inline]
            #[must_use]
            pub const fn $name() -> i32 {
                const { assert!($low <= $default && $default <= $high) };
                $default
            }

            $(#[$doc])*
            #[cfg(feature = "tuning")]
            #[inline]
            #[must_use]
            pub fn $name() -> i32 {
                tuned::get(Index::$name as usize)
            }
        )*

        #[cfg(feature = "tuning")]
        #[expect(non_camel_case_types, reason = "named as the functions are")]
        enum Index { $($name,)* Count }

        /// All numbers that may be tuned.
        #[cfg(feature = "tuning")]
        pub static PARAMETERS: [Parameter; Index::Count as usize] = [
            $(Parameter {
                name: stringify!($name),
                default: $default,
                low: $low,
                high: $high,
            }),*
        ];
    };
}

parameters! {
    /// First half-width of the aspiration window.
    aspiration = 26 in 4..=80;

    /// Reverse futility: how far above beta, for each ply left.
    reverse_futility_margin = 86 in 20..=250;
    /// Reverse futility is tried up to this depth.
    reverse_futility_depth = 4 in 2..=14;

    /// Null move: plies taken off, times 1024, before what depth and evaluation
    /// add.
    null_reduction = 2686 in 1024..=5120;
    /// Null move: reduction for each ply left.
    null_depth_reduction = 378 in 0..=600;
    /// Null move: centipawns above beta for another ply.
    null_evaluation_divisor = 228 in 50..=600;
    /// Null move: how far below beta the static evaluation may be, for each ply
    /// left.
    null_evaluation_margin = 26 in 0..=60;

    /// Futility of quiet moves: base.
    futility_base = 124 in 0..=400;
    /// Futility of quiet moves: margin for each ply left.
    futility_margin = 65 in 20..=300;
    /// Futility is tried up to this depth.
    futility_depth = 10 in 2..=14;

    /// A quiet move may risk this much for each ply left.
    quiet_risk_margin = 85 in 0..=300;
    /// A threat to the king may risk this much more.
    threat_risk = 88 in 0..=600;
    /// A capture may lose this much by its blast for each ply left.
    capture_loss_margin = 74 in 0..=400;
    /// Both exchange prunings are tried up to this depth.
    exchange_depth = 9 in 2..=14;

    /// Quiet moves with a worse history than minus this for each ply left are
    /// left out.
    history_margin = 3391 in 500..=12000;
    /// History pruning is tried up to this depth.
    history_depth = 2 in 1..=10;

    /// How many quiet moves are tried before the rest is left out: base, in
    /// hundredths.
    move_count_base = 526 in 100..=2000;
    /// The same, for each square of the depth, in hundredths.
    move_count_factor = 243 in 20..=400;

    /// The table's move is tested for being the only good one from here on.
    singular_depth = 5 in 4..=12;
    /// How far below the table's score the others must be, for each ply left,
    /// in sixteenths.
    singular_margin = 26 in 8..=96;
    /// How much further for another ply.
    double_extension_margin = 28 in 0..=120;

    /// Quiescence: captures must come within this of alpha by their blast.
    quiescence_margin = 187 in 0..=500;
    /// Quiescence: threats to the king are tried when alpha is less than this
    /// above the evaluation.
    threat_margin = 412 in 0..=2000;

    /// Late moves: reduction of the first.
    reduction_base = 1011 in 0..=2048;
    /// Late moves: what the logarithms of depth and count are divided by, in
    /// hundredths.
    reduction_divisor = 250 in 120..=500;
    /// Late moves: less on the principal variation.
    reduction_pv = 624 in 0..=3072;
    /// Late moves: less where one was.
    reduction_was_pv = 561 in 0..=2048;
    /// Late moves: more where a cut is expected.
    reduction_cut_node = 870 in 0..=3072;
    /// Late moves: more when not improving.
    reduction_not_improving = 740 in 0..=2048;
    /// Late moves: less for a threat to the king.
    reduction_threat = 1490 in 0..=3072;
    /// Late moves: less when the own king is in danger.
    reduction_danger = 974 in 0..=3072;
    /// Late moves: less for captures and promotions.
    reduction_noisy = 775 in 0..=3072;
    /// Late moves: history for a ply, over 1024.
    reduction_history = 12 in 4..=60;
    /// The same for captures.
    reduction_capture_history = 24 in 4..=60;

    /// Histories: reward for each ply of depth.
    bonus_factor = 280 in 40..=500;
    /// Histories: the greatest reward.
    bonus_limit = 1805 in 400..=5000;
    /// Histories: punishment of moves tried before the best, for a reward of
    /// 1024.
    punishment = 1449 in 256..=4096;
    /// What the history of a quiet move by from and to counts for, over 1024.
    weight_from_to = 1514 in 0..=4096;
    /// What its history after the move one ply back counts for, over 1024.
    weight_after_one = 1231 in 0..=4096;
    /// The same after the move two plies back.
    weight_after_two = 784 in 0..=4096;
    /// The same after the move four plies back.
    weight_after_four = 665 in 0..=4096;
    /// Corrections of the evaluation are divided by this.
    correction_divisor = 10 in 4..=40;
}

/// Windows are used from this depth on.
pub const ASPIRATION_DEPTH: i32 = 4;

/// Null move: men besides king and pawns that the side to move must have.
pub const NULL_MIN_PIECES: usize = 2;

/// How many quiet moves are tried at a depth before the rest is left out.
#[inline]
#[must_use]
pub fn move_count_limit(depth: i32, improving: bool) -> i32 {
    (move_count_base() + move_count_factor() * depth * depth) / (100 * (3 - i32::from(improving)))
}

const LOGARITHMS: usize = 64;

/// Natural logarithms, times 1024.
static LOGARITHM: LazyLock<[i32; LOGARITHMS]> =
    LazyLock::new(|| std::array::from_fn(|n| (1024.0 * (n.max(1) as f64).ln()) as i32));

/// Plies, times 1024, by which the `count`th move at `depth` is reduced.
#[inline]
#[must_use]
pub fn reduction(depth: i32, count: i32) -> i32 {
    let logarithm = |n: i32| LOGARITHM[(n.max(0) as usize).min(LOGARITHMS - 1)];
    let product = logarithm(depth) * logarithm(count) / 1024;
    reduction_base() + product * 100 / reduction_divisor()
}

/// A score by endgame tables counts as searched this much deeper than it was
/// asked for.
pub const TABLE_DEPTH_BONUS: i32 = 6;
