/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row for row: our tables beside what `readelf -wF` says, which reads the same sections by other people's code.
 *
 *	compare_rows FILE...                prints a line per file that differs, then totals; exit status 1 where any differs
 *	compare_rows --go FULL STRIPPED     readelf's of the one beside ours of the other, two builds of one Go program
 *
 * Each row that readelf prints holds from its address to the next row's, or to the end of its FDE: at both ends our table
 * must say the same, as far as readelf's columns go. Between two FDEs more than 15 bytes apart ours must say that it knows
 * nothing. And ours must not change anywhere but where a row or a gap of readelf's begins.
 *
 * What readelf cannot say is counted apart: "exp" stands for any expression, so ours may be any kind that expressions
 * become.
 */
#include "base/cleanup.h"
#include "base/memory.h"
#include "unwind/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COLUMN_LIMIT = 64, CELL_SIZE = 24 };

/* One row of readelf's, with the cells that matter; "" where a column is missing. */
struct theirs {
	uint64_t from, to;
	char cfa[CELL_SIZE], rbp[CELL_SIZE], rsp[CELL_SIZE], ra[CELL_SIZE];
	uint32_t fde;           /* number of the FDE, in order of appearance */
	bool is_debug;
	bool is_signal;
};

struct reading {
	struct theirs *rows;
	size_t count, room;
	uint32_t fdes;
	bool is_debug;

	char columns[COLUMN_LIMIT][CELL_SIZE];
	size_t column_count;
	uint64_t fde_end;
	bool in_fde, in_cie;
	/* The row of each CIE of this section, which is the first of its FDEs; `from` is the offset that they name it with. */
	struct theirs *cies;
	size_t cie_count, cie_room;
};

struct totals {
	size_t files, without, refused, fdes, rows, our_rows, differences, discarded, doubles, expressions, unsupported;
	double seconds;
};

