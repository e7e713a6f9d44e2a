/* SPDX-License-Identifier: Apache-2.0 */
/* What a file says its seal's digest is: the end of its chain. Whether that holds is the reader's to check. */
#include "format/native.h"

#include "base/error.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

int native_digest(const char *path, char ret[NATIVE_DIGEST_SIZE], struct error *err)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	const unsigned char *text = NULL;

	*ret = '\0';
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, "SELECT value FROM meta WHERE key = 'digest'", -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		text = sqlite3_column_text(statement, 0);
	if (text && strlen((const char *)text) == NATIVE_DIGEST_SIZE - 1)
		(void)snprintf(ret, NATIVE_DIGEST_SIZE, "%s", text);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
	if (*ret)
		return 0;
	fail(err, FAILURE_WORK, -EBADMSG, "'%.180s' has no seal", path);
	return error_because(err, "it is no capture file, or its recorder did not finish it");
}
