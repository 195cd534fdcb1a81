// SPDX-License-Identifier: Apache-2.0
//! How much memory this program has had.

/// Most bytes of memory that were resident, as the kernel says.
pub fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_used_counts() {
        let before = peak().expect("the kernel says so");
        let used = vec![1_u8; 1 << 26];
        let after = peak().expect("the kernel says so");
        assert!(after - before >= 1 << 25, "{before} {after} {}", used.len());
    }
}
