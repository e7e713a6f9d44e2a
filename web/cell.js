// SPDX-License-Identifier: Apache-2.0
// One value of a table or a record, by what its column says about it.
import { element } from "./dom.js";
import { quantity, whole } from "./quantity.js";
import { tableOf } from "./table.js";

export function columnHas(column, hint) {
	return (column.hints || []).includes(hint);
}

// An empty unit in a table that has a column "unit" means the row's.
export function cellUnit(column, row) {
	if (column.unit || columnHas(column, "left") || column.key === "unit")
		return column.unit;
	return typeof row.unit === "string" ? row.unit : "";
}

export function cellIsNumber(column, rows) {
	return !columnHas(column, "left") && rows.some((row) => typeof row[column.key] === "number");
}

const VERDICTS = {
	pass: ["good", "✓"], supported: ["good", "✓"], equivalent: ["good", "≈"],
	warn: ["warning", "!"], warning: ["warning", "!"], unmeasured: ["warning", "?"], inconclusive: ["warning", "?"],
	fail: ["bad", "✕"], failure: ["bad", "✕"], rejected: ["bad", "✕"], refused: ["bad", "✕"],
	correct: ["good", "✓"], incorrect: ["bad", "✕"],
	grew: ["plain", "▲"], shrank: ["plain", "▼"], unclear: ["plain", "?"], note: ["plain", "i"],
};

export function badge(word) {
	const [tone, sign] = VERDICTS[word] || ["plain", "·"];
	return element("span", { class: `badge ${tone}` }, element("span", { "aria-hidden": "true" }, sign), ` ${word}`);
}

export function cellText(column, value, row) {
	if (value === null || value === undefined)
		return "–";
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (typeof value === "number") {
		const unit = cellUnit(column, row);
		if (columnHas(column, "left") || columnHas(column, "code"))
			return String(value);
		return !unit && Number.isInteger(value) ? whole(value) : quantity(value, unit);
	}
	return String(value);
}

// Code may break at its separators, so that a stack of forty frames stays on the page.
function codeOf(text) {
	return element("code", null, text.split(/(?<=;)/).map((piece) => [piece, element("wbr")]));
}

function nestedRecord(column, value) {
	const titles = new Map((column.columns || []).map((inner) => [inner.key, inner]));
	return Object.entries(value).map(([key, inner], at) => {
		const described = titles.get(key) || { key, title: key, unit: "" };
		return [at ? " · " : "", element("span", { class: "quiet" }, `${described.title} `),
			cellContent(described, inner, value)];
	});
}

export function cellContent(column, value, row) {
	if (Array.isArray(value)) {
		if (!value.length)
			return element("span", { class: "quiet" }, "none");
		return element("details", null, element("summary", null, `${column.title} (${value.length})`),
			tableOf({ columns: column.columns || [], rows: value, unit: row.unit,
				leftOut: row[`${column.key}_rows_left_out`] }));
	}
	if (value && typeof value === "object")
		return nestedRecord(column, value);
	const text = cellText(column, value, row);
	if (typeof value === "string" && ["verdict", "outcome", "severity"].includes(column.key))
		return badge(value);
	return typeof value === "string" && columnHas(column, "code") ? codeOf(text) : text;
}