static double cpu_seconds(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static size_t split(char *line, char cells[][CELL_SIZE], size_t most)
{
	size_t count = 0;

	for (char *at = strtok(line, " \n"); at && count < most; at = strtok(NULL, " \n"))
		(void)snprintf(cells[count++], CELL_SIZE, "%s", at);
	return count;
}

/* "r10 (r10)" is a cell of two words: the second says again what the first did. Also "r16 (rip)". */
static size_t join(char cells[][CELL_SIZE], size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (cells[i][0] != '(')
			memmove(cells[kept++], cells[i], CELL_SIZE);
	return kept;
}

static const struct theirs *cie_of(const struct reading *reading, uint64_t offset)
{
	for (size_t i = reading->cie_count; i-- > 0;)
		if (reading->cies[i].from == offset)
			return &reading->cies[i];
	return NULL;
}

/* A row ends where the next of its FDE begins, and holds nowhere if that is where it began. */
static void add_row(struct reading *reading, const struct theirs *row)
{
	struct theirs *last = reading->count ? &reading->rows[reading->count - 1] : NULL;

	if (last && last->fde == row->fde) {
		last->to = row->from;
		reading->count -= last->from == row->from;
	}
	grow(reading->rows, reading->count, reading->room);
	reading->rows[reading->count++] = *row;
}

/* readelf prints no row for an FDE without instructions: it has its CIE's. */
static void begin_fde(struct reading *reading, const char *line)
{
	const struct theirs *cie;
	struct theirs row;
	uint64_t offset, from;

	if (sscanf(line, " FDE cie=%lx pc=%lx..%lx", &offset, &from, &reading->fde_end) != 3)
		return;
	reading->fdes++;
	reading->in_fde = true;
	cie = cie_of(reading, offset);
	row = cie ? *cie : (struct theirs){ 0 };
	row.from = from;
	row.to = reading->fde_end;
	row.fde = reading->fdes;
	row.is_debug = reading->is_debug;
	add_row(reading, &row);
}

static void begin_entry(struct reading *reading, const char *line)
{
	const char *fde = strstr(line, " FDE "), *cie = strstr(line, " CIE ");
	char letters[CELL_SIZE] = "";

	reading->in_fde = reading->in_cie = false;
	reading->column_count = 0;
	if (fde) {
		begin_fde(reading, fde);
	} else if (cie) {
		reading->in_cie = true;
		(void)sscanf(cie, " CIE \"%23[^\"]\"", letters);
		grow(reading->cies, reading->cie_count, reading->cie_room);
		reading->cies[reading->cie_count++] = (struct theirs){ .from = strtoull(line, NULL, 16),
								      .is_signal = strchr(letters, 'S') };
	}
}

static void read_cells(const struct reading *reading, char cells[][CELL_SIZE], size_t count, struct theirs *row)
{
	for (size_t i = 1; i < count && i < reading->column_count; i++) {
		const char *name = reading->columns[i];
		char *into = !strcmp(name, "CFA") ? row->cfa : !strcmp(name, "rbp") ? row->rbp :
			     !strcmp(name, "rsp") ? row->rsp : !strcmp(name, "ra") ? row->ra : NULL;

		if (into)
			memcpy(into, cells[i], CELL_SIZE);
	}
}

static void read_row(struct reading *reading, char *line)
{
	char cells[COLUMN_LIMIT][CELL_SIZE];
	size_t count = join(cells, split(line, cells, COLUMN_LIMIT));
	struct theirs row;

	if (reading->in_cie) {
		read_cells(reading, cells, count, &reading->cies[reading->cie_count - 1]);
		return;
	}
	row = (struct theirs){ .from = strtoull(cells[0], NULL, 16), .to = reading->fde_end, .fde = reading->fdes,
			       .is_debug = reading->is_debug, .is_signal = reading->rows[reading->count - 1].is_signal };
	read_cells(reading, cells, count, &row);
	add_row(reading, &row);
}

static void read_line(struct reading *reading, char *line)
{
	if (strncmp(line, "Contents of the ", 16) == 0) {
		reading->is_debug = strstr(line, "debug_frame") != NULL;
		reading->cie_count = 0;
		reading->in_fde = reading->in_cie = false;
	} else if (strstr(line, " FDE ") || strstr(line, " CIE ")) {
		begin_entry(reading, line);
	} else if (strncmp(line, "   LOC", 6) == 0) {
		reading->column_count = split(line, reading->columns, COLUMN_LIMIT);
	} else if ((reading->in_fde || reading->in_cie) && reading->column_count && strspn(line, "0123456789abcdef") == 16) {
		read_row(reading, line);
	}
}

/* False where readelf cannot be run. */
static bool read_theirs(const char *path, struct reading *ret)
{
	CLEANUP_TEXT char *line = NULL;
	size_t room = 0;
	int pipes[2], status;
	FILE *from;
	pid_t child;

	if (pipe(pipes) < 0)
		return false;
	child = fork();
	if (child == 0) {
		(void)dup2(pipes[1], 1);
		(void)dup2(open("/dev/null", O_WRONLY), 2);
		(void)close(pipes[0]);
		(void)close(pipes[1]);
		(void)execlp("readelf", "readelf", "--debug-dump=frames-interp,no-follow-links", "--", path, (char *)NULL);
		_exit(127);
	}
	(void)close(pipes[1]);
	from = fdopen(pipes[0], "r");
	while (getline(&line, &room, from) >= 0)
		read_line(ret, line);
	(void)fclose(from);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) != 127;
}

static int by_start(const void *left, const void *right)
{
	const struct theirs *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->is_debug != b->is_debug)
		return a->is_debug - b->is_debug;
	return a->fde < b->fde ? -1 : a->fde > b->fde;
}

static const struct unwind_row *ours_at(const struct unwind_tables *tables, uint64_t address)
{
	size_t i = tables->count;

	while (i > 1 && tables->tables[i - 1].base > address)
		i--;
	return i ? unwind_table_row(&tables->tables[i - 1], address) : NULL;
}

/* "rsp+16" → rsp and 16. */
static bool parse_cfa(const char *cell, const char *reg, long *ret)
{
	size_t length = strlen(reg);

	if (strncmp(cell, reg, length) != 0 || (cell[length] != '+' && cell[length] != '-'))
		return false;
	*ret = strtol(cell + length, NULL, 10);
	return true;
}

