/* SPDX-License-Identifier: Apache-2.0 */
/* One client's connection: requests are read, answered and read again until one side closes. */
#pragma once

struct cache;
struct store;
struct connection;

struct connection *connection_new(struct store *store, struct cache *cache);
void               connection_free(struct connection *connection);

/* Serves the connection to its end. Does not close it. */
void               connection_serve(struct connection *connection, int fd);
