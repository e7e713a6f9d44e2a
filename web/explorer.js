// SPDX-License-Identifier: Apache-2.0
// Everything about trees: one tab per dimension, the flame graph of the chosen one, what is known about the chosen frame,
// a search, the callers and callees of a function (a "sandwich"), and the functions as a table. Trees are unfolded
// when first shown, so that a document of many opens as fast as one of few.
import { button, element } from "./dom.js";
import { percent, quantity, whole } from "./quantity.js";
import { colorChange, colorChangeSolid, colorFrames, colorSolid } from "./color.js";
import { treeCallees, treeCallers, treeChange, treeName, treePrepare } from "./tree.js";
import { Flame } from "./flame.js";
import { Functions } from "./functions.js";
import { documentCompletions } from "./document.js";

// "trees.grew.disk" is half of a difference: what grew; "trees.shrank.disk" is the other half.
function halfChange(part) {
	return (/^trees\.(grew|shrank)\./.exec(part) || [])[1] || "";
}

function halfTitle(part) {
	const change = halfChange(part), name = part.replace(/^trees\.((grew|shrank)\.)?/, "");
	return change ? `${name} ${change === "grew" ? "▲" : "▼"} ${change}` : name;
}

export class Explorer {
	// parts: the tree sections of the document, of one or more captures
	constructor(answer, parts, dimensions) {
		this.answer = answer;
		this.dimensions = dimensions;
		const entries = parts.flatMap((part) => part.members.map((member) => ({
			group: member.group, title: halfTitle(part.part), change: halfChange(part.part), raw: member.value,
			dimension: part.part.split(".").pop().split("/")[0], tree: null })));
		this.groups = [...new Set(entries.map((entry) => entry.group))];
		this.entries = this.groups.flatMap((group) => entries.filter((entry) => entry.group === group));
		this.pattern = "";
		this.build();
		this.show(this.entries[0]);
	}

	build() {
		const handlers = (flame) => ({
			select: (node) => this.describe(flame(), node),
			hover: (picked, event) => this.hover(flame(), picked, event),
			key: (event) => this.key(event.key),
		});
		this.flame = new Flame("Flame graph. Arrow keys walk, Enter zooms, Escape resets, slash searches, s shows callers and callees.",
			handlers(() => this.flame));
		this.callers = new Flame("Callers of the function, nearest at the bottom", handlers(() => this.callers));
		this.callees = new Flame("Callees of the function, nearest at the top", handlers(() => this.callees));
		this.callers.icicle = false;
		this.functions = new Functions((name) => this.sandwich(name));
		this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
		this.found = element("span", { class: "found", role: "status" });
		this.about = element("p", { class: "quiet about" });
		this.tip = element("div", { class: "tip", hidden: true, "aria-hidden": "true" });
		this.search = element("input", { type: "search", placeholder: "Search (/)", "aria-label": "Search functions, as a regular expression",
			autocomplete: "off", spellcheck: "false", on: { input: () => this.find(), keydown: (event) => this.searchKey(event) } });
		this.inverter = button("Flame (i)", "Root at the bottom", () => this.invert());
		this.resetter = button("Reset (Esc)", "Show everything again", () => this.reset());
		this.sandwicher = button("Sandwich (s)", "Callers and callees of the chosen function", () => this.sandwich());
		this.whole = element("div", { class: "graphs" }, this.flame.host);
		this.halves = element("div", { class: "graphs sandwich", hidden: true });
		this.tabs = element("div", { class: "tabs" });
		this.host = element("div", { class: "explorer" }, this.tabs,
			element("div", { class: "tools" }, this.search, this.found, element("span", { class: "gap" }),
				this.inverter, this.sandwicher, this.resetter),
			element("div", { class: "panes" },
				element("div", { class: "picture" }, this.about, this.whole, this.halves, this.status), this.functions.host),
			this.tip);
	}

	drawTabs() {
		this.tabs.replaceChildren(...this.groups.map((group) => element("div", { class: "tab-line" },
			group ? element("span", { class: "tab-group" }, group) : null,
			element("div", { role: "tablist", "aria-label": `Dimensions ${group}` },
				this.entries.filter((entry) => entry.group === group).map((entry) => this.tab(entry))))));
	}

