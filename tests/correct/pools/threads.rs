// Threads of the standard library with a mutex, a read-write lock and a channel.
use std::sync::{mpsc, Arc, Mutex, RwLock};
use std::thread;

fn main() {
    let total = Arc::new(Mutex::new(0u64));
    let seen = Arc::new(RwLock::new(Vec::new()));
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..3u64)
        .map(|i| {
            let (total, seen, sender) = (total.clone(), seen.clone(), sender.clone());
            thread::spawn(move || {
                *total.lock().unwrap() += i;
                seen.write().unwrap().push(i);
                sender.send(i * 10).unwrap();
            })
        })
        .collect();
    drop(sender);
    let received: u64 = receiver.iter().sum();
    for worker in workers {
        worker.join().unwrap();
    }
    let mut all = seen.read().unwrap().clone();
    all.sort();
    println!("{} {} {:?} {}", total.lock().unwrap(), received, all, thread::available_parallelism().unwrap());
}
