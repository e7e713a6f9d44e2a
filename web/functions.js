// SPDX-License-Identifier: Apache-2.0
// The functions of a tree as a sortable table: the same answer as the flame graph, in words and figures.
import { button, element } from "./dom.js";
import { percent, quantity, whole } from "./quantity.js";
import { treeFunctions } from "./tree.js";

const ROWS_STEP = 40;
const COLUMNS = [["self", "self"], ["value", "inclusive"], ["name", "function"]];

export class Functions {
	constructor(choose) {
		this.choose = choose;
		this.host = element("div", { class: "functions" });
		this.key = "self";
		this.descending = true;
		this.room = ROWS_STEP;
	}

	set(tree) {
		this.tree = tree;
		this.rows = treeFunctions(tree);
		this.hits = null;
		this.room = ROWS_STEP;
		this.draw();
	}

	filter(hits) {
		this.hits = hits;
		this.room = ROWS_STEP;
		this.draw();
	}

	sort(key) {
		this.descending = this.key === key ? !this.descending : key !== "name";
		this.key = key;
		this.draw();
		this.host.querySelector(`[data-key="${key}"]`).focus();
	}

	ordered() {
		const sign = this.descending ? -1 : 1, key = this.key;
		return this.rows
			.filter((row) => !this.hits || this.hits[row.id])
			.sort((a, b) => sign * (key === "name" ? a.name.localeCompare(b.name) : a[key] - b[key]));
	}

	header([key, title]) {
		const sorted = this.key !== key ? "none" : this.descending ? "descending" : "ascending";
		return element("th", { scope: "col", "aria-sort": sorted, class: key === "name" ? null : "number" },
			button(title, `Sort by ${title}`, () => this.sort(key), { "data-key": key }));
	}

	figure(value) {
		return element("td", { class: "number", title: quantity(value, this.tree.unit) }, percent(value / this.tree.total));
	}

	row(row) {
		return element("tr", null, this.figure(row.self), this.figure(row.value),
			element("td", { class: "function" }, button(row.name, `${row.name}: callers and callees`, () => this.choose(row.id))));
	}

	draw() {
		const rows = this.ordered(), shown = rows.slice(0, this.room);
		const more = () => {
			this.room += ROWS_STEP * 5;
			this.draw();
		};
		this.host.replaceChildren(
			element("table", { "aria-label": `Functions, ${this.tree.unit}, ${this.tree.weighting}` },
				element("thead", null, element("tr", null, COLUMNS.map((column) => this.header(column)))),
				element("tbody", null, shown.map((row) => this.row(row)))),
			element("p", { class: "more" }, `${whole(shown.length)} of ${whole(rows.length)} functions `,
				shown.length < rows.length ? button("Show more", null, more, { class: "small" }) : null));
	}
}
