// SPDX-License-Identifier: Apache-2.0
// Templates and lambdas that inline into each other, for test/symbols/run.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace shop {
template <typename T> struct Cart {
	std::vector<T> items;
	void add(T item) { items.push_back(std::move(item)); }
	template <typename F> auto sum(F price) const
	{
		return std::accumulate(items.begin(), items.end(), 0.0, [&](double all, const T &item) { return all + price(item); });
	}
	void sort() { std::sort(items.begin(), items.end(), [](const T &a, const T &b) { return b < a; }); }
};
} // namespace shop

static std::map<std::string, int> count_words(const std::string &text)
{
	std::map<std::string, int> counts;
	std::istringstream words(text);
	for (std::string word; words >> word;)
		counts[word]++;
	return counts;
}

static bool matches(const std::string &text, const char *pattern)
{
	return std::regex_search(text, std::regex(pattern));
}

int main(int argc, char **argv)
{
	shop::Cart<std::string> names;
	shop::Cart<double> prices;
	std::unordered_map<std::string, std::shared_ptr<std::function<int(int)>>> table;
	for (int i = 0; i < argc * 1000; i++) {
		names.add(std::string(argv[0]) + std::to_string(i));
		prices.add(i * 1.5);
		table[std::to_string(i % 17)] = std::make_shared<std::function<int(int)>>([i](int x) { return x + i; });
	}
	names.sort();
	prices.sort();
	double sum = prices.sum([](double price) { return price * 2; }) + names.sum([](const std::string &name) { return name.size(); });
	std::string all;
	for (const auto &name : names.items)
		all += name + ' ';
	int words = count_words(all).size(), found = 0;
	for (const auto &name : names.items)
		found += matches(name, "9+$") + (*table["3"])(1);
	std::printf("%f %d %d\n", sum, words, found);
}
