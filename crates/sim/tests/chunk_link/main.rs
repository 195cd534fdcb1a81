// SPDX-License-Identifier: Apache-2.0
//! Both ends of a pipeline in virtual time, with lanes between them that do all that lanes can do.
//! Every byte of every chunk is compared.

mod busy;
mod erasure;
mod faults;
mod figures;
mod hostile;
mod paper;
mod random;
mod rate;
mod recorded;
