// SPDX-License-Identifier: Apache-2.0
// A histogram as columns, with its figures in the title of each and in words for a screen reader.
import { element } from "./dom.js";
import { cellText, columnHas } from "./cell.js";

export function histogramOf(column, rows) {
	const [bound, ...rest] = column.columns;
	const height = rest.find((one) => columnHas(one, "bar")) || rest[0];
	const most = Math.max(...rows.map((row) => row[height.key]));
	const boundText = (row) => (row[bound.key] === null ? "and above" : `below ${cellText(bound, row[bound.key], row)}`);
	const words = (row) => [boundText(row), ...rest.map((one) => `${one.title} ${cellText(one, row[one.key], row)}`)].join(", ");
	const last = [...rows].reverse().find((row) => row[bound.key] !== null) || rows[0];
	return element("figure", { class: "histogram" },
		element("figcaption", null, `${column.title}: ${height.title} by length`),
		element("div", { class: "columns", role: "img", "aria-label": rows.map(words).join("; ") },
			rows.map((row) => element("span", { class: "column", title: words(row) },
				element("span", { style: { height: `${most > 0 ? Math.max(row[height.key] > 0 ? 2 : 0, (100 * row[height.key]) / most) : 0}%` } })))),
		element("div", { class: "ends" }, element("span", null, boundText(rows[0])), element("span", null, boundText(last))));
}
