// SPDX-License-Identifier: Apache-2.0
// Who waited for whom, as a picture: waiters left, holders right, a line per pair and lock, as thick as the wait was long. It is
// drawn above any table that has such pairs, which stays below it as its text. A thread may stand on both sides: then the
// eye can follow a chain, or a circle.
import { element, shape } from "./dom.js";
import { colorSolid, colorVariable } from "./color.js";
import { quantity, whole } from "./quantity.js";

const GRAPH_NODES = 18, GRAPH_ROW = 34, GRAPH_WIDTH = 900, GRAPH_NAME = 250;
const GRAPH_DASHES = ["", "7 4", "2 3", "10 3 2 3"];

export function graphIsOf(columns) {
	return ["waiter", "holder", "wait"].every((key) => columns.some((column) => column.key === key));
}

function graphSums(rows, key) {
	const sums = new Map();
	for (const row of rows)
		sums.set(row[key], (sums.get(row[key]) || 0) + row.wait);
	return [...sums].sort((a, b) => b[1] - a[1]).slice(0, GRAPH_NODES);
}

export class Graph {
	constructor(rows, label) {
		this.rows = rows;
		this.locks = [...new Set(rows.map((row) => row.lock))];
		this.left = graphSums(rows, "waiter");
		this.right = graphSums(rows, "holder");
		this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
		this.picture = element("div", { class: "graph" });
		this.host = element("div", null, this.picture, this.status);
		this.label = label;
		this.draw();
	}

	// The lock of an edge by its colour and by its dashes.
	style(row) {
		const at = this.locks.indexOf(row.lock);
		return { color: colorSolid({ kind: "waiting", index: at }), dash: GRAPH_DASHES[Math.floor(at / 2) % GRAPH_DASHES.length] };
	}

	words(row) {
		return `${row.waiter} waited ${quantity(row.wait, "ns")} for ${row.lock}, held by ${row.holder}${row.count ? `, in ${whole(row.count)} parts` : ""}`;
	}

	y(at) {
		return 24 + at * GRAPH_ROW;
	}

	node(name, sum, at, right) {
		const x = right ? GRAPH_WIDTH - GRAPH_NAME + 8 : GRAPH_NAME - 8, y = this.y(at), fill = colorVariable("--text"), quiet = colorVariable("--quiet");
		const text = (content, dy, color) => shape("text", { x, y: y + dy, fill: color, "font-size": 13, "text-anchor": right ? "start" : "end" }, content);
		return [text(name, 0, fill), text(`${right ? "caused" : "waited"} ${quantity(sum, "ns")}`, 13, quiet)];
	}

	edge(row, most) {
		const from = this.left.findIndex(([name]) => name === row.waiter), to = this.right.findIndex(([name]) => name === row.holder);
		if (from < 0 || to < 0)
			return null;
		const { color, dash } = this.style(row), a = GRAPH_NAME, b = GRAPH_WIDTH - GRAPH_NAME, middle = (a + b) / 2, width = 1.5 + 12 * (row.wait / most);
		const tell = () => this.status.replaceChildren(this.words(row));
		return shape("path", { d: `M${a} ${this.y(from)} C${middle} ${this.y(from)} ${middle} ${this.y(to)} ${b} ${this.y(to)}`, fill: "none", stroke: color,
			"stroke-width": width.toFixed(1), "stroke-dasharray": dash || null, "stroke-opacity": 0.8, tabindex: 0, role: "img", "aria-label": this.words(row),
			class: "graph-edge", on: { mouseenter: tell, focus: tell } }, shape("title", null, this.words(row)));
	}

	draw() {
		const most = Math.max(...this.rows.map((row) => row.wait)), height = this.y(Math.max(this.left.length, this.right.length)) + 4;
		const edges = this.rows.map((row) => this.edge(row, most)).filter(Boolean), hidden = this.rows.length - edges.length;
		this.picture.replaceChildren(
			element("p", { class: "quiet" }, "Waiters left, who held the lock right; a line is as thick as the wait was long."
				+ `${hidden ? ` ${whole(hidden)} pairs are in the table only.` : ""}`),
			element("ul", { class: "legend" }, this.locks.slice(0, 12).map((lock, at) => element("li", null,
				element("span", { class: "swatch", style: { background: colorSolid({ kind: "waiting", index: at }) } }), lock))),
			shape("svg", { viewBox: `0 0 ${GRAPH_WIDTH} ${height}`, role: "group", "aria-label": this.label }, edges,
				this.left.map(([name, sum], at) => this.node(name, sum, at, false)), this.right.map(([name, sum], at) => this.node(name, sum, at, true))));
	}
}
