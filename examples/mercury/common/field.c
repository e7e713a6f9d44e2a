/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the warehouses and of the fields, in the order of the fields in an answer. */
#include "field.h"

#define FIELD(warehouse, measure) "warehouse.inventory.current." warehouse "." measure
#define WAREHOUSE(name) \
	FIELD(name, "ordered"), FIELD(name, "on_hand"), FIELD(name, "reserved"), \
	FIELD(name, "returned"), FIELD(name, "damaged"), FIELD(name, "in_transit"), \
	FIELD(name, "unit_price"), FIELD(name, "reorder_level")

const char *const warehouse_names[WAREHOUSE_COUNT] = {
	"amsterdam", "barcelona", "copenhagen", "dublin", "frankfurt", "gdansk", "helsinki",
	"istanbul", "lisbon", "marseille", "napoli", "oslo", "praha", "rotterdam", "stockholm",
	"warszawa",
};

const char *const field_names[FIELD_COUNT] = {
	WAREHOUSE("amsterdam"), WAREHOUSE("barcelona"), WAREHOUSE("copenhagen"),
	WAREHOUSE("dublin"),    WAREHOUSE("frankfurt"), WAREHOUSE("gdansk"),
	WAREHOUSE("helsinki"),  WAREHOUSE("istanbul"),  WAREHOUSE("lisbon"),
	WAREHOUSE("marseille"), WAREHOUSE("napoli"),    WAREHOUSE("oslo"),
	WAREHOUSE("praha"),     WAREHOUSE("rotterdam"), WAREHOUSE("stockholm"),
	WAREHOUSE("warszawa"),
};