static int number_of(const char *name)
{
	static const char *const names[] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
					     "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
	for (int i = 0; i < 16; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0 && !strchr("0123456789", name[strlen(names[i])] ? name[strlen(names[i])] : ' '))
			return i;
	return -1;
}

static bool same_cfa(const struct theirs *theirs, const struct unwind_row *ours)
{
	unsigned int kind = ours->kind & 15;
	long offset = 0;
	int number;

	if (strcmp(theirs->cfa, "exp") == 0)
		return kind == UNWIND_PLT || kind == UNWIND_AT_RSP || kind == UNWIND_AT_RBP || kind == UNWIND_UNSUPPORTED;
	if (parse_cfa(theirs->cfa, "rsp", &offset) && offset >= 0 && offset % 8 == 0 && offset / 8 <= UINT16_MAX)
		return kind == UNWIND_RSP && ours->cfa == offset / 8;
	if (parse_cfa(theirs->cfa, "rbp", &offset) && offset >= 0 && offset % 8 == 0 && offset / 8 <= UINT16_MAX)
		return kind == UNWIND_RBP && ours->cfa == offset / 8;
	number = number_of(theirs->cfa);
	if (number >= 0 && number != 6 && number != 7) {
		offset = strtol(theirs->cfa + strcspn(theirs->cfa, "+-"), NULL, 10);
		if (offset >= 0 && offset % 8 == 0 && offset / 8 <= UINT8_MAX)
			return kind == UNWIND_REGISTER && ours->cfa == (number | offset / 8 << 8);
	}
	return kind == UNWIND_UNSUPPORTED;
}

static bool same_rbp(const struct theirs *theirs, const struct unwind_row *ours)
{
	unsigned int kind = ours->kind >> 4;
	long offset;

	if (!theirs->rbp[0] || strcmp(theirs->rbp, "u") == 0 || strcmp(theirs->rbp, "s") == 0)
		/* readelf prints "u" both where a rule is not set, and where it is lost */
		return kind == UNWIND_RBP_SAME || kind == UNWIND_RBP_UNKNOWN;
	if (theirs->rbp[0] == 'c') {
		offset = strtol(theirs->rbp + 1, NULL, 10);
		return offset % 8 || offset / 8 < INT8_MIN || offset / 8 > INT8_MAX
			? kind == UNWIND_RBP_UNKNOWN : kind == UNWIND_RBP_AT_CFA && ours->rbp == offset / 8;
	}
	if (strcmp(theirs->rbp, "exp") == 0)
		return kind == UNWIND_RBP_AT_RBP || kind == UNWIND_RBP_UNKNOWN;
	return kind == UNWIND_RBP_UNKNOWN;
}

static bool same_rule(const struct theirs *theirs, const struct unwind_row *ours)
{
	unsigned int kind = ours->kind & 15;
	long offset;

	if (kind == UNWIND_SIGNAL)
		return theirs->is_signal && strcmp(theirs->cfa, "exp") == 0;
	if (strcmp(theirs->ra, "u") == 0)
		return kind == UNWIND_STOP;
	if (theirs->rsp[0] && strcmp(theirs->rsp, "u") != 0 && strcmp(theirs->rsp, "v+0") != 0)
		return kind == UNWIND_UNSUPPORTED;
	if (theirs->ra[0] == 'r')                                       /* by number, unlike the CFA's */
		return kind == UNWIND_RETURN_REGISTER && parse_cfa(theirs->cfa, "rsp", &offset) &&
		       ours->cfa == (strtol(theirs->ra + 1, NULL, 10) | offset / 8 << 8);
	if (strcmp(theirs->ra, "c-8") != 0)
		return kind == UNWIND_UNSUPPORTED;
	return same_cfa(theirs, ours) && (kind == UNWIND_UNSUPPORTED || same_rbp(theirs, ours));
}

static void differ(struct totals *totals, const char *path, uint64_t address, const struct theirs *theirs, const struct unwind_row *ours)
{
	if (totals->differences++ < 20)
		printf("# %s: at %lx readelf has cfa %s rbp %s ra %s%s, we have kind %x cfa %u rbp %d\n", path, address,
		       theirs ? theirs->cfa : "none", theirs ? theirs->rbp : "", theirs ? theirs->ra : "",
		       theirs && theirs->is_signal ? " (signal)" : "", ours ? ours->kind : 0xff, ours ? ours->cfa : 0, ours ? ours->rbp : 0);
}

