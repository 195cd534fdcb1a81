// SPDX-License-Identifier: Apache-2.0
//! Values of fields: the number, the bits and the name of each belong together.

use std::fmt::Debug;

/// `values`: each, its bits, its name.
fn agree<T: Debug + PartialEq>(
    values: &[(T, u64, &'static str)],
    names: &[(u64, &str)],
    of_bits: impl Fn(u64) -> Option<T>,
) {
    assert_eq!(values.len(), names.len());
    for ((value, bits, name), named) in values.iter().zip(names) {
        assert_eq!((*bits, *name), *named, "{value:?}");
        assert_eq!(of_bits(*bits).as_ref(), Some(value));
    }
    let free = (0..=u64::from(u8::MAX)).find(|bits| names.iter().all(|it| it.0 != *bits));
    assert_eq!(of_bits(free.expect("a byte has more values")), None);
}

macro_rules! agree {
    ($($values:path),+ $(,)?) => {
        $({
            use $values as Values;
            let values: Vec<_> = (Values::ALL.iter())
                .map(|&value| (value, value as u64, value.name()))
                .collect();
            agree(&values, Values::NAMES, Values::from_bits);
        })+
    };
}

#[test]
#[cfg(feature = "htsp")]
fn values_of_htsp() {
    use ropewalk_wire::htsp::regs;
    agree!(regs::Loopback, regs::DownReason, regs::LatencyState);
}

#[test]
#[cfg(feature = "pcs")]
fn values_of_pcs() {
    use ropewalk_wire::pcs::regs;
    agree!(regs::Fec, regs::Mode, regs::Setting, regs::State);
}

#[test]
#[cfg(feature = "rifl")]
fn values_of_rifl() {
    use ropewalk_wire::rifl::regs;
    agree!(
        regs::Loopback,
        regs::LinkReason,
        regs::SessionState,
        regs::SessionReason,
        regs::TxState
    );
}

#[test]
#[cfg(feature = "slink")]
fn values_of_slink() {
    use ropewalk_wire::slink::regs;
    agree!(regs::Run, regs::Outcome, regs::Coding, regs::Change);
}
