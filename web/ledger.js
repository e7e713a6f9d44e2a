// SPDX-License-Identifier: Apache-2.0
// The ledger as bars: one stacked bar per capture, then a row per dimension with bars on one scale. Captures stand side
// by side per completion, so that a longer bar always means more for the same work. Idle time may be left out of bars,
// never out of figures.
import { button, element } from "./dom.js";
import { percent, quantity } from "./quantity.js";
import { colorInk, colorSolid } from "./color.js";
import { cellContent, cellIsNumber } from "./cell.js";
import { tableOf } from "./table.js";
import { histogramOf } from "./histogram.js";
import { documentCompletions } from "./document.js";

const isTime = (row) => row.unit === "ns" && row.kind !== "amount" && row.kind !== "level";
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

class Ledger {
	constructor(answer, part, dimensions) {
		this.members = part.members;
		this.dimensions = dimensions;
		this.per = this.members.every((member) => documentCompletions(answer, member.group) > 0 &&
			member.value.some((row) => typeof row.per_completion === "number"));
		this.rows = this.rowsOf();
		this.hasIdle = this.rows.some((row) => row.kind === "idle");
		this.idle = !this.rows.some((row) => row.kind !== "idle" && isTime(row));
		this.host = element("div", { class: "ledger" });
		this.open = new Set();
	}

	// One entry per dimension, with the row of each capture (or undefined where it has none).
	rowsOf() {
		const names = new Map();
		this.members.forEach((member, at) => member.value.forEach((row) => {
			if (!names.has(row.name))
				names.set(row.name, { name: row.name, kind: row.kind, unit: row.unit, of: [] });
			names.get(row.name).of[at] = row;
		}));
		return [...names.values()];
	}

	size(row, at) {
		const of = row.of[at], value = of ? (this.per ? of.per_completion : of.total) : 0;
		return Number.isFinite(value) ? value : 0;
	}

	inBars(row) {
		return isTime(row) && (this.idle || row.kind !== "idle");
	}

	allTime(at) {
		return sum(this.rows.filter(isTime).map((row) => (row.of[at] ? row.of[at].total : 0)));
	}

	share(row, at) {
		return row.of[at] && isTime(row) ? row.of[at].total / this.allTime(at) : NaN;
	}

	basis() {
		return this.per ? "per completion" : "in total";
	}

	stacked(at, most) {
		const rows = this.rows.filter((row) => this.inBars(row) && this.size(row, at) > 0);
		const all = sum(rows.map((row) => this.size(row, at)));
		const bar = element("div", { class: "stack", role: "img",
			"aria-label": rows.map((row) => `${row.name} ${quantity(this.size(row, at), row.unit)}`).join(", "),
			style: { width: `${most > 0 ? (100 * all) / most : 0}%` } },
			rows.map((row) => this.segment(row, at, all)));
		return element("div", { class: "stack-line" },
			element("span", { class: "stack-name" }, this.members[at].group || "all threads"),
			element("div", { class: "stack-room" }, bar),
			element("span", { class: "stack-total" }, quantity(all, "ns")));
	}

	segment(row, at, all) {
		const size = this.size(row, at);
		return element("div", {
			class: `segment ${row.kind}`, data: { name: row.name },
			title: `${row.name}: ${quantity(size, row.unit)} ${this.basis()}, ${percent(this.share(row, at))} of thread time`,
			style: { "flex-grow": size / all, background: colorSolid(this.dimensions.get(row.name)) },
		}, element("span", { style: { color: colorInk(this.dimensions.get(row.name)) } }, row.name));
	}

	bars(row, most) {
		return element("td", { class: "bars" }, this.members.map((member, at) => element("div", {
			class: `lane lane-${at}`, title: member.group || null },
			element("span", { style: {
				width: this.bar(row, at, most), background: colorSolid(this.dimensions.get(row.name)) } }))));
	}

	bar(row, at, most) {
		if (isTime(row) && !this.inBars(row))
			return "0%";
		const size = this.size(row, at), scale = isTime(row) ? most : Math.max(...this.members.map((_, of) => this.size(row, of)));
		return `${scale > 0 ? (100 * size) / scale : 0}%`;
	}

	name(row) {
		const open = this.open.has(row.name), has = this.hasDetails(row);
		return element("th", { scope: "row", class: "dimension" },
			element("button", { type: "button", class: "expand", "aria-expanded": has ? String(open) : null, disabled: !has,
				title: has ? "Parts and histogram" : null,
				on: { click: () => this.toggle(row.name) } },
				element("span", { class: "arrow", "aria-hidden": "true" }, has ? (open ? "▾" : "▸") : ""),
				element("span", { class: `swatch ${row.kind}`, style: { background: colorSolid(this.dimensions.get(row.name)) } }),
				row.name),
			element("span", { class: "quiet" }, row.kind));
	}

	toggle(name) {
		if (!this.open.delete(name))
			this.open.add(name);
		this.draw();
		[...this.host.querySelectorAll(".expand")].find((one) => one.closest("tr").dataset.name === name).focus({ preventScroll: true });
	}

	nested() {
		return this.members[0].section.columns.filter((column) => this.members.some((member) =>
			member.value.some((row) => Array.isArray(row[column.key]))));
	}

