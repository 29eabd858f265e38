"""Threads of Python with a queue, a lock and an event."""
import queue
import sys
import threading

work = queue.Queue(2)
lock = threading.Lock()
begun = threading.Event()
total = 0


def add():
    global total
    begun.wait()
    while (n := work.get()) is not None:
        with lock:
            total += n


threads = [threading.Thread(target=add) for _ in range(3)]
for thread in threads:
    thread.start()
begun.set()
for n in [*range(10), None, None, None]:
    work.put(n)
for thread in threads:
    thread.join()
assert total == 45
with open(sys.argv[1] if len(sys.argv) > 1 else "/dev/stdout", "a") as results:
    results.write(f"total {total}\n")
