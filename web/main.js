// SPDX-License-Identifier: Apache-2.0
// Puts the page together: each section of the document by its shape, in the document's order. Ledgers of several captures
// stand side by side where the first of them stands. All trees share one explorer, right after the ledger: a state that
// took long is looked up in the code next.
import { button, element } from "./dom.js";
import { documentDimensions, documentLoad, documentParts, partIsLedger } from "./document.js";
import { badge } from "./cell.js";
import { colorDark } from "./color.js";
import { Explorer } from "./explorer.js";
import { findingList } from "./finding.js";
import { Graph, graphIsOf } from "./graph.js";
import { helpDialog } from "./help.js";
import { ledgerOf } from "./ledger.js";
import { recordCard } from "./record.js";
import { tableOf } from "./table.js";
import { Timeline } from "./timeline.js";

class Page {
	constructor(answer) {
		this.answer = answer;
		this.dimensions = documentDimensions(answer);
		this.recolors = [];
		this.sections = [];
	}

	section(id, title, ...content) {
		const heading = element("h2", null, title,
			this.answer.refused ? element("span", { class: "refused" }, " ", badge("refused")) : null);
		this.sections.push({ id, title });
		return element("section", { id: `section-${id}`, "aria-label": title }, heading, content);
	}

	// Records that follow one another share a line of cards.
	draw() {
		const drawn = [], parts = documentParts(this.answer), trees = parts.filter((part) => part.kind === "tree");
		const before = trees.length ? parts.filter(partIsLedger).pop() || trees[0] : null;
		let cards = null;
		for (const part of parts) {
			if (part.kind !== "record")
				cards = null;
			if (part.kind === "record") {
				if (!cards)
					drawn.push(cards = element("div", { class: part.members.length > 1 ? "cards pair" : "cards" }));
				cards.append(this.section(part.part, part.title, recordCard(part)));
			} else if (part.kind !== "tree") {
				drawn.push(this.shape(part));
			}
			if (part === before)
				drawn.push(this.trees(trees));
		}
		return drawn;
	}

	shape(part) {
		if (part.kind === "finding")
			return this.section("findings", part.title, findingList(part.members[0].value));
		if (part.kind === "timeline")
			return this.section(part.part, part.title, part.members.map((member) => this.timeline(member)));
		if (partIsLedger(part)) {
			const ledger = ledgerOf(this.answer, part, this.dimensions);
			this.recolors.push(ledger.recolor);
			return this.section(part.part, part.title, ledger.host);
		}
		return this.section(part.part, part.title, part.members.map((member) => [
			member.group ? element("h3", null, member.group) : null,
			graphIsOf(member.section.columns) && member.value.length ? this.graph(member, part.title) : null,
			tableOf({ columns: member.section.columns, rows: member.value, leftOut: member.section.rows_left_out, label: part.title })]));
	}

	trees(parts) {
		this.explorer = new Explorer(this.answer, parts, this.dimensions);
		this.recolors.push(() => this.explorer.recolor());
		return this.section("trees", "Where in the code", this.explorer.host);
	}

	graph(member, label) {
		const graph = new Graph(member.value, label);
		this.recolors.push(() => graph.draw());
		return graph.host;
	}

	timeline(member) {
		const timeline = new Timeline(member.value, this.dimensions);
		this.recolors.push(() => timeline.recolor());
		return [member.group ? element("h3", null, member.group) : null, timeline.host];
	}

	// The gates' verdicts, counted, where nobody can miss them.
	verdicts() {
		const gates = documentParts(this.answer).filter((part) => part.part === "gates" && part.kind === "table");
		const words = gates.flatMap((part) => part.members).flatMap((member) => member.value).map((row) => row.verdict);
		const counted = [...new Set(words)].map((word) => [word, words.filter((one) => one === word).length]);
		return counted.length ? element("a", { class: "verdicts", href: "#section-gates", title: "Gates: may this evidence speak?" },
			"gates", counted.map(([word, count]) => [" ", badge(word), ` ${count}`])) : null;
	}

	header() {
		this.themer = button("", null, () => this.theme(colorDark() ? "light" : "dark"));
		this.help = helpDialog();
		return element("header", null,
			element("h1", null, element("span", { class: "brand" }, "crosscut"), ` ${this.answer.title || this.answer.schema}`),
			this.verdicts(), element("span", { class: "gap" }),
			this.themer, button("Keys (?)", null, () => this.help.showModal()), this.help);
	}

	contents() {
		return element("nav", { "aria-label": "Sections" },
			this.sections.map(({ id, title }) => element("a", { href: `#section-${id}` }, title)));
	}

	theme(name) {
		document.documentElement.dataset.theme = name;
		this.themer.textContent = `${name === "dark" ? "Light" : "Dark"} theme (t)`;
		this.recolors.forEach((recolor) => recolor());
	}

	key(event) {
		const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || this.help.open;
		if (event.defaultPrevented || typing || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "t")
			this.theme(colorDark() ? "light" : "dark");
		else if (event.key === "?")
			this.help.showModal();
		else if (!this.explorer || !this.explorer.key(event.key))
			return;
		event.preventDefault();
	}
}

async function main() {
	const host = document.getElementById("page");
	document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
	const page = new Page(await documentLoad());
	const drawn = page.draw();
	host.append(page.header(), page.contents(),
		page.answer.refused ? element("p", { class: "banner", role: "alert" }, badge("refused"),
			" This comparison was refused and is shown because --anyway was given. Do not decide by it.") : "",
		element("main", null, drawn));
	page.theme(document.documentElement.dataset.theme);
	document.addEventListener("keydown", (event) => page.key(event));
	document.documentElement.dataset.readyMs = Math.round(performance.now());
}

main().catch((error) => {
	document.getElementById("page").append(element("p", { class: "banner", role: "alert" }, `This page could not be drawn: ${error.message}`));
	throw error;
});