	hasDetails(row) {
		return this.nested().some((column) => row.of.some((of) => of && (of[column.key] || []).length));
	}

	details(row, width) {
		const each = this.members.map((member, at) => element("div", { class: "detail" },
			member.group ? element("h4", null, member.group) : null,
			this.nested().filter((column) => row.of[at] && (row.of[at][column.key] || []).length)
				.map((column) => this.nestedOf(column, row.of[at]))));
		return element("tr", { class: "details" }, element("td", { colspan: width }, element("div", { class: "side" }, each)));
	}

	nestedOf(column, row) {
		const rows = row[column.key], inner = column.columns || [];
		return /^(below|up_to|upto)/.test(inner[0] ? inner[0].key : "")
			? histogramOf(column, rows)
			: tableOf({ columns: inner, rows, unit: row.unit, label: `${column.title} of ${row.name}` });
	}

	plainColumns() {
		const nested = this.nested();
		return this.members[0].section.columns.filter((column) =>
			!["name", "kind", "unit", "share"].includes(column.key) && !nested.includes(column) &&
			this.members[0].value.some((row) => row[column.key] !== null));
	}

	// [{title, number, cell: (row) => content}]
	columns() {
		return this.members.length > 1 ? this.columnsSideBySide() : this.columnsAlone();
	}

	columnsAlone() {
		const rows = this.members[0].value;
		const columns = this.plainColumns().map((column) => ({ title: column.title, number: cellIsNumber(column, rows),
			cell: (row) => cellContent(column, row.of[0][column.key], row.of[0]) }));
		const at = columns.findIndex((column) => column.title === "total");
		columns.splice(at + 1, 0, { title: "share", number: true, share: true, cell: (row) => percent(this.share(row, 0)) });
		return columns;
	}

	columnsSideBySide() {
		const of = (title, cell, extra) => this.members.map((member, at) => ({
			title: `${member.group} ${title}`, number: true, cell: (row) => cell(row, at), ...extra }));
		const change = { title: "change", number: true, cell: (row) => this.change(row) };
		return [
			...of(this.basis(), (row, at) => (row.of[at] ? quantity(this.size(row, at), row.unit) : "–")),
			...(this.members.length === 2 ? [change] : []),
			...of("share", (row, at) => percent(this.share(row, at)), { share: true }),
		];
	}

	change(row) {
		const before = this.size(row, 0), after = this.size(row, 1);
		if (!(before > 0) || !row.of[1])
			return "–";
		const by = after / before - 1;
		return `${by > 0 ? "▲ +" : by < 0 ? "▼ −" : ""}${percent(Math.abs(by))}`;
	}

	table(rows, label, most) {
		const columns = this.columns().filter((column) => !column.share || rows.some(isTime));
		return element("div", { class: "scroll" }, element("table", { class: "dimensions", "aria-label": label },
			element("thead", null, element("tr", null, element("th", { scope: "col" }, label),
				element("th", { scope: "col" }, this.barTitle(rows)),
				columns.map((column) => element("th", { scope: "col", class: column.number ? "number" : null }, column.title)))),
			element("tbody", null, rows.map((row) => [
				element("tr", { data: { name: row.name } }, this.name(row), this.bars(row, most),
					columns.map((column) => element("td", { class: column.number ? "number" : null }, column.cell(row)))),
				this.open.has(row.name) ? this.details(row, columns.length + 2) : null,
			]))));
	}

	barTitle(rows) {
		if (this.members.length === 1)
			return rows.some(isTime) ? this.basis() : "";
		return this.members.map((member, at) => element("span", { class: `lane-key lane-${at}` }, member.group));
	}

	draw() {
		const inBars = this.rows.filter((row) => this.inBars(row));
		const stackMost = Math.max(...this.members.map((_, at) => sum(inBars.map((row) => this.size(row, at)))));
		const rowMost = Math.max(...inBars.flatMap((row) => this.members.map((_, at) => this.size(row, at))));
		const time = this.rows.filter(isTime), amounts = this.rows.filter((row) => !isTime(row));
		this.host.replaceChildren(
			element("div", { class: "stacks" }, this.members.map((_, at) => this.stacked(at, stackMost))),
			element("p", { class: "quiet idle-note" }, this.note()),
			this.table(time, "dimension", rowMost),
			...(amounts.length ? [this.table(amounts, "amount", 0)] : []));
	}

	note() {
		if (!this.hasIdle)
			return `Bars: thread time ${this.basis()}.`;
		const shares = this.members.map((member, at) => {
			const idle = sum(this.rows.filter((row) => row.kind === "idle").map((row) => this.share(row, at) || 0));
			return `${percent(idle)}${member.group ? ` of ${member.group}` : " of thread time"}`;
		});
		return [
			`Bars: thread time ${this.basis()}, ${this.idle ? "idle included" : "idle left out"} (${shares.join(", ")}); shares are of all thread time. `,
			button(this.idle ? "Leave idle out" : "Include idle", null, () => {
				this.idle = !this.idle;
				this.draw();
				this.host.querySelector(".idle-note button").focus();
			}, { class: "small" }),
		].flat();
	}
}

export function ledgerOf(answer, part, dimensions) {
	const ledger = new Ledger(answer, part, dimensions);
	ledger.draw();
	return { host: ledger.host, recolor: () => ledger.draw() };
}
