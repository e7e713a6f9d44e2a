/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mercury, the service: reads its options, opens the store, starts the threads and listens until
 * SIGTERM or SIGINT. The first line on stdout says where; everything else goes to stderr.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/number.h"
#include "../common/processor.h"
#include "arm.h"
#include "cache.h"
#include "listener.h"
#include "pool.h"
#include "store.h"

struct options {
	const char *store_path;
	uint16_t port;
	size_t threads, queue_limit, cache_slots;
	int cpu;
	bool realtime;
};

static void usage(FILE *to)
{
	fputs("Example: mercury-" ARM_NAME " --port 8080 --cpu 0 --store mercury.store\n\n"
	      "  --port N      listen on 127.0.0.1:N; 0 chooses one (0)\n"
	      "  --store PATH  the store's file, 150 MiB, made when missing (mercury.store)\n"
	      "  --threads N   worker threads, one connection each (64)\n"
	      "  --queue N     connections that may wait for a thread; more get 503 (64)\n"
	      "  --cache N     records in the shared cache (512)\n"
	      "  --cpu N       run on this CPU only\n"
	      "  --realtime    run before other work on it, where allowed\n", to);
}

static uint64_t option_number(const char *option, uint64_t low, uint64_t high)
{
	uint64_t value;

	if (number_parse(optarg, low, high, &value))
		return value;
	fprintf(stderr, "mercury: '%s' is not a number from %llu to %llu (--%s)\n", optarg,
		(unsigned long long)low, (unsigned long long)high, option);
	exit(2);
}

static void options_read(struct options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' },
		{ "store", required_argument, NULL, 's' },
		{ "threads", required_argument, NULL, 't' },
		{ "queue", required_argument, NULL, 'q' },
		{ "cache", required_argument, NULL, 'c' },
		{ "cpu", required_argument, NULL, 'u' },
		{ "realtime", no_argument, NULL, 'R' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int letter;

	while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (letter) {
		case 'p': options->port = (uint16_t)option_number("port", 0, 65535); break;
		case 's': options->store_path = optarg; break;
		case 't': options->threads = option_number("threads", 1, 1024); break;
		case 'q': options->queue_limit = option_number("queue", 1, 4096); break;
		case 'c': options->cache_slots = option_number("cache", 1, 16384); break;
		case 'u': options->cpu = (int)option_number("cpu", 0, 4095); break;
		case 'R': options->realtime = true; break;
		case 'h': usage(stdout); exit(0);
		default: usage(stderr); exit(2);
		}
	}
	if (optind < argc) {
		usage(stderr);
		exit(2);
	}
}

static int failed(const char *what, int r)
{
	fprintf(stderr, "mercury: cannot %s: %s\n", what, strerror(-r));
	return 4;
}

/* Blocked in every thread, read here: a signal never interrupts a request. */
static int stop_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int serve(const struct options *options, struct store *store, struct cache *cache)
{
	uint16_t port = options->port;
	int stop = stop_open(), listener = listener_open(&port), r;
	struct pool *pool;

	if (stop < 0 || listener < 0)
		return failed("listen", stop < 0 ? -errno : listener);
	pool = pool_new(options->threads, options->queue_limit, store, cache);
	if (!pool)
		return failed("start the threads", -errno);
	printf("listening %u\n", port);
	fflush(stdout);
	r = listener_run(listener, stop, pool);
	close(listener);
	pool_stop(pool);
	close(stop);
	return r < 0 ? failed("accept connections", r) : 0;
}

int main(int argc, char **argv)
{
	struct options options = { .store_path = "mercury.store", .threads = 64, .queue_limit = 64,
				   .cache_slots = 512, .cpu = -1 };
	struct store store;
	struct cache *cache;
	int r;

	options_read(&options, argc, argv);
	r = options.cpu >= 0 ? processor_pin(options.cpu) : 0;
	if (r < 0)
		return failed("pin to that CPU", r);
	if (options.realtime && processor_precede() < 0)
		fputs("mercury: --realtime is not allowed here: going on without\n", stderr);
	r = store_open(&store, options.store_path);
	if (r < 0)
		return failed(r == -EINVAL ? "use the store: the file is no store of this version" :
			      "open the store", r);
	if (store.drop)
		fprintf(stderr, "mercury: no O_DIRECT on '%s': reading through the page cache and "
			"dropping what was read\n", options.store_path);
	cache = cache_new(options.cache_slots, STORE_ITEMS);
	r = cache ? serve(&options, &store, cache) : failed("make the cache", -ENOMEM);
	cache_free(cache);
	store_close(&store);
	return r;
}
