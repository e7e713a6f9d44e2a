/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How block requests by file lie in a profile: cells of the role DETAIL and this source. Thread is who submitted; none: a worker
 * of the kernel, for write-back. Object is the file and the operation, "read folder/name"; parts of block-operations say what.
 * Pages that threads made dirty stand beside them, under FILE_DIRTIED and the name of the file alone: by them what workers
 * wrote back can be shared among threads, which is an inference.
 */
#define FILE_IO "files"
#define FILE_KIND "file"
#define FILE_METADATA "metadata"
#define FILE_DIRTIED "file-dirtied"
/* Looks into the page cache, of the file alone as well: cache-found and cache-missed. */
#define FILE_CACHED "file-cached"
