// SPDX-License-Identifier: Apache-2.0
// Iterators and closures that inline into each other, for test/symbols/run.
use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;

struct Cart<T> {
    items: Vec<T>,
}

impl<T: Clone + Ord + Display> Cart<T> {
    fn sorted(&self) -> Vec<T> {
        let mut all = self.items.clone();
        all.sort_by(|a, b| b.cmp(a));
        all
    }
    fn joined(&self) -> String {
        self.items.iter().map(|item| format!("{:>8}", item)).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(",")
    }
}

fn count_words(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in text.split(',').map(str::trim) {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts
}

fn main() {
    let many = std::env::args().count() * 1000;
    let numbers = Cart { items: (0..many as u64).map(|i| i * 7919 % 1009).collect() };
    let names = Cart { items: numbers.items.iter().map(|n| format!("n{}", n)).collect::<Vec<_>>() };
    let mut table: HashMap<String, Box<dyn Fn(u64) -> u64>> = HashMap::new();
    for n in numbers.sorted() {
        table.insert(n.to_string(), Box::new(move |x| x + n));
    }
    let words = count_words(&names.joined());
    let sum: u64 = table.values().map(|f| f(1)).sum();
    let parsed: u64 = words.keys().filter_map(|w| w.strip_prefix('n')).filter_map(|w| w.parse::<u64>().ok()).sum();
    println!("{} {} {}", sum, words.len(), parsed + numbers.sorted().iter().rev().take(3).sum::<u64>());
}
