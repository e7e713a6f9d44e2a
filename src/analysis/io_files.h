/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Block requests by file, by the thread that submitted them, and what workers wrote back for whom (profile/file_io.h). */
struct document;
struct question;

/* Adds nothing where the capture was not made --with files. */
void io_files_add(const struct question *question, struct document *into);
