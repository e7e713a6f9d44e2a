#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a program in which every function has exactly one caller, so that the name of the innermost one says the whole
chain: make_tree.py c|cpp|rust PROGRAM [LIBRARY]. A function's name is its caller's, an underscore, the letter of its
shape and a number. The main thread walks the tree "n" on a processor, a second one the tree "b" that blocks, a third,
"g", hands out what the second waits for; the handler of SIGALRM, "a", runs on top of the first two."""
import random
import sys

# --- The tree: a node is (name, shape, children) -------------------------------------------------------------------

INNER = {
    "c": "ppardbqjt",       # plain, alloca, realigned, both, 40 KB, qsort, through a library's function, tail call
    "cpp": "ppardbqywwy",   # with a destructor, and one that catches
    "rust": "ppbywwy",
}
LEAVES = {"c": "svfmo", "cpp": "sfz", "rust": "sz"}   # spins, vdso, printf, memory, a library's, throws
WAITS = {"c": "NMCER", "cpp": "NMCER", "rust": "N"}   # nanosleep, mutex, condition, epoll, pipe


class Tree:
    def __init__(self, language, seed):
        self.random = random.Random(seed)
        self.language, self.leaves, self.next = language, LEAVES[language], 0

    def shape(self, depth, above):
        inner = INNER[self.language]
        shape = self.random.choice(inner)
        # a sort's callback calls on only now and then: one sort above another would run for ages
        while shape == "q" and ("q" in above or depth < 2):
            shape = self.random.choice(inner)
        return shape

    def leaf(self, name, above):
        shape = self.leaves[self.next % len(self.leaves)]
        self.next += 1
        if shape == "z" and "y" not in above:
            shape = "s"
        return shape

    def node(self, name, shape, depth, above=""):
        if depth == 0:
            return (name, shape, [])
        above += shape
        kinds = {"q": "k", "j": "l"}.get(shape)
        count = 1 if shape in "tqjlk" else 2
        children = []
        for number in range(count):
            below = depth - 1 if number == 0 else self.random.randint(0, depth - 1) // 2
            child = kinds or (self.shape(below, above) if below else self.leaf(name, above))
            if not kinds and below == 0:
                children.append(self.node(f"{name}_{child}{number}", child, 0, above))
            else:
                children.append(self.node(f"{name}_{child}{number}", child, max(below, 1) if kinds else below, above))
        return (name, shape, children)

    def several(self, name, count, depth):
        """Below a root: trees of all depths."""
        children = []
        for number in range(count):
            below = 1 + number % depth
            shape = INNER[self.language][number % len(INNER[self.language])]
            shape = "p" if shape == "q" and below < 2 else shape
            children.append(self.node(f"{name}_{shape}{number}", shape, below))
        return (name, "p", children)


def flatten(node):
    for child in node[2]:
        yield from flatten(child)
    yield node


# --- C and C++ -----------------------------------------------------------------------------------------------------

C_HEAD = r"""
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif
#ifdef __clang__
#define NODE EXTERN __attribute__((noinline, used, visibility("default")))
#else
#define NODE EXTERN __attribute__((noipa, used, visibility("default")))
#endif
static __thread uint64_t dice = 88172645463325252ull;
#define RND() (dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17, (unsigned int)(dice >> 20))
#define WORK(n) for (int i_ = 0; i_ < (n); i_++) { x = x * 6364136223846793005l + 1442695040888963407l; __asm__ volatile("" : "+r"(x)); }
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, quiet = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ends[2], poll_fd;
#ifdef __cplusplus
struct guard { long *x; ~guard() { __asm__ volatile("" : "+r"(x)); *x += 1; } };
#endif
"""

C_TAIL = r"""
int main(void)
{
	struct sigaction action = { };
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	sigset_t alarm_only;
	pthread_t thread;
	long x = 1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	poll_fd = epoll_create1(0);
	if (pipe(ends))
		return 1;
	action.sa_handler = a;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	pthread_create(&thread, NULL, b, NULL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm_only, NULL);
	pthread_create(&thread, NULL, g, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm_only, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	puts("ready");
	fflush(stdout);
	for (;;)
		x = n(x);
}
"""

LEAF_BODIES = {
    "s": "WORK(400 + RND() % 2000);",
    "S": "WORK(100000);",
    "v": "for (int i = 0; i < 60; i++) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); x += t.tv_nsec; }",
    "f": 'char text[64]; for (int i = 0; i < 3; i++) { snprintf(text, sizeof(text), "%f %ld", (double)x, x); x += text[1]; }',
    "m": "static char from[8192], to[8192]; for (int i = 0; i < 10; i++) { memcpy(to, from, 4096 + (x & 15)); x += to[x & 63]; memset(from, (int)x, 4000); }",
    "z": "WORK(50); if (RND() % 4) throw 1; WORK(50);",
    "N": "struct timespec t = { 0, 100000 }; nanosleep(&t, NULL);",
    "M": "pthread_mutex_lock(&mutex); x++; pthread_mutex_unlock(&mutex);",
    "C": "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 200000; if (t.tv_nsec > 999999999) { t.tv_nsec -= 1000000000; t.tv_sec++; }"
         " pthread_mutex_lock(&quiet); pthread_cond_timedwait(&condition, &quiet, &t); pthread_mutex_unlock(&quiet);",
    "E": "struct epoll_event event; x += epoll_wait(poll_fd, &event, 1, 1);",
    "R": "char c; if (read(ends[0], &c, 1) == 1) x += c;",
    "G": "struct timespec t = { 0, 150000 }; pthread_mutex_lock(&mutex); nanosleep(&t, NULL); pthread_mutex_unlock(&mutex); nanosleep(&t, NULL);",
    "W": "struct timespec t = { 0, 100000 }; nanosleep(&t, NULL); if (write(ends[1], \"x\", 1) == 1) x++;",
}


def c_call(node):
    if node[1] == "l":
        return f"{node[0]}(x, {node[2][0][0] if node[2] else 'NULL'})"
    return f"{node[0]}(x)"


def c_choice(children):
    if not children:
        return ""
    if len(children) == 1:
        return f"x = {c_call(children[0])};"
    cases = " ".join(f"case {i}: x = {c_call(child)}; break;" for i, child in enumerate(children))
    return f"switch (RND() % {len(children)}) {{ {cases} }}"


def c_body(node):
    name, shape, children = node
    go = c_choice(children)
    if shape in "aard" and shape != "r":
        aligned = " __attribute__((aligned(64)))" if shape == "d" else ""
        extra = f"volatile char more[64]{aligned}; more[x & 63] = 1; " if shape == "d" else ""
        return f"char *at = (char *)alloca(16 + (RND() & 127)); {extra}memset(at, (int)x, 16); WORK(20); {go} x += at[3]{' + more[1]' if extra else ''}; WORK(10);"
    if shape == "r":
        return f"volatile char at[128] __attribute__((aligned(64))); at[x & 127] = 2; WORK(20); {go} x += at[1]; WORK(10);"
    if shape == "b":
        return f"volatile char at[40000]; at[x & 32767] = 1; WORK(20); {go} x += at[2]; WORK(10);"
    if shape == "q":
        return f"int at[12]; for (int i = 0; i < 12; i++) at[i] = (int)RND(); qsort(at, 12, sizeof(*at), {children[0][0]}); x += at[0]; WORK(10);"
    if shape == "o":
        return f"for (int i = 0; i < 100; i++) x = {name}_l0(x, NULL);"
    if shape == "t":
        return f"WORK(30); return {c_call(children[0])};"
    if shape == "w":
        return f"struct guard kept = {{ &x }}; WORK(20); {go} WORK(10);"
    if shape == "y":
        return f"WORK(10); try {{ {go} }} catch (int caught) {{ x += caught; WORK(20); }} WORK(10);"
    if shape in LEAF_BODIES:
        return LEAF_BODIES[shape]
    return f"WORK(30); {go} WORK(10);"


def c_library(nodes):
    lines = ["#include <stddef.h>"]
    names = [node[0] for node in nodes if node[1] == "l"] + [node[0] + "_l0" for node in nodes if node[1] == "o"]
    for name in names:
        lines.append(f"long {name}(long x, long (*call)(long)) {{ x = x * 3 + 1; if (call) x = call(x) + 1; return x * 5; }}")
    return "\n".join(lines) + "\n", names


def c_program(nodes, names):
    lines = [C_HEAD]
    lines += [f"EXTERN long {name}(long x, long (*call)(long));" for name in names]
    for node in nodes:
        name, shape, children = node
        if shape == "l":
            continue
        if shape == "k":
            go = f"if (RND() % 48 == 0) x += 0 * {c_call(children[0])};" if children else ""
            lines.append(f"NODE int {name}(const void *left, const void *right) {{ long x = *(const int *)left; WORK(4); {go} "
                         "return *(const int *)left < *(const int *)right ? -1 : 1; }")
        elif name in "abg" and len(name) == 1:
            head = {"a": "void a(int signal)", "b": "void *b(void *start)", "g": "void *g(void *start)"}[name]
            body = f"long x = (long)(intptr_t){'start' if name != 'a' else 'signal'}; "
            body += f"{c_choice(children)} WORK(20);" if name == "a" else f"for (;;) {{ WORK(5); {c_choice(children)} }}"
            lines.append(f"NODE {head} {{ {body} }}")
        else:
            lines.append(f"NODE long {name}(long x) {{ {c_body(node)} return x; }}")
    lines.append(C_TAIL)
    return "\n".join(lines)


# --- Rust ----------------------------------------------------------------------------------------------------------

RUST_HEAD = r"""
use std::cell::Cell;
/* The library's own is younger than the compilers that distributions ship. */
#[inline(always)]
fn black_box<T>(x: T) -> T { unsafe { let same = std::ptr::read_volatile(&x); std::mem::forget(x); same } }
use std::panic;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
static RARITY: AtomicU32 = AtomicU32::new(1);
thread_local! { static DICE: Cell<u64> = const { Cell::new(88172645463325252) }; }
#[inline(always)]
fn rnd() -> u32 { DICE.with(|dice| { let mut d = dice.get(); d ^= d << 13; d ^= d >> 7; d ^= d << 17; dice.set(d); (d >> 20) as u32 }) }
macro_rules! work { ($x:ident, $n:expr) => { for _ in 0..$n { $x = black_box($x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407)); } } }
struct Guard<'a>(&'a Cell<i64>);
impl Drop for Guard<'_> { #[inline(always)] fn drop(&mut self) { self.0.set(black_box(self.0.get().wrapping_add(1))); } }
"""


def rust_choice(children):
    if not children:
        return ""
    if len(children) == 1:
        return f"x = {children[0][0]}(x);"
    arms = " ".join(f"{i} => {child[0]}(x)," if i < len(children) - 1 else f"_ => {child[0]}(x),"
                    for i, child in enumerate(children))
    return f"x = match rnd() % {len(children)} {{ {arms} }};"


def rust_body(node):
    _, shape, children = node
    go = rust_choice(children)
    if shape == "b":
        return f"let mut at = [0u8; 4000]; at[(x & 2047) as usize] = 1; black_box(&mut at); work!(x, 20); {go} x = x.wrapping_add(black_box(&at)[7] as i64); work!(x, 10);"
    if shape == "w":
        return f"let cell = Cell::new(x); let kept = Guard(&cell); work!(x, 20); {go} work!(x, 10); drop(kept); x = x.wrapping_add(cell.get());"
    if shape == "y":
        return f"work!(x, 10); x = match panic::catch_unwind(move || {{ let mut x = x; {go} x }}) {{ Ok(v) => v, Err(_) => x }}; work!(x, 20);"
    if shape == "z":
        return "work!(x, 50); if rnd() % RARITY.load(Relaxed) == 0 { panic::panic_any(1i32); } work!(x, 50);"
    if shape == "s":
        return "work!(x, 400 + rnd() % 2000);"
    if shape == "N":
        return "std::thread::sleep(std::time::Duration::from_micros(100));"
    return f"work!(x, 30); {go} work!(x, 10);"


def rust_program(nodes):
    lines = [RUST_HEAD]
    for number, node in enumerate(nodes):                # a number of its own, since functions that are alike are merged
        lines.append(f"#[no_mangle] #[inline(never)] pub fn {node[0]}(mut x: i64) -> i64 {{ x = black_box(x ^ {number}); {rust_body(node)} black_box(x) }}")
    lines.append('fn main() { if let Some(text) = std::env::args().nth(1) { RARITY.store(text.parse().unwrap(), Relaxed); } panic::set_hook(Box::new(|_| {})); std::thread::spawn(|| { let mut x = 1; loop { x = b(x); } }); '
                 'println!("ready"); let mut x = 1; loop { x = n(x); } }')
    return "\n".join(lines) + "\n"


def main():
    language, program = sys.argv[1:3]
    tree = Tree(language, 20)
    roots = [tree.several("n", 18, 9)]
    tree.leaves, tree.next = WAITS[language], 0
    roots.append(tree.several("b", 10 if language != "rust" else 6, 4))
    if language != "rust":
        roots.append(("g", "p", [("g_G0", "G", []), ("g_p1", "p", [("g_p1_W0", "W", [])])]))
        tree.leaves = "s"
        roots.append(("a", "p", [("a_p0", "p", [("a_p0_S0", "S", [])]), ("a_S1", "S", [])]))
    nodes = [node for root in roots for node in flatten(root)]
    with open(program, "w", encoding="ascii") as to:
        if language == "rust":
            to.write(rust_program(nodes))
            return
        library, names = c_library(nodes)
        to.write(c_program(nodes, names))
    with open(sys.argv[3], "w", encoding="ascii") as to:
        to.write(library)


main()