	tab(entry) {
		const chosen = entry === this.entry;
		return element("button", { type: "button", role: "tab", "aria-selected": String(chosen), tabindex: chosen ? "0" : "-1",
			on: { click: () => this.show(entry), keydown: (event) => this.tabKey(event, entry) } },
			element("span", { class: "swatch", style: { background: entry.change ? colorChangeSolid(entry.change === "grew")
				: colorSolid(this.dimensions.get(entry.dimension)) } }),
			entry.title, element("span", { class: "quiet" }, ` ${quantity(entry.raw.total, entry.raw.unit)}`));
	}

	tabKey(event, entry) {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (!step)
			return;
		event.preventDefault();
		const at = this.entries.indexOf(entry) + step + this.entries.length;
		this.show(this.entries[at % this.entries.length]);
		this.tabs.querySelector("[aria-selected=true]").focus();
	}

	show(entry) {
		this.entry = entry;
		entry.tree = entry.tree || treePrepare(entry.raw);
		this.completions = documentCompletions(this.answer, entry.group);
		this.drawTabs();
		this.about.textContent = this.aboutText(entry.tree);
		this.leaveSandwich();
		if (entry.tree.size) {
			this.flame.set(entry.tree, this.steps(entry.tree));
			this.functions.set(entry.tree);
			this.describe(this.flame, 0);
			this.find();
		}
		this.whole.hidden = !entry.tree.size;
	}

	// The legend of a difference: what width and colour mean.
	changeText(tree) {
		const { change } = this.entry, total = quantity(tree.total, tree.unit);
		return `Width is how much the stacks below a frame ${change}, ${total} per correct completion in all; no width is negative, and a `
			+ `stack that ${change === "grew" ? "is new" : "vanished"} has its full width. Colour is the frame as a whole: orange ▲ takes more `
			+ "than before, blue ▼ less, the stronger the larger the change beside what was there; grey = hardly changed. The "
			+ `${change === "grew" ? "tree of what shrank" : "tree of what grew"} is the tab beside it.`;
	}

	aboutText(tree) {
		if (tree.size && tree.base)
			return this.changeText(tree);
		const merged = tree.coalesced ? ` ${whole(tree.coalesced)} small nodes were merged into “(other)”.` : "";
		return tree.size
			? `${quantity(tree.total, tree.unit)} in all, ${tree.weighting}, ${whole(tree.size)} nodes. Grey runs are frames too narrow to draw.${merged}`
			: "Nothing was seen in this dimension.";
	}

