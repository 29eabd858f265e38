// Channels of Rust's library, without and with a limit, between threads.
use std::io::Write;
use std::sync::mpsc;
use std::thread;

fn main() {
    let (requests, requested) = mpsc::channel();
    let (answers, answered) = mpsc::sync_channel(1);
    let senders: Vec<_> = (0..3)
        .map(|i| {
            let requests = requests.clone();
            thread::spawn(move || {
                for n in 0..5 {
                    requests.send(i * 10 + n).unwrap();
                }
            })
        })
        .collect();
    drop(requests);
    let worker = thread::spawn(move || {
        for n in requested {
            answers.send(n).unwrap();
        }
    });
    let total: i32 = answered.iter().sum();
    for sender in senders {
        sender.join().unwrap();
    }
    worker.join().unwrap();
    assert_eq!(total, 180);
    let path = std::env::args().nth(1).unwrap_or("/dev/stdout".to_string());
    let mut results = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    writeln!(results, "total {total}").unwrap();
}
