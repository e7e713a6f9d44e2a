// SPDX-License-Identifier: Apache-2.0
// A timeline with what belongs to it: a search, what is known of the chosen span, and the legend, which sums each state over
// what is shown, so that the picture can be read as a table too.
import { button, element } from "./dom.js";
import { colorSolid } from "./color.js";
import { lanesBy, lanesFor, lanesPrepare, lanesSearch, lanesTotals } from "./lanes.js";
import { percent, quantity, whole } from "./quantity.js";
import { Strip } from "./strip.js";

export class Timeline {
	// raw: the section's value; dimensions: those of the ledger, so that a state has one colour on the whole page
	constructor(raw, dimensions) {
		this.lanes = lanesPrepare(raw);
		this.colors = this.colorsOf(dimensions);
		this.strip = new Strip(this.lanes, this.colors, {
			select: (span) => this.describe(span), hover: (span, event) => this.hover(span, event),
			moved: () => this.summarise(), key: (event) => this.key(event.key),
		});
		this.build();
		this.summarise();
		if (this.lanes.size)
			this.describe(this.strip.selected);
	}

	// What the ledger does not name takes the next colour of its kind.
	colorsOf(dimensions) {
		const known = new Map(dimensions), seen = {};
		for (const { kind, index } of known.values())
			seen[kind] = Math.max(seen[kind] ?? 0, index + 1);
		return this.lanes.states.map(({ state, kind }) => {
			const family = kind === "request" ? "amount" : kind;
			if (!known.has(state))
				known.set(state, { kind: family, index: seen[family] = (seen[family] ?? -1) + 1 });
			return known.get(state);
		});
	}

	build() {
		this.search = element("input", { type: "search", placeholder: "Search (/)", "aria-label": "Search states, threads, wakers and locks, as a regular expression",
			autocomplete: "off", spellcheck: "false", on: { input: () => this.find(), keydown: (event) => this.searchKey(event) } });
		this.found = element("span", { class: "found", role: "status" });
		this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
		this.legend = element("ul", { class: "legend", "aria-label": "Time by state in what is shown" });
		this.tip = element("div", { class: "tip", hidden: true, "aria-hidden": "true" });
		const tool = (text, title, press) => button(text, title, () => press());
		this.host = element("div", { class: "timeline" },
			element("div", { class: "tools" }, this.search, this.found, element("span", { class: "gap" }),
				tool("Waker (w)", "To who ended the chosen wait", () => this.strip.follow()), tool("+", "Zoom in", () => this.strip.zoom(0.5)),
				tool("−", "Zoom out", () => this.strip.zoom(2)), tool("◂", "Earlier", () => this.strip.pan(-0.25)), tool("▸", "Later", () => this.strip.pan(0.25)),
				tool("Reset (Esc)", "Show all of it again", () => this.strip.reset())),
			this.strip.host, this.status, this.legend,
			element("p", { class: "quiet about" }, this.aboutText()), this.tip);
	}

	aboutText() {
		const { lanes } = this, joined = lanes.joined ? ` ${whole(lanes.joined)} short ones are joined with their neighbours.` : "";
		const left = lanes.left_out ? ` ${whole(lanes.left_out)} threads or requests have no lane.` : "";
		return `${whole(lanes.size)} spans on ${whole(lanes.lanes.length)} lanes, ${quantity(lanes.length, "ns")} in all. Running and waiting are high, ready `
			+ `half as high, idle a line; waits are hatched by state. Drag to move, Ctrl + wheel to zoom.${joined}${left}`;
	}

	facts(span) {
		const { lanes } = this, state = lanes.states[lanes.state[span]], by = lanesBy(lanes, span), reason = lanesFor(lanes, span);
		const request = lanes.lanes[lanes.lane[span]].kind === "request";
		return [
			`${quantity(lanes.span[span], "ns")}, from ${quantity(lanes.begin[span], "ns")} on`,
			lanes.count[span] > 1 ? `${whole(lanes.count[span])} intervals, mostly ${state.name}` : "",
			reason ? `${request ? "" : "for "}${reason}` : "",
			by ? `${request ? "served by" : "ended by"} ${by}` : "",
		].filter(Boolean);
	}

	title(span) {
		const { lanes } = this;
		return `${lanes.states[lanes.state[span]].name} · ${lanes.lanes[lanes.lane[span]].name}`;
	}

	describe(span) {
		this.status.replaceChildren(element("b", null, this.title(span)), ` ${this.facts(span).join(" · ")}`);
	}

	hover(span, event) {
		this.tip.hidden = span < 0;
		if (span < 0)
			return;
		this.tip.replaceChildren(element("b", null, this.title(span)), ...this.facts(span).map((line) => element("div", null, line)));
		const room = this.tip.getBoundingClientRect();
		this.tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - room.width - 8))}px`;
		this.tip.style.top = `${event.clientY + 18 + room.height > innerHeight ? event.clientY - room.height - 10 : event.clientY + 18}px`;
	}

	summarise() {
		const totals = lanesTotals(this.lanes, this.strip.from, this.strip.to);
		const all = this.lanes.states.reduce((sum, state, i) => sum + (state.kind === "request" ? 0 : totals[i]), 0);
		const order = [...totals.keys()].filter((i) => totals[i] > 0).sort((a, b) => totals[b] - totals[a]);
		this.legend.replaceChildren(...order.map((i) => element("li", null,
			element("span", { class: "swatch", style: { background: colorSolid(this.colors[i]) } }), this.lanes.states[i].name,
			element("span", { class: "quiet" }, ` ${quantity(totals[i], "ns")}${this.lanes.states[i].kind === "request" ? "" : `, ${percent(totals[i] / all)}`}`))));
	}

	find() {
		const text = this.search.value.trim();
		let expression = null;
		try {
			expression = text ? new RegExp(text, "i") : null;
		} catch {
			this.found.textContent = "not a regular expression";
			return;
		}
		const found = expression && lanesSearch(this.lanes, expression);
		this.strip.hits = found && found.hits;
		this.found.textContent = found ? `${whole(found.count)} ${found.count === 1 ? "span matches" : "spans match"}, ${quantity(found.time, "ns")}` : "";
		this.strip.later();
	}

	searchKey(event) {
		if (event.key !== "Escape" && event.key !== "Enter")
			return;
		event.preventDefault();
		event.stopPropagation();
		if (event.key === "Escape")
			this.search.value = "";
		this.find();
		const first = this.strip.hits ? this.strip.hits.indexOf(1, event.key === "Enter" ? this.strip.selected + 1 : 0) : -1;
		this.strip.canvas.focus({ preventScroll: true });
		if (first >= 0)
			this.strip.select(first);
	}

	recolor() {
		this.summarise();
		this.strip.draw();
	}

	// Keys while the timeline has the focus; returns whether it was one.
	key(key) {
		if (key === "n" && this.strip.hits) {
			const next = this.strip.hits.indexOf(1, this.strip.selected + 1);
			this.strip.select(next >= 0 ? next : Math.max(0, this.strip.hits.indexOf(1)));
		} else if (key === "/") {
			this.search.focus();
		} else {
			return false;
		}
		return true;
	}
}