/* The linker's leavings: described code that lies in no table of ours. Counted, and shown to be at no code of the file. */
static bool is_discarded(const struct theirs *theirs, const struct unwind_tables *tables)
{
	const struct unwind_row *ours = ours_at(tables, theirs->from);

	return theirs->is_debug && (theirs->from < 4096 || theirs->from > INT64_MAX) && (!ours || (ours->kind & 15) == UNWIND_NONE);
}

/* An FDE may advance to its end and say more there, of no code. */
static void drop_empty(struct reading *reading)
{
	size_t kept = 0;

	for (size_t i = 0; i < reading->count; i++)
		if (reading->rows[i].from < reading->rows[i].to)
			reading->rows[kept++] = reading->rows[i];
	reading->count = kept;
}

/* Which of readelf's rows hold: of those with the same start of FDE only the first FDE's. */
static void compare(const char *path, struct reading *reading, const struct unwind_tables *tables, struct totals *totals)
{
	const struct theirs *rows = reading->rows;
	size_t next, our_rows = 0;
	uint64_t covered = 0, *starts = xmalloc((reading->count * 2 + 1) * sizeof(*starts));
	size_t start_count = 0;

	drop_empty(reading);
	qsort(reading->rows, reading->count, sizeof(*rows), by_start);
	for (size_t i = 0; i < reading->count; i = next) {
		uint64_t to = rows[i].to;

		for (next = i + 1; next < reading->count && rows[next].from == rows[i].from; next++)
			totals->doubles++;
		if (rows[i].from < covered && next < reading->count && rows[i].is_debug) {
			totals->doubles++;                              /* inside what another description covers */
			continue;
		}
		if (is_discarded(&rows[i], tables)) {
			totals->discarded++;
			continue;
		}
		if (next < reading->count && rows[next].from < to)
			to = rows[next].from;
		if (to <= rows[i].from)
			continue;
		for (int end = 0; end < 2; end++) {
			uint64_t address = end ? to - 1 : rows[i].from;
			const struct unwind_row *ours = ours_at(tables, address);

			if (!ours || !same_rule(&rows[i], ours)) {
				differ(totals, path, address, &rows[i], ours);
				break;
			}
			if (!end && (ours->kind & 15) == UNWIND_UNSUPPORTED)
				totals->unsupported++;
		}
		totals->rows++;
		totals->expressions += strcmp(rows[i].cfa, "exp") == 0 || strcmp(rows[i].rbp, "exp") == 0;
		starts[start_count++] = rows[i].from;
		covered = to;
		if (next == reading->count || rows[next].from > to + 15) {
			const struct unwind_row *ours = ours_at(tables, to);

			starts[start_count++] = to;
			if (!ours || (ours->kind & 15) != UNWIND_NONE)
				differ(totals, path, to, NULL, ours);
		}
	}
	/* Both are in order of address: each of ours must begin where one of theirs does. */
	for (size_t t = 0, at = 0; t < tables->count; t++)
		for (size_t i = 0; i < tables->tables[t].count; i++, our_rows++) {
			uint64_t address = tables->tables[t].base + tables->tables[t].rows[i].pc;

			while (at < start_count && starts[at] < address)
				at++;
			if (at == start_count || starts[at] != address)
				differ(totals, path, address, NULL, &tables->tables[t].rows[i]);
		}
	totals->our_rows += our_rows;
	free(starts);
}

