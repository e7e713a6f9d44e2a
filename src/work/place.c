/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe costs by its instruction: what the kernel emulates takes 0.4 us, what it single-steps 15 us and more. So a place is
 * looked at before anything is attached, moved past an endbr64, and refused where it would stall the program.
 */
#include "work/place.h"

#include "base/error.h"
#include "work/elf_place.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static int attach(struct work_state *state, const struct bpf_program *program, const char *path, const struct elf_place *place,
		  struct error *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .ref_ctr_offset = place->semaphore);
	struct bpf_link *link;

	if (state->link_count == WORK_LINK_LIMIT)
		return fail(err, FAILURE_WORK, -E2BIG, "more than %d probes in '%s'", WORK_LINK_LIMIT, path);
	link = bpf_program__attach_uprobe_opts(program, -1, path, place->offset, &options);
	if (!link) {
		fail(err, FAILURE_CANNOT, -errno, "cannot put a probe into '%s'", path);
		error_because(err, "%s", strerror(errno));
		return error_try(err, "crosscut doctor");
	}
	state->links[state->link_count++] = link;
	return 0;
}

static int attach_cheap(struct work_state *state, const struct bpf_program *program, const char *path, const unsigned char *bytes,
			size_t size, struct elf_place *place, struct error *err)
{
	if (elf_place_is_cheap(bytes, size, place))
		return attach(state, program, path, place, err);
	fail(err, FAILURE_CANNOT, -EOPNOTSUPP, "no probe is put into '%s' at 0x%llx", path, (unsigned long long)place->offset);
	error_because(err, "the kernel would single-step the instruction there: about %d ns each time in place of %d", PLACE_DEAR_NS,
		      PLACE_CHEAP_NS);
	return error_try(err, "a function that begins with push, a USDT probe, or --work marker");
}

int place_attach_usdt(struct work_state *state, const struct bpf_program *program, const char *path, const char *provider,
		      const char *name, struct error *err)
{
	struct elf_place places[ELF_PLACE_LIMIT];
	const unsigned char *bytes;
	size_t size, count;
	int r = elf_place_open(path, &bytes, &size, err);

	if (r < 0)
		return r;
	count = elf_place_usdt(bytes, size, provider, name, places);
	if (!count) {
		r = fail(err, FAILURE_CANNOT, -ENOENT, "'%s' has no probe %s:%s", path, provider, name);
		error_try(err, "readelf -n lists the probes of a file");
	}
	for (size_t i = 0; i < count && !r; i++)
		r = attach_cheap(state, program, path, bytes, size, &places[i], err);
	(void)munmap((void *)(uintptr_t)bytes, size);
	return r;
}

int place_attach_function(struct work_state *state, const struct bpf_program *program, const char *path, const char *function,
			  struct error *err)
{
	const unsigned char *bytes;
	struct elf_place place;
	size_t size;
	int r = elf_place_open(path, &bytes, &size, err);

	if (r < 0)
		return r;
	if (elf_place_function(bytes, size, function, &place)) {
		r = attach_cheap(state, program, path, bytes, size, &place, err);
	} else {
		r = fail(err, FAILURE_CANNOT, -ENOENT, "'%s' has no function %s", path, function);
		error_because(err, "its symbols do not name it");
		error_try(err, "nm -C shows what they name; a stripped file has none");
	}
	(void)munmap((void *)(uintptr_t)bytes, size);
	return r;
}

int place_check(const char *argument, unsigned parts, const char *synopsis, struct error *err)
{
	unsigned found = argument && *argument ? 1 : 0;
	const char *end = argument ? argument + strlen(argument) : NULL;

	for (const char *at = argument; at && (at = strchr(at, ':')) != NULL; at++)
		found += at > argument && at[1] && at[1] != ':' && at + 1 < end;
	if (found >= parts)
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, "'%s' names no place in a program", argument ? argument : "");
	return error_try(err, "--work %s", synopsis);
}
