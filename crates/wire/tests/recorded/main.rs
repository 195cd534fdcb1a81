// SPDX-License-Identifier: Apache-2.0
//! What the models do, as it was when it was recorded: every frame on the line, in a digest, and
//! what has been counted. Other tests say what is right; these say that nothing has changed.
//! Whoever changes something on purpose records it anew, with `UPDATE_EXPECT=1`, and looks at what
//! differs.

#[cfg(feature = "rifl")]
mod plan;
#[cfg(any(feature = "htsp", feature = "pcs", feature = "rifl", feature = "slink"))]
mod regs;
#[cfg(feature = "rifl")]
mod rifl;
#[cfg(feature = "switch")]
mod switch;
