//! Tests of a user of cargo: one right, one racy, one ignored.
#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::Arc;

    fn after_two(deposit: fn(&AtomicUsize)) -> usize {
        let balance = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let balance = balance.clone();
                std::thread::spawn(move || deposit(&balance))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        balance.load(SeqCst)
    }

    #[test]
    fn right() {
        assert_eq!(after_two(|b| { b.fetch_add(1, SeqCst); }), 2);
    }

    #[test]
    fn racy() {
        assert_eq!(after_two(|b| { let seen = b.load(SeqCst); b.store(seen + 1, SeqCst); }), 2);
    }

    #[test]
    #[ignore]
    fn slow() {
        panic!();
    }
}
