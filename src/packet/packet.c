/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder and its packet.json: made, read with limits, sealed by a root digest and replaced in one step, so that a reader
 * sees the old packet or the new one. Files are copied in: evidence that lies elsewhere changes unseen.
 */
#include "packet/packet.h"

#include "base/clock.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/native.h"
#include "format/sha256.h"
#include "hypothesis/hypothesis.h"
#include "packet/state.h"
#include "runbook/runbook.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

char *packet_path(const struct packet *packet, const char *name)
{
	return xasprintf("%s/%s", packet->directory, name);
}

const char *packet_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

void packet_free(struct packet *packet)
{
	if (!packet)
		return;
	json_decref(packet->root);
	free(packet->directory);
	free(packet);
}

/* Only files, and only in the folders of a packet: what else lies there stays. */
void packet_delete(const char *directory)
{
	static const char *const below[] = { "/captures", "/blocks", "" };

	for (size_t i = 0; i < ARRAY_LENGTH(below); i++) {
		CLEANUP_TEXT char *path = xasprintf("%s%s", directory, below[i]);
		DIR *folder = opendir(path);

		for (const struct dirent *entry; folder && (entry = readdir(folder));)
			if (entry->d_type == DT_REG)
				(void)unlinkat(dirfd(folder), entry->d_name, 0);
		if (folder)
			(void)closedir(folder);
		(void)rmdir(path);
	}
}

/* --- Digests ---------------------------------------------------------------------------------------------------- */

static void digest_end(struct sha256 *sha, char ret[DIGEST_TEXT_SIZE])
{
	unsigned char digest[SHA256_SIZE];

	sha256_end(sha, digest);
	for (size_t i = 0; i < SHA256_SIZE; i++)
		(void)snprintf(ret + 2 * i, 3, "%02x", digest[i]);
}

