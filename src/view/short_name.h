/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A function's name as a line has room for it: template arguments, then parameters, become "…". Only views shorten;
 * documents, JSON and captures hold whole names.
 *
 *	std::vector<std::pair<int, char>, std::allocator<…> >::push_back(…)  →  std::vector<…>::push_back(…)
 */

enum { SHORT_NAME_LENGTH = 80 };                     /* bytes; names up to this stay as they are */

char *short_name(const char *name);                  /* a new text */
