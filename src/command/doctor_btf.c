/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the names of tracepoints and functions out of the kernel's own type information (BTF). Each tracepoint NAME has a
 * typedef btf_trace_NAME, which is what a program attaches to: so this answers what the kernel would, without privilege.
 *
 *	header ─▶ types: { name, kind and count, size } + what the kind needs ─▶ strings
 */
#include "command/doctor.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { BTF_SIZE_LIMIT = 256 << 20, NAME_SIZE_LIMIT = 256 };

struct doctor_btf {
	unsigned char *bytes;
	size_t size;
	const unsigned char *types, *types_end;
	const char *strings;
	size_t strings_size;
};

void doctor_btf_free(struct doctor_btf *btf)
{
	if (btf)
		free(btf->bytes);
	free(btf);
}

static bool within(const struct doctor_btf *btf, uint64_t offset, uint64_t length)
{
	return offset <= btf->size && length <= btf->size - offset;
}

static bool find_sections(struct doctor_btf *btf)
{
	struct btf_header head;

	if (btf->size < sizeof(head))
		return false;
	memcpy(&head, btf->bytes, sizeof(head));
	if (head.magic != BTF_MAGIC || !within(btf, (uint64_t)head.hdr_len + head.type_off, head.type_len) ||
	    !within(btf, (uint64_t)head.hdr_len + head.str_off, head.str_len) || !head.str_len)
		return false;
	btf->types = btf->bytes + head.hdr_len + head.type_off;
	btf->types_end = btf->types + head.type_len;
	btf->strings = (const char *)btf->bytes + head.hdr_len + head.str_off;
	btf->strings_size = head.str_len;
	return btf->strings[head.str_len - 1] == 0;
}

struct doctor_btf *doctor_btf_read(const char *path)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct doctor_btf *btf;
	struct stat status;
	ssize_t n;

	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size <= 0 || status.st_size > BTF_SIZE_LIMIT)
		return NULL;
	btf = xcalloc(1, sizeof(*btf));
	btf->bytes = xmalloc((size_t)status.st_size);
	while (btf->size < (size_t)status.st_size &&
	       (n = read(fd, btf->bytes + btf->size, (size_t)status.st_size - btf->size)) > 0)
		btf->size += (size_t)n;
	if (find_sections(btf))
		return btf;
	doctor_btf_free(btf);
	return NULL;
}

/* Bytes that follow a type of this kind; SIZE_MAX: a kind that we do not know, after which nothing can be read. */
static size_t tail_size(unsigned kind, unsigned count)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return (size_t)count * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return (size_t)count * 8;
	default:
		return kind <= BTF_KIND_ENUM64 ? 0 : SIZE_MAX;
	}
}

static uint32_t find(const struct doctor_btf *btf, unsigned kind, const char *name)
{
	const unsigned char *at = btf->types;
	uint32_t id = 1;

	for (; (size_t)(btf->types_end - at) >= sizeof(struct btf_type); id++) {
		struct btf_type type;
		size_t tail;

		memcpy(&type, at, sizeof(type));
		if (BTF_INFO_KIND(type.info) == kind && type.name_off < btf->strings_size &&
		    !strcmp(btf->strings + type.name_off, name))
			return id;
		at += sizeof(type);
		tail = tail_size(BTF_INFO_KIND(type.info), BTF_INFO_VLEN(type.info));
		if (tail > (size_t)(btf->types_end - at))
			return 0;
		at += tail;
	}
	return 0;
}

uint32_t doctor_btf_tracepoint(const struct doctor_btf *btf, const char *name)
{
	char type[NAME_SIZE_LIMIT];

	(void)snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf ? find(btf, BTF_KIND_TYPEDEF, type) : 0;
}

uint32_t doctor_btf_function(const struct doctor_btf *btf, const char *name)
{
	return btf ? find(btf, BTF_KIND_FUNC, name) : 0;
}