int packet_digest_file(const char *path, char ret[DIGEST_TEXT_SIZE], struct error *err)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	unsigned char bytes[65536];
	struct sha256 sha;
	ssize_t size;

	if (fd < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%.180s'", path);
	sha256_init(&sha);
	while ((size = read(fd, bytes, sizeof(bytes))) > 0)
		sha256_add(&sha, bytes, (size_t)size);
	if (size < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%.180s'", path);
	digest_end(&sha, ret);
	return 0;
}

void packet_digest_root(const json_t *root, char ret[DIGEST_TEXT_SIZE])
{
	json_t *copy = json_copy((json_t *)root);
	struct sha256 sha;
	char *text;

	json_object_del(copy, "root");
	text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
	sha256_init(&sha);
	sha256_add(&sha, text, strlen(text));
	digest_end(&sha, ret);
	free(text);
	json_decref(copy);
}

const char *packet_root(const struct packet *packet)
{
	return packet_text(packet->root, "root");
}

/* --- Reading and writing ---------------------------------------------------------------------------------------- */

int packet_open(const char *directory, struct packet **ret, struct error *err)
{
	CLEANUP(packet) struct packet *packet = xcalloc(1, sizeof(*packet));
	CLEANUP_TEXT char *path = xasprintf("%s/packet.json", directory);
	struct stat status;
	json_error_t where;

	packet->directory = xstrdup(directory);
	if (stat(path, &status)) {
		fail(err, FAILURE_WORK, -errno, "'%.180s' is no packet", directory);
		error_because(err, "there is no packet.json in it");
		return error_try(err, "crosscut packet new --runbook FILE DIR");
	}
	if (!S_ISREG(status.st_mode) || status.st_size > PACKET_BYTE_LIMIT) {
		fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%.180s'", path);
		return error_because(err, "it is no regular file of at most %d MiB", PACKET_BYTE_LIMIT >> 20);
	}
	packet->root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
	if (!packet->root || strcmp(packet_text(packet->root, "schema"), "crosscut.packet/1")) {
		fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%.180s'", path);
		return error_because(err, "%s", packet->root ? "its schema is not crosscut.packet/1" : where.text);
	}
	*ret = take(packet);
	return 0;
}

int packet_save(struct packet *packet, struct error *err)
{
	CLEANUP_TEXT char *path = packet_path(packet, "packet.json"), *fresh = packet_path(packet, ".packet.json.new");
	char digest[DIGEST_TEXT_SIZE], *text;
	struct output to;
	int r;

	packet_digest_root(packet->root, digest);
	json_object_set_new(packet->root, "root", json_string(digest));
	r = output_open(&to, fresh, OUTPUT_REPLACE, err);
	if (r < 0)
		return r;
	text = json_dumps(packet->root, JSON_INDENT(1));
	output_puts(&to, text);
	output_puts(&to, "\n");
	free(text);
	r = output_finish(&to, err);
	if (r >= 0 && rename(fresh, path))
		r = fail(err, FAILURE_WORK, -errno, "cannot write '%.180s'", path);
	return r;
}

void packet_note(struct packet *packet, const char *what, ...)
{
	json_t *ledger = json_object_get(packet->root, "ledger");
	char text[512], at[32];
	time_t now = time(NULL);
	struct tm utc;
	va_list arguments;

	va_start(arguments, what);
	(void)vsnprintf(text, sizeof(text), what, arguments);
	va_end(arguments);
	(void)strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	json_array_append_new(ledger, json_pack("{s:s,s:s}", "at", at, "what", text));
}

void packet_refuse(struct packet *packet, const char *why)
{
	json_object_set_new(packet->root, "refused", json_string(why));
	packet_note(packet, "refused: %s", why);
}

/* --- A new one -------------------------------------------------------------------------------------------------- */

static json_t *words_of(const struct runbook *runbook, const char *section)
{
	json_t *object = json_object();

	for (size_t i = 0; i < runbook_count(runbook); i++)
		if (!strcmp(runbook_at(runbook, i)->section, section))
			json_object_set_new(object, runbook_at(runbook, i)->key, json_string(runbook_at(runbook, i)->value));
	return object;
}

/* "disk:3, runnable" with the default share, as {"name","by"}. */
static json_t *predictions_of(const char *list, double by, const struct prediction *otherwise)
{
	json_t *array = json_array();

	for (; !list && otherwise && otherwise->name; otherwise++)
		json_array_append_new(array, json_pack("{s:s,s:f}", "name", otherwise->name, "by", by > 0 ? by : otherwise->by));
	for (const char *at = list; at && *at; at += strspn(at, ", \t")) {
		size_t size = strcspn(at, ", \t");
		CLEANUP_TEXT char *name = xstrndup(at, size);
		char *colon = strchr(name, ':');

		if (colon)
			*colon = '\0';
		if (size)
			json_array_append_new(array, json_pack("{s:s,s:f}", "name", name, "by", colon ? strtod(colon + 1, NULL) : by));
		at += size;
	}
	return array;
}

static void mark_lower(json_t *predictions, const char *list)
{
	json_t *prediction;
	size_t i;

	json_array_foreach(predictions, i, prediction) {
		const char *name = packet_text(prediction, "name");

		for (const char *at = list; at && *at; at += strspn(at, ", \t")) {
			size_t size = strcspn(at, ", \t");

			if (strlen(name) == size && !strncmp(name, at, size))
				json_object_set_new(prediction, "may_be_lower", json_true());
			at += size;
		}
	}
}

static const char *word_of(const json_t *words, const char *key)
{
	return json_string_value(json_object_get(words, key));
}

json_t *packet_hypothesis(const json_t *words)
{
	const char *mechanism = word_of(words, "mechanism"), *by = word_of(words, "by");
	const struct hypothesis *row = mechanism ? hypothesis_find(mechanism) : NULL;
	json_t *must_move;

	if (!row)
		return NULL;
	must_move = predictions_of(word_of(words, "must-move"), by ? strtod(by, NULL) : 0, row->must_move);
	mark_lower(must_move, word_of(words, "may-end-lower"));
	return json_pack("{s:s,s:s,s:s,s:o,s:o}", "mechanism", row->name, "states", row->mechanism, "change", row->change, "must_move",
			 must_move, "must_not_move", predictions_of(word_of(words, "must-not-move"), 0, row->must_not_move));
}

static int add_hypothesis(json_t *root, const struct runbook *runbook, struct error *err)
{
	const char *mechanism = runbook_value(runbook, "hypothesis", "mechanism");
	json_t *words, *hypothesis;

	if (!mechanism)
		return 0;
	words = words_of(runbook, "hypothesis");
	hypothesis = packet_hypothesis(words);
	json_decref(words);
	if (!hypothesis) {
		fail(err, FAILURE_USAGE, -EINVAL, "%s: unknown mechanism '%.64s'", runbook_path(runbook), mechanism);
		error_because(err, "no hypothesis has that name");
		return error_try(err, "crosscut list hypotheses");
	}
	json_object_set_new(root, "hypothesis", hypothesis);
	return 0;
}

static json_t *root_of(const struct runbook *runbook, bool simulated)
{
	const char *pairs = runbook_value(runbook, "test", "pairs"), *falsified = runbook_value(runbook, "bounds", "falsified-by");
	json_t *root = json_pack("{s:s,s:b,s:[],s:[],s:[]}", "schema", "crosscut.packet/1", "simulated", simulated, "captures", "traces",
				 "ledger");

	json_object_set_new(root, "contract", words_of(runbook, "contract"));
	json_object_set_new(root, "bounds", words_of(runbook, "bounds"));
	json_object_set_new(root, "falsified_by", json_string(falsified ? falsified : ""));
	json_object_set_new(root, "pairs_asked", json_integer(pairs ? atoi(pairs) : PACKET_PAIRS_LEAST));
	return root;
}

int packet_new(const char *directory, const struct runbook *runbook, bool simulated, struct packet **ret, struct error *err)
{
	static const char *const selectors[] = { "workload", "build", "tenant", "endpoint", "outcome", "state", "unit", "suspected",
						 "decision", NULL };
	CLEANUP(packet) struct packet *packet = xcalloc(1, sizeof(*packet));
	CLEANUP_TEXT char *path = xasprintf("%s/packet.json", directory), *captures = xasprintf("%s/captures", directory);
	int r = runbook_require(runbook, "contract", selectors, err);

	if (r < 0)
		return r;
	packet->directory = xstrdup(directory);
	packet->root = root_of(runbook, simulated);
	r = add_hypothesis(packet->root, runbook, err);
	if (r < 0)
		return r;
	if (!access(path, F_OK)) {
		fail(err, FAILURE_WORK, -EEXIST, "cannot make a packet in '%.180s'", directory);
		error_because(err, "there is one already");
		return error_try(err, "crosscut packet report %s, or another folder", directory);
	}
	r = directory_make(captures);
	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot make '%.180s'", captures);
	packet_note(packet, "made from the runbook %s", runbook_path(runbook));
	r = packet_save(packet, err);
	if (r >= 0)
		*ret = take(packet);
	return r < 0 ? r : 0;
}

/* --- Adding ----------------------------------------------------------------------------------------------------- */

static int copy_file(const char *from, const char *to, struct error *err)
{
	CLEANUP_FD int fd = open(from, O_RDONLY | O_CLOEXEC);
	static char bytes[65536];
	struct output output;
	ssize_t size;
	int r;

	if (fd < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%.180s'", from);
	r = output_open(&output, to, 0, err);
	if (r < 0)
		return r;
	while ((size = read(fd, bytes, sizeof(bytes))) > 0)
		output_write(&output, bytes, (size_t)size);
	if (size < 0)
		output.code = -errno;
	return output_finish(&output, err);
}

static unsigned pairs_of(const struct packet *packet, const char *arm, unsigned pair)
{
	unsigned highest = 0, found = 0;
	json_t *capture;
	size_t i;

	json_array_foreach(json_object_get(packet->root, "captures"), i, capture) {
		unsigned one = (unsigned)json_integer_value(json_object_get(capture, "pair"));

		if (strcmp(packet_text(capture, "arm"), arm))
			continue;
		highest = one > highest ? one : highest;
		found |= one == pair;
	}
	return pair ? found : highest;
}

/* NULL, or what the packet calls the recording that this chain of digests is of in another pair. */
static const char *name_of_chain(const struct packet *packet, const char *chain, unsigned pair)
{
	json_t *capture;
	size_t i;

	json_array_foreach(json_object_get(packet->root, "captures"), i, capture) {
		if (!strcmp(packet_text(capture, "chain"), chain) &&
		    json_integer_value(json_object_get(capture, "pair")) != (json_int_t)pair)
			return packet_text(capture, "file");
	}
	return NULL;
}

static int check_new(const struct packet *packet, const char *path, unsigned pair, struct error *err)
{
	char chain[DIGEST_TEXT_SIZE];
	const char *name;
	int r = native_digest(path, chain, err);

	if (r < 0)
		return r;
	name = name_of_chain(packet, chain, pair);
	if (!name)
		return 0;
	(void)fail(err, FAILURE_USAGE, -EEXIST, "'%.160s' is in the packet already", path);
	(void)error_because(err, "it is the recording %s, and one run says nothing of how runs differ", name);
	return error_try(err, "a recording of its own for each pair");
}

static int add_objective(struct packet *packet, json_t *capture, const char *path, const char *name, struct error *err)
{
	CLEANUP_TEXT char *target = packet_path(packet, name);
	char digest[DIGEST_TEXT_SIZE];
	int r = copy_file(path, target, err);

	if (r >= 0)
		r = packet_digest_file(target, digest, err);
	if (r < 0)
		return r;
	json_object_set_new(capture, "objective", json_string(name));
	json_object_set_new(capture, "objective_sha256", json_string(digest));
	json_object_set_new(capture, "load", packet_load(target));      /* nothing where it does not tell */
	return 0;
}

static int add_capture(struct packet *packet, json_t *capture, const char *path, const char *name, struct error *err)
{
	CLEANUP_TEXT char *target = packet_path(packet, name);
	char digest[DIGEST_TEXT_SIZE], chain[DIGEST_TEXT_SIZE];
	json_t *figures, *gates, *stated;
	int r = copy_file(path, target, err);

	if (r >= 0)
		r = packet_digest_file(target, digest, err);
	if (r >= 0)
		r = native_digest(target, chain, err);
	if (r >= 0)
		r = packet_figures(target, &figures, &gates, &stated, err);
	if (r < 0)
		return r;
	json_object_set_new(capture, "file", json_string(name));
	json_object_set_new(capture, "sha256", json_string(digest));
	json_object_set_new(capture, "chain", json_string(chain));
	json_object_set_new(capture, "figures", figures);
	json_object_set_new(capture, "gates", gates);
	if (json_is_true(json_object_get(stated, "simulated")) && !json_is_true(json_object_get(packet->root, "simulated"))) {
		json_object_set_new(packet->root, "simulated", json_true());
		packet_note(packet, "marked as simulated: %s is no measurement", path);
	}
	json_decref(stated);
	return 0;
}

int packet_add(struct packet *packet, const char *arm, unsigned pair, const char *path, const char *objective, struct error *err)
{
	json_t *captures = json_object_get(packet->root, "captures"), *capture;
	unsigned number = pair ? pair : pairs_of(packet, arm, 0) + 1;
	CLEANUP_TEXT char *name = xasprintf("captures/%s-%u.xcut", arm, number), *json = xasprintf("captures/%s-%u.json", arm, number);
	int r;

	if (json_array_size(captures) >= PACKET_CAPTURE_LIMIT || (pair && pairs_of(packet, arm, pair))) {
		fail(err, FAILURE_USAGE, -EEXIST, "cannot add '%.160s' as %s %u", path, arm, number);
		return error_because(err, "the packet has one of that number, or %d captures", PACKET_CAPTURE_LIMIT);
	}
	r = check_new(packet, path, number, err);
	if (r < 0)
		return r;
	capture = json_pack("{s:s,s:i}", "arm", arm, "pair", (int)number);
	r = add_capture(packet, capture, path, name, err);
	if (r >= 0 && objective)
		r = add_objective(packet, capture, objective, json, err);
	if (r < 0) {
		json_decref(capture);
		return r;
	}
	json_array_append_new(captures, capture);
	packet_note(packet, "added %s as %s", path, name);
	return 0;
}

int packet_add_trace(struct packet *packet, const char *path, struct error *err)
{
	json_t *traces = json_object_get(packet->root, "traces");
	const char *slash = strrchr(path, '/');
	CLEANUP_TEXT char *name = xasprintf("captures/trace-%zu-%.100s", json_array_size(traces) + 1, slash ? slash + 1 : path);
	CLEANUP_TEXT char *target = packet_path(packet, name);
	char digest[DIGEST_TEXT_SIZE];
	int r = copy_file(path, target, err);

	if (r >= 0)
		r = packet_digest_file(target, digest, err);
	if (r < 0)
		return r;
	json_array_append_new(traces, json_pack("{s:s,s:s}", "file", name, "sha256", digest));
	packet_note(packet, "added the trace %s as %s", path, name);
	return 0;
}