	// A frame has the colour of its tree's dimension; in a tree of all states, that of the state above it ("[disk/read]").
	steps(tree) {
		if (tree.base) {
			const shades = new Map();
			return (node) => {
				const level = Math.round(treeChange(tree, node) * 8) / 8;
				if (!shades.has(level))
					shades.set(level, colorChange(level));
				return shades.get(level);
			};
		}
		const of = (name) => colorFrames(this.dimensions.get(name));
		const own = of(this.entry.dimension), families = [own], named = new Map();
		tree.names.forEach((name, id) => {
			const [, state] = /^\[([^/\]]+)(\/[^\]]*)?\]$/.exec(name) || [];
			if (this.dimensions.has(state))
				named.set(id, families.push(of(state)) - 1);
		});
		if (!named.size || this.dimensions.has(this.entry.dimension))
			return () => own;
		const family = new Uint8Array(tree.size);
		for (let i = 0; i < tree.size; i++)
			family[i] = named.get(tree.name[i]) ?? (i ? family[tree.parent[i]] : 0);
		return (node) => families[family[node]];
	}

	recolor() {
		this.drawTabs();
		for (const flame of [this.flame, this.callers, this.callees])
			if (flame.tree) {
				flame.steps = this.steps(flame.tree);
				flame.draw();
			}
	}

	facts(flame, node) {
		const { tree } = flame, value = tree.value[node], self = tree.self[node];
		if (tree.base)
			return [`${quantity(tree.base[node], tree.unit)} → ${quantity(tree.candidate[node], tree.unit)} per correct completion`,
				`${quantity(value, tree.unit)} ${this.entry.change} at or below it, ${percent(value / this.entry.tree.total)} of what ${this.entry.change}`];
		const facts = [
			`${quantity(value, tree.unit)} inclusive, ${percent(value / this.entry.tree.total)}`,
			`${quantity(self, tree.unit)} self, ${percent(self / this.entry.tree.total)}`,
		];
		if (this.completions)
			facts.push(`${quantity(value / this.completions, tree.unit)} per completion`);
		if (tree.count && tree.count[node])
			facts.push(`${whole(tree.count[node])} seen`);
		return facts;
	}

	describe(flame, node) {
		const facts = this.facts(flame, node).join(" · ");
		this.status.replaceChildren(element("b", null, treeName(flame.tree, node)), ` ${facts} · ${flame.tree.weighting}`);
	}

	hover(flame, picked, event) {
		this.tip.hidden = !picked;
		if (!picked)
			return;
		const { tree } = flame;
		const lines = picked.run
			? [`${whole(picked.run.nodes)} frames too narrow to draw`,
				`${quantity(picked.run.value, tree.unit)}, ${percent(picked.run.value / this.entry.tree.total)} · click to zoom in`]
			: [treeName(tree, picked.node), ...this.facts(flame, picked.node), tree.weighting];
		this.tip.replaceChildren(element("b", null, lines[0]), ...lines.slice(1).map((line) => element("div", null, line)));
		const room = this.tip.getBoundingClientRect();
		this.tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - room.width - 8))}px`;
		this.tip.style.top = `${event.clientY + 18 + room.height > innerHeight ? event.clientY - room.height - 10 : event.clientY + 18}px`;
	}

	find() {
		const text = this.search.value.trim(), flames = this.halves.hidden ? [this.flame] : [this.flame, this.callers, this.callees];
		let expression = null;
		try {
			expression = text ? new RegExp(text, "i") : null;
		} catch {
			this.found.textContent = "not a regular expression";
			return;
		}
		const [found] = flames.map((flame) => flame.search(expression));
		this.functions.filter(found && found.hits);
		this.found.textContent = found
			? `${whole(found.functions)} ${found.functions === 1 ? "function matches" : "functions match"}, ${percent(found.value / this.entry.tree.total)} of the total`
			: "";
	}

	searchKey(event) {
		if (event.key === "Escape")
			this.search.value = "";
		if (event.key === "Escape")
			this.find();
		if (event.key === "Escape" || event.key === "Enter") {
			event.preventDefault();
			event.stopPropagation();
			this.flame.canvas.focus();
		}
	}

	invert() {
		this.flame.flip();
		this.inverter.textContent = this.flame.icicle ? "Flame (i)" : "Icicle (i)";
		this.inverter.title = this.flame.icicle ? "Root at the bottom" : "Root at the top";
	}

	reset() {
		this.search.value = "";
		this.find();
		this.leaveSandwich();
		this.flame.reset();
	}

	sandwich(name) {
		const { tree } = this.entry, id = name ?? tree.name[this.flame.selected];
		if (name === undefined && !this.halves.hidden) {
			this.leaveSandwich();
			this.flame.canvas.focus();
			return;
		}
		this.whole.hidden = true;
		this.halves.hidden = false;
		this.sandwicher.textContent = "Whole graph (s)";
		this.halves.replaceChildren(
			element("h4", null, "Callers of ", element("code", null, tree.names[id])), this.callers.host,
			element("h4", null, "Callees of ", element("code", null, tree.names[id])), this.callees.host);
		for (const [flame, made] of [[this.callers, treeCallers(tree, id)], [this.callees, treeCallees(tree, id)]])
			flame.set(made, this.steps(made));
		this.describe(this.callees, 0);
		this.callees.canvas.focus({ preventScroll: name !== undefined });
	}

	leaveSandwich() {
		this.halves.hidden = true;
		this.whole.hidden = false;
		this.sandwicher.textContent = "Sandwich (s)";
	}

	// Keys that work anywhere on the page; returns whether it was one.
	key(key) {
		const keys = {
			"/": () => this.search.focus(),
			i: () => this.invert(),
			s: () => this.sandwich(),
			Escape: () => this.reset(),
		};
		if (!keys[key])
			return false;
		keys[key]();
		return true;
	}
}
