/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of a page are over is a word of bits beside it; the pointer of a page that went is NULL. */
#include "base/pages.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_ROWS = 64 };

struct page { char *rows; uint64_t over; };

struct pages {
	struct page *pages;
	size_t page_count, page_room, count, row_size, there;   /* there: pages that did not go */
	void *gone, *scratch;                                   /* scratch: who writes to a row that went writes here */
};

struct pages *pages_new(size_t row_size, const void *gone)
{
	struct pages *pages = xcalloc(1, sizeof(*pages));

	pages->row_size = row_size;
	pages->gone = xmalloc(row_size);
	pages->scratch = xmalloc(row_size);
	memcpy(pages->gone, gone, row_size);
	return pages;
}

void pages_free(struct pages *pages)
{
	if (!pages)
		return;
	for (size_t i = 0; i < pages->page_count; i++)
		free(pages->pages[i].rows);
	free(pages->pages);
	free(pages->gone);
	free(pages->scratch);
	free(pages);
}

uint32_t pages_add(struct pages *pages, const void *row)
{
	if (pages->count % PAGE_ROWS == 0) {
		grow(pages->pages, pages->page_count, pages->page_room);
		pages->pages[pages->page_count++] = (struct page){ .rows = xmalloc(PAGE_ROWS * pages->row_size) };
		pages->there++;
	}
	memcpy(pages->pages[pages->page_count - 1].rows + pages->count % PAGE_ROWS * pages->row_size, row, pages->row_size);
	return (uint32_t)pages->count++;
}

size_t pages_count(const struct pages *pages)
{
	return pages->count;
}

void *pages_at(const struct pages *pages, size_t row)
{
	char *rows;

	assert(row < pages->count);
	rows = pages->pages[row / PAGE_ROWS].rows;
	return rows ? rows + row % PAGE_ROWS * pages->row_size : memcpy(pages->scratch, pages->gone, pages->row_size);
}

bool pages_end(struct pages *pages, size_t row)
{
	struct page *page = &pages->pages[row / PAGE_ROWS];

	assert(row < pages->count);
	page->over |= 1ull << row % PAGE_ROWS;
	if (~page->over || !page->rows)
		return false;
	free(take(page->rows));
	pages->there--;
	return true;
}

bool pages_is_over(const struct pages *pages, size_t row)
{
	return pages->pages[row / PAGE_ROWS].over >> row % PAGE_ROWS & 1;
}

bool pages_is_gone(const struct pages *pages, size_t row)
{
	return !pages->pages[row / PAGE_ROWS].rows;
}

size_t pages_next(const struct pages *pages, size_t row)
{
	while (row < pages->count && !pages->pages[row / PAGE_ROWS].rows)
		row = (row / PAGE_ROWS + 1) * PAGE_ROWS;
	return row < pages->count ? row : pages->count;
}

size_t pages_bytes(const struct pages *pages)
{
	return sizeof(*pages) + pages->page_room * sizeof(*pages->pages) + pages->there * PAGE_ROWS * pages->row_size;
}
