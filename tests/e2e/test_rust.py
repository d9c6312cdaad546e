"""Rust's standard library waits with futexes through libc's syscall(): its programs are under control, too.

Rust's own code is not instrumented, so threads are switched at its calls into libc only, and a free lock is taken
without a call. The programs yield where it matters.
"""
import shutil

from common import run

USES = """
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock};
use std::thread;
use std::time::Duration;
"""

CORRECT = USES + """
static CALLS: AtomicUsize = AtomicUsize::new(0);
static ONCE: Once = Once::new();
static VALUE: OnceLock<usize> = OnceLock::new();

fn queue() {
    let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let theirs = shared.clone();
    let consumer = thread::spawn(move || {
        let (lock, filled) = &*theirs;
        let mut sum = 0;
        for _ in 0..3 {
            let mut items = filled.wait_while(lock.lock().unwrap(), |v: &mut Vec<i32>| v.is_empty()).unwrap();
            thread::yield_now();
            sum += items.pop().unwrap();
        }
        sum
    });
    for i in 1..=3 {
        let mut items = shared.0.lock().unwrap();
        thread::yield_now();
        items.push(i);
        shared.1.notify_one();
    }
    assert_eq!(consumer.join().unwrap(), 6);
    let (guard, result) = shared.1.wait_timeout(shared.0.lock().unwrap(), Duration::from_millis(20)).unwrap();
    assert!(guard.is_empty() && result.timed_out());
}

fn readers_and_writers() {
    let data = RwLock::new((0, 0));
    let barrier = Barrier::new(3);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                barrier.wait();
                let both = data.read().unwrap();
                thread::yield_now();
                assert_eq!(both.0, both.1);
            });
        }
        barrier.wait();
        let mut both = data.write().unwrap();
        both.0 += 1;
        thread::yield_now();
        both.1 += 1;
    });
}

fn channels() {
    let (to, from) = mpsc::channel();
    let (full, drain) = mpsc::sync_channel(1);
    thread::scope(|s| {
        for i in 0..2 {
            let to = to.clone();
            s.spawn(move || to.send(i).unwrap());
        }
        s.spawn(move || (0..3).for_each(|i| full.send(i).unwrap()));
        drop(to);
        assert_eq!(from.iter().sum::<i32>(), 1);
        assert_eq!(drain.iter().collect::<Vec<_>>(), [0, 1, 2]);
    });
}

fn once_and_parking() {
    let parked = thread::spawn(|| thread::park());
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                ONCE.call_once(|| {
                    thread::yield_now();
                    CALLS.fetch_add(1, Ordering::SeqCst);
                });
                assert_eq!(CALLS.load(Ordering::SeqCst), 1);
                assert_eq!(*VALUE.get_or_init(|| { thread::yield_now(); 42 }), 42);
            });
        }
    });
    parked.thread().unpark();
    parked.join().unwrap();
}

fn main() {
    queue();
    readers_and_writers();
    channels();
    once_and_parking();
}
"""

DEADLOCK = USES + """
fn main() {
    let a = Arc::new((Mutex::new(0), Mutex::new(0)));
    let b = a.clone();
    let t = thread::spawn(move || {
        let _second = b.1.lock().unwrap();
        thread::yield_now();
        let _first = b.0.lock().unwrap(); /* BUG */
    });
    {
        let _first = a.0.lock().unwrap();
        thread::yield_now();
        let _second = a.1.lock().unwrap(); /* BUG */
    }
    t.join().unwrap();
}
"""


def build(tools, name, text):
    work = tools.dir(f"rust_{name}")
    source = work / f"{name}.rs"
    source.write_text("#![allow(unused_imports)]\n" + text)
    run(["rustc", "--edition", "2021", "-g", "-O", source, "-o", work / name], cwd=work, timeout=120).expect(0)
    return work, work / name, [i for i, l in enumerate(source.read_text().splitlines(), 1) if "/* BUG */" in l]


def skipped():
    if shutil.which("rustc"):
        return None
    print("skip test_rust: rustc is not installed")
    return "skipped, no rustc"


def test_rust_standard_library(tools):
    if skip := skipped():
        return skip
    work, program, _ = build(tools, "correct", CORRECT)
    run([program]).expect(0)
    done, summary = tools.search(work, ["-s", "random", "-n", "200"], program)
    done.expect(0)
    if summary["executions"] != 200 or summary["distinct_orders"] < 100:
        done.fail(f"{summary['executions']} executions, {summary['distinct_orders']} orders")
    return f"{summary['distinct_orders']} orders"


def test_rust_deadlock(tools):
    if skip := skipped():
        return skip
    work, program, lines = build(tools, "deadlock", DEADLOCK)
    done, finding, schedule = tools.find(work, ["-s", "random", "-n", "200"], program, "deadlock")
    if finding["line"] not in lines or not finding["file"].endswith("deadlock.rs"):
        done.fail(f"finding at {finding['file']}:{finding['line']}, expected one of the lines {lines}")
    for backend in ("virtual", "kernel"):
        tools.replay(work, schedule, backend, tools.times or 3)
