// SPDX-License-Identifier: Apache-2.0
// Records as cards: a title and a value per line; one column of values per capture where several stand side by side.
import { element } from "./dom.js";
import { cellContent } from "./cell.js";

export function recordCard(part) {
	const fields = new Map();
	for (const member of part.members)
		for (const column of member.section.columns)
			fields.set(column.key, column);
	const lines = [...fields.values()].map((column) => recordLine(part, column));
	const groups = part.members.map((member) => member.group).filter(Boolean);
	return element("table", { class: "record" },
		groups.length ? element("thead", null, element("tr", null, element("td"),
			groups.map((group) => element("th", { scope: "col" }, group)))) : null,
		element("tbody", null, lines));
}

function recordLine(part, column) {
	return element("tr", null,
		element("th", { scope: "row" }, column.title),
		part.members.map((member) => element("td", null, cellContent(column, member.value[column.key], {}))));
}