static void compare_file(const char *path, struct totals *totals)
{
	struct reading reading = { 0 };
	struct unwind_tables tables = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;
	double began = cpu_seconds();
	unsigned char head[18] = { 0 };

	r = fd < 0 ? -errno : unwind_tables_read_file(fd, &tables);
	totals->seconds += cpu_seconds() - began;
	if (fd >= 0 && pread(fd, head, sizeof(head), 0) == sizeof(head) && memcmp(head, "\177ELF", 4) == 0 && head[16] == 1)
		r = -ENOEXEC;                                           /* a relocatable object: nothing in it has an address */
	if (fd >= 0)
		(void)close(fd);
	if (r == -ENOEXEC) {
		totals->refused++;
	} else if (!read_theirs(path, &reading)) {
		printf("# %s: readelf failed\n", path);
		totals->differences++;
	} else {
		totals->files += r == 0;
		totals->without += r < 0;
		totals->fdes += reading.fdes;
		compare(path, &reading, &tables, totals);
	}
	free(reading.rows);
	free(reading.cies);
	unwind_tables_free(&tables);
}

/* Go's linker says of rbp nothing, and not where a stack begins or moves to another: only where the frame is can be
 * compared, where ours is at the stack pointer; the others are counted. What lies between two descriptions is padding. */
static void compare_go_row(const char *path, const struct theirs *theirs, uint64_t address, const struct unwind_row *ours,
			   struct totals *totals)
{
	totals->rows++;
	if (ours && (ours->kind & 15) != UNWIND_RSP && (ours->kind & 15) != UNWIND_NONE)
		totals->unsupported++;
	else if (!ours || !same_cfa(theirs, ours))
		differ(totals, path, address, theirs, ours);
}

static void compare_go(const char *full, const char *stripped, struct totals *totals)
{
	struct reading reading = { 0 };
	struct unwind_tables tables = { 0 };
	CLEANUP_FD int fd = open(stripped, O_RDONLY | O_CLOEXEC);
	size_t at = 0;

	if (fd < 0 || unwind_tables_read_file(fd, &tables) < 0 || !read_theirs(full, &reading))
		return;
	totals->files++;
	totals->fdes = reading.fdes;
	drop_empty(&reading);
	qsort(reading.rows, reading.count, sizeof(*reading.rows), by_start);
	for (size_t i = 0; i < reading.count; i++)
		for (int end = 0; end < 2; end++) {
			uint64_t address = end ? reading.rows[i].to - 1 : reading.rows[i].from;

			compare_go_row(full, &reading.rows[i], address, ours_at(&tables, address), totals);
		}
	for (size_t i = 0; i < tables.tables[0].count; i++, totals->our_rows++) {
		const struct unwind_row *ours = &tables.tables[0].rows[i];
		uint64_t address = tables.tables[0].base + ours->pc;

		while (at < reading.count && reading.rows[at].to <= address)
			at++;
		if (at < reading.count && reading.rows[at].from <= address)
			compare_go_row(full, &reading.rows[at], address, ours, totals);
	}
	free(reading.rows);
	free(reading.cies);
	unwind_tables_free(&tables);
}

static int main_go(const char *full, const char *stripped)
{
	struct totals totals = { 0 };

	compare_go(full, stripped, &totals);
	printf("FDEs %zu, places compared %zu, our rows %zu, differences %zu, not at the stack pointer %zu\n", totals.fdes, totals.rows,
	       totals.our_rows, totals.differences, totals.unsupported);
	return totals.differences || totals.fdes < 1000 || totals.rows < 10000 || totals.unsupported > totals.rows / 100;
}

static int main_files(int count, char **arguments)
{
	struct totals totals = { 0 };
	struct rusage usage;

	for (int i = 1; i < count; i++) {
		size_t before = totals.differences;

		compare_file(arguments[i], &totals);
		if (totals.differences != before)
			printf("# %s: %zu differences\n", arguments[i], totals.differences - before);
	}
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("files %zu, without call-frame information %zu, refused %zu, FDEs %zu, rows compared %zu, our rows %zu, differences %zu\n",
	       totals.files, totals.without, totals.refused, totals.fdes, totals.rows, totals.our_rows, totals.differences);
	printf("of them: twice there %zu, of discarded code %zu, with an expression %zu, unsupported %zu\n", totals.doubles,
	       totals.discarded, totals.expressions, totals.unsupported);
	printf("parsed in %.3f s of processor time\n", totals.seconds);
	return totals.differences || !totals.files;
}

int main(int count, char **arguments)
{
	if (count == 4 && strcmp(arguments[1], "--go") == 0)
		return main_go(arguments[2], arguments[3]);
	return main_files(count, arguments);
}
