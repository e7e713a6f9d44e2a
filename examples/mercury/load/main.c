/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mercury-load: an open-loop load generator. It reads its options, plans the run, lets it happen
 * and prints the counts. Exit 0 when every answer was correct, 1 when one was not, 2 for bad
 * usage, 4 when the service cannot be reached.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/number.h"
#include "../common/processor.h"
#include "run.h"
#include "schedule.h"
#include "tally.h"

enum { ITEMS = 12288 };

struct options {
	struct schedule_config schedule;
	size_t connections;
	uint64_t warm_up_ms, deadline_ms;
	unsigned retries;
	uint16_t port;
	int cpu;
	bool realtime;
	const char *json_path;
};

static void usage(FILE *to)
{
	fputs("Example: mercury-load --port 8080 --rate 1000 --seconds 10 --cpu 1\n\n"
	      "  --port N         of the service on 127.0.0.1\n"
	      "  --rate N         requests per second (1000)\n"
	      "  --seconds N      length of the window, or the longest run if signals set it (10)\n"
	      "  --warm-up MS     sent before the window opens, not counted (500)\n"
	      "  --connections N  keep-alive connections (64)\n"
	      "  --partial N      percent of the requests that ask for one warehouse (10)\n"
	      "  --popular N      percent of the requests that go to 256 items (20)\n"
	      "  --unknown N      permille of the requests that go to items there are not (0)\n"
	      "  --retries N      further attempts of a request that was answered 503 (1)\n"
	      "  --deadline MS    a request is given up so long after it left; 0: never (0)\n"
	      "  --fixed          even spacing instead of exponential\n"
	      "  --seed N         the same seed sends the same requests at the same times (1)\n"
	      "  --cpu N          run on this CPU only\n"
	      "  --realtime       run before other work on it, where allowed\n"
	      "  --json FILE      write the counts there instead of to stdout\n\n"
	      "SIGUSR1 opens the counting window, SIGUSR2 closes it and ends the run.\n", to);
}

static uint64_t option_number(const char *option, uint64_t low, uint64_t high)
{
	uint64_t value;

	if (number_parse(optarg, low, high, &value))
		return value;
	fprintf(stderr, "mercury-load: '%s' is not a number from %llu to %llu (--%s)\n", optarg,
		(unsigned long long)low, (unsigned long long)high, option);
	exit(2);
}

static void options_read(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "rate", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "warm-up", required_argument, NULL, 'w' },
		{ "connections", required_argument, NULL, 'c' },
		{ "partial", required_argument, NULL, 'a' },
		{ "popular", required_argument, NULL, 'o' },
		{ "unknown", required_argument, NULL, 'k' },
		{ "retries", required_argument, NULL, 't' },
		{ "deadline", required_argument, NULL, 'd' },
		{ "fixed", no_argument, NULL, 'x' },
		{ "seed", required_argument, NULL, 'e' },
		{ "cpu", required_argument, NULL, 'u' },
		{ "json", required_argument, NULL, 'j' },
		{ "realtime", no_argument, NULL, 'R' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct schedule_config *schedule = &options->schedule;
	int letter;

	while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (letter) {
		case 'p': options->port = (uint16_t)option_number("port", 1, 65535); break;
		case 'r': schedule->rate = (double)option_number("rate", 1, 1000000); break;
		case 's': schedule->seconds = (double)option_number("seconds", 1, 86400); break;
		case 'w': options->warm_up_ms = option_number("warm-up", 0, 60000); break;
		case 'c': options->connections = option_number("connections", 1, 4096); break;
		case 'a': schedule->partial_percent = (uint32_t)option_number("partial", 0, 100);
			  break;
		case 'o': schedule->popular_percent = (uint32_t)option_number("popular", 0, 100);
			  break;
		case 'k': schedule->unknown_permille = (uint32_t)option_number("unknown", 0, 1000);
			  break;
		case 't': options->retries = (unsigned)option_number("retries", 0, 16); break;
		case 'd': options->deadline_ms = option_number("deadline", 0, 60000); break;
		case 'x': schedule->fixed_spacing = true; break;
		case 'e': schedule->seed = option_number("seed", 0, UINT64_MAX); break;
		case 'u': options->cpu = (int)option_number("cpu", 0, 4095); break;
		case 'j': options->json_path = optarg; break;
		case 'R': options->realtime = true; break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (optind < argc || !options->port) {
		fputs(optind < argc ? "" : "mercury-load: --port is missing\n", stderr);
		usage(stderr);
		exit(2);
	}
}

/* Blocked first of all: a parent may send one as soon as we exist. */
static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int failed(const char *what, int r)
{
	fprintf(stderr, "mercury-load: cannot %s: %s\n", what, strerror(-r));
	return 4;
}

static int counts_print(const struct tally *tally, const char *path)
{
	FILE *to = path ? fopen(path, "we") : stdout;
	int r = to ? tally_print(tally, to) : -errno;

	if (path && to && fclose(to) != 0 && r == 0)
		r = -errno;
	if (r < 0)
		return failed("write the counts", r);
	for (int outcome = OUTCOME_INCORRECT; outcome < OUTCOME_COUNT; outcome++)
		if (outcome != OUTCOME_RETRIED && tally->outcomes[outcome])
			return 1;
	return 0;
}

static int load(const struct options *options, int signals)
{
	static struct tally tally;
	struct run_config config = {
		.port = options->port, .connections = options->connections, .signals = signals,
		.warm_up_ns = options->warm_up_ms * 1000000, .retries = options->retries,
		.deadline_ns = options->deadline_ms * 1000000,
		.length_ns = (uint64_t)(options->schedule.seconds * 1e9),
	};
	struct schedule schedule;
	int r = load_schedule_make(&schedule, &options->schedule);

	if (r < 0)
		return failed("plan that many requests", r);
	r = run(&config, &schedule, &tally);
	load_schedule_free(&schedule);
	if (r < 0)
		return failed("connect to the service", r);
	return counts_print(&tally, options->json_path);
}

int main(int argc, char **argv)
{
	struct options options = {
		.schedule = { .rate = 1000, .seconds = 10, .seed = 1, .items = ITEMS,
			      .popular_percent = 20, .partial_percent = 10 },
		.connections = 64, .warm_up_ms = 500, .retries = 1, .cpu = -1,
	};
	int signals = signals_open(), r;

	options_read(&options, argc, argv);
	if (signals < 0)
		return failed("wait for signals", -errno);
	r = options.cpu >= 0 ? processor_pin(options.cpu) : 0;
	if (r < 0)
		return failed("pin to that CPU", r);
	if (options.realtime && processor_precede() < 0)
		fputs("mercury-load: --realtime is not allowed here: going on without\n", stderr);
	options.schedule.seconds += (double)options.warm_up_ms / 1000;
	return load(&options, signals);
}
