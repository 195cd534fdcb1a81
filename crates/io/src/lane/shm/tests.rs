// SPDX-License-Identifier: Apache-2.0

use super::*;

/// A peer that writes anything anywhere gets an error or its own bytes, and nothing else happens.
#[test]
fn nonsense_of_the_peer() {
    let odd = [
        1,
        7,
        8,
        4096,
        (1 << 18) - 8,
        1 << 18,
        (1 << 18) + 8,
        u64::from(u32::MAX),
        u64::MAX - 7,
        u64::MAX,
    ];
    for value in odd {
        // The length of a datagram.
        let [mut near, mut far] = ShmLane::pair(1 << 18).unwrap();
        assert!(near.send(&[IoSlice::new(&[1; 100])], 100).unwrap());
        far.memory
            .length(0, 0)
            .store(value as u32, Ordering::Relaxed);
        // What is behind a shorter one is no length either.
        let said = far.receive(&mut |bytes| assert!(bytes.len() <= 100));
        assert_eq!(said.unwrap_err().kind(), io::ErrorKind::InvalidData);
        // The position of writing.
        let [near, mut far] = ShmLane::pair(1 << 18).unwrap();
        near.memory
            .word(0, Word::Tail)
            .store(value, Ordering::Relaxed);
        let said = far.receive(&mut |_| panic!("lengths are zero"));
        assert_eq!(said.unwrap_err().kind(), io::ErrorKind::InvalidData);
        // The position of reading.
        let [mut near, far] = ShmLane::pair(1 << 18).unwrap();
        far.memory
            .word(0, Word::Head)
            .store(value, Ordering::Relaxed);
        let said = near.send(&[IoSlice::new(&[1; 100])], 100);
        // The last two are a little behind.
        assert_eq!(said.is_ok(), value >= u64::MAX - 7, "{value}");
    }
}

/// The first page and the rings full of noise, while both ends go on.
#[test]
fn noise_in_the_memory() {
    use rand_core::{Rng, SeedableRng};
    for seed in 0..200 {
        let mut noise = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
        let [mut near, mut far] = ShmLane::pair(1 << 18).unwrap();
        for _ in 0..50 {
            let _ = near.send(&[IoSlice::new(&[1; 30_000])], 1000);
            // Small values make sense more often.
            let word = noise.next_u64() >> (noise.next_u64() % 64);
            let at = noise.next_u64() as usize % 320 * 8;
            near.memory.at(at).store(word, Ordering::Relaxed);
            let at = noise.next_u64() % (1 << 14) * 8;
            let place = near.memory.length(0, at);
            place.store(word as u32, Ordering::Relaxed);
            let _ = far.receive(&mut |bytes| assert!((1..=BATCH).contains(&bytes.len())));
            let _ = far.wait(Duration::ZERO, true);
        }
    }
}

/// Two descriptors where there is to be one: both are closed again.
#[test]
fn more_descriptors_than_one() {
    let (near, far) = UnixStream::pair().unwrap();
    let (probe, sent) = UnixStream::pair().unwrap();
    let (mut byte, mut beside) = ([0u8], Beside::default());
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let message = message(&mut part, &mut beside);
    // SAFETY: there is room for one control message with two descriptors, as for one it is rounded
    // up.
    let said = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(2 * size_of::<libc::c_int>() as u32) as _;
        let place = libc::CMSG_DATA(header).cast::<[libc::c_int; 2]>();
        std::ptr::write_unaligned(place, [sent.as_raw_fd(); 2]);
        libc::sendmsg(near.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
    };
    assert_eq!(said, 1);
    let said = receive_fd(&far).unwrap_err().to_string();
    assert!(said.contains("more than one"), "{said}");
    // With the last descriptor of its peer the end of a socket comes.
    drop(sent);
    probe.set_nonblocking(true).unwrap();
    assert_eq!((&probe).read(&mut [0]).unwrap(), 0);
}

/// A listener that takes nobody, before and after all its places are full.
#[test]
fn nobody_listens() {
    let path = std::env::temp_dir().join(format!("ropewalk-shm-{}", std::process::id()));
    let listener = ShmListener::bind(&path, 1 << 18).unwrap();
    let limit = Duration::from_millis(20);
    let mut waiting = Vec::new();
    loop {
        let socket =
            socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        if socket
            .connect(&socket2::SockAddr::unix(&path).unwrap())
            .is_err()
        {
            break;
        }
        let said = ShmLane::connect_within(&path, limit);
        assert!(said.is_err());
        waiting.push(socket);
    }
    assert!(waiting.len() > 2);
    let said = ShmLane::connect_within(&path, limit).unwrap_err();
    assert!(said.to_string().contains("no peer for 20ms"), "{said}");
    drop(listener);
    let said = ShmLane::connect_within(&path, limit).unwrap_err();
    assert!(matches!(said, LaneError::Unreachable { .. }));
}

/// A time that no clock reaches.
#[test]
fn waits_for_ever() {
    let path = std::env::temp_dir().join(format!("ropewalk-ever-{}", std::process::id()));
    let listener = ShmListener::bind(&path, 1 << 18).unwrap();
    std::thread::scope(|scope| {
        let peer = scope.spawn(|| ShmLane::connect(&path));
        assert!(listener.accept(Duration::MAX).unwrap().is_some());
        assert!(peer.join().unwrap().is_ok());
    });
}

/// Memory of a peer that could take it away, or that is something else.
#[test]
fn memory_that_is_not_sealed() {
    let named = |size: usize, words: [u64; 2], seals: libc::c_int| {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: a C string and a number; then a new descriptor, which nobody else has.
        let fd = unsafe {
            let fd = sys::check(libc::memfd_create(c"test".as_ptr(), flags)).unwrap();
            OwnedFd::from_raw_fd(fd)
        };
        let file = std::fs::File::from(fd);
        file.set_len(size as u64).unwrap();
        let words = words.map(u64::to_ne_bytes).concat();
        std::os::unix::fs::FileExt::write_all_at(&file, &words, 0).unwrap();
        let fd = OwnedFd::from(file);
        // SAFETY: takes three numbers.
        sys::check(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_ADD_SEALS, seals) }).unwrap();
        checked(&fd).map_err(|error| error.to_string())
    };
    let size = 1 << 18;
    let whole = HEAD + 2 * size;
    let good = [MAGIC, size as u64];
    assert_eq!(named(whole, good, SEALS), Ok(size));
    assert!(
        named(whole, good, libc::F_SEAL_GROW)
            .unwrap_err()
            .contains("its seals are 0x4")
    );
    assert!(
        named(whole - 1, good, SEALS)
            .unwrap_err()
            .contains("262144 bytes in 528383")
    );
    assert!(
        named(whole, [MAGIC, 1 << 63], SEALS)
            .unwrap_err()
            .contains("rings of")
    );
    assert!(
        named(whole, [1, size as u64], SEALS)
            .unwrap_err()
            .contains("another version")
    );
    assert!(
        named(whole, [MAGIC, 4096], SEALS)
            .unwrap_err()
            .contains("rings of 4096")
    );
}
