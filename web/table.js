// SPDX-License-Identifier: Apache-2.0
// Any table: sorted by its headers, numbers right, bars where its author wants them. Bars of one unit share one scale,
// so that columns side by side can be compared. Long tables begin short; columns of which nothing is known are left out.
import { button, element } from "./dom.js";
import { whole } from "./quantity.js";
import { cellContent, cellIsNumber, cellUnit, columnHas } from "./cell.js";

const ROWS_FIRST = 12;

function scalesOf(columns, rows) {
	const scales = new Map();
	for (const column of columns.filter((one) => columnHas(one, "bar")))
		for (const row of rows) {
			const unit = cellUnit(column, row), size = Math.abs(row[column.key]);
			if (Number.isFinite(size))
				scales.set(unit, Math.max(scales.get(unit) || 0, size));
		}
	return scales;
}

function barOf(column, row, scales) {
	const most = scales.get(cellUnit(column, row));
	const share = most > 0 && typeof row[column.key] === "number" ? Math.abs(row[column.key]) / most : 0;
	return element("span", { class: "bar", "aria-hidden": "true" },
		element("span", { style: { width: `${(share * 100).toFixed(2)}%` } }));
}

function compare(key, descending) {
	const sign = descending ? -1 : 1;
	return (a, b) => {
		const x = a[key], y = b[key];
		if (x === y)
			return 0;
		if (x === null || x === undefined)
			return 1;
		if (y === null || y === undefined)
			return -1;
		return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
	};
}

// Numbers take their unit from the row, so that the column "unit" would only repeat it.
function unitIsShown(columns, rows) {
	return columns.some((column) => !column.unit && !columnHas(column, "code") && cellIsNumber(column, rows));
}

function isNested(column, rows) {
	return rows.some((row) => row[column.key] && typeof row[column.key] === "object");
}

// {columns, rows, unit: what an empty unit means, leftOut: rows beyond the document's limit, label}
export function tableOf({ columns, rows, unit, leftOut, label }) {
	const described = unit === undefined ? rows : rows.map((row) => ({ unit, ...row }));
	const shown = columns.filter((column, at) => (column.key === "unit"
		? !unitIsShown(columns, described)
		: at === 0 || described.some((row) => row[column.key] !== null && row[column.key] !== undefined)));
	const state = { key: null, descending: true, all: rows.length <= ROWS_FIRST + 3 };
	const scales = scalesOf(shown, described), body = element("tbody"), more = element("div", { class: "more" });
	const numbers = new Map(shown.map((column) => [column.key, cellIsNumber(column, described)]));
	const headers = new Map();

	const draw = () => {
		const ordered = state.key ? described.slice().sort(compare(state.key, state.descending)) : described;
		const few = state.all ? ordered : ordered.slice(0, ROWS_FIRST);
		body.replaceChildren(...few.map((row) => element("tr", null, shown.map((column) => cell(column, row)))));
		headers.forEach((header, key) => header.setAttribute("aria-sort",
			key !== state.key ? "none" : state.descending ? "descending" : "ascending"));
		more.replaceChildren(...moreOf());
	};
	const cell = (column, row) => {
		const number = numbers.get(column.key), content = cellContent(column, row[column.key], row);
		return element("td", { class: number ? "number" : null }, number && columnHas(column, "bar")
			? element("div", { class: "barred" }, barOf(column, row, scales), element("span", null, content))
			: content);
	};
	const moreOf = () => [
		state.all ? null : button(`Show all ${whole(rows.length)} rows`, null, () => {
			state.all = true;
			draw();
		}),
		leftOut ? element("p", { class: "quiet" }, `${whole(leftOut)} more rows were left out of the document: it is limited.`) : null,
	].filter(Boolean);
	const sort = (key) => {
		state.descending = state.key === key ? !state.descending : numbers.get(key);
		state.key = key;
		draw();
	};
	const head = (column) => {
		const plain = isNested(column, described);
		const header = element("th", { scope: "col", class: numbers.get(column.key) ? "number" : undefined },
			plain ? column.title : button(column.title, `Sort by ${column.title}`, () => sort(column.key)));
		if (!plain)
			headers.set(column.key, header);
		return header;
	};

	const table = element("table", { "aria-label": label },
		element("thead", null, element("tr", null, shown.map(head))), body);
	if (!rows.length)
		return element("p", { class: "quiet" }, "None.");
	draw();
	return element("div", { class: "scroll" }, table, more);
}
