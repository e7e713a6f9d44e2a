// SPDX-License-Identifier: Apache-2.0
// One flame graph on a canvas. The canvas is as large as what can be seen of it; a taller one scrolls below it. Nodes
// narrower than a pixel are joined into grey runs per row, as dense as they cover it, so that no weight is missing from
// the picture; a run can be pointed at and zoomed into like a frame.
import { canvasFit } from "./canvas.js";
import { element } from "./dom.js";
import { colorStep, colorVariable } from "./color.js";
import { fitName } from "./name.js";
import { treeName, treeSearch } from "./tree.js";

const ROW = 18, FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", TEXT_FROM = 30, NARROW = 1;

export class Flame {
	// handlers: select(node), hover(node or run or null, event), key(event) → whether it was taken
	constructor(label, handlers) {
		this.handlers = handlers;
		this.canvas = element("canvas", { tabindex: "0", role: "application", "aria-label": label });
		this.spacer = element("div", { class: "flame-spacer" }, this.canvas);
		this.host = element("div", { class: "flame" }, this.spacer);
		this.context = this.canvas.getContext("2d", { alpha: false });
		this.icicle = true;
		this.hits = null;
		this.scrolled = 0;
		this.listen();
	}

	listen() {
		this.host.addEventListener("scroll", () => this.later());
		this.canvas.addEventListener("mousemove", (event) => this.handlers.hover(this.pick(event.offsetX, event.offsetY), event));
		this.canvas.addEventListener("mouseleave", () => this.handlers.hover(null));
		this.canvas.addEventListener("click", (event) => this.press(this.pick(event.offsetX, event.offsetY)));
		this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.canvas.addEventListener("keydown", (event) => {
			if (this.key(event.key) || this.handlers.key(event))
				event.preventDefault();
		});
		this.canvas.addEventListener("focus", () => this.later());
		this.canvas.addEventListener("blur", () => this.later());
		new ResizeObserver(() => this.resize()).observe(this.host);
	}

	// steps(node) → the 16 colours of the family that the node belongs to.
	set(tree, steps) {
		this.tree = tree;
		this.steps = steps;
		this.stepOf = Uint8Array.from(tree.names, colorStep);
		this.hits = null;
		this.root = this.selected = 0;
		this.from = 0;
		this.to = tree.value[0];
		this.resize();
		this.home();
	}

	resize() {
		if (!this.tree)
			return;
		const room = Math.max(60, Math.min(Math.round(innerHeight * 0.68), this.rowsHeight()));
		canvasFit(this, room, this.rowsHeight());
		this.draw();
	}

	rowsHeight() {
		return (this.tree.deepest + 1) * ROW + 4;
	}

	// The root's end of the picture.
	home() {
		this.host.scrollTop = this.icicle ? 0 : this.rowsHeight();
	}

	flip() {
		this.icicle = !this.icicle;
		this.home();
		this.draw();
	}

	later() {
		if (!this.waiting)
			this.waiting = requestAnimationFrame(() => {
				this.waiting = 0;
				this.draw();
			});
	}

	rowTop(depth) {
		const top = this.icicle ? depth * ROW : this.rowsHeight() - 4 - (depth + 1) * ROW;
		return top - this.scrolled + 2;
	}

	depthAt(y) {
		const top = y + this.host.scrollTop - 2;
		return Math.floor((this.icicle ? top : this.rowsHeight() - 4 - top) / ROW);
	}

	draw() {
		if (!this.tree || !this.width)
			return;
		this.scrolled = this.host.scrollTop;     // asked once: for each node it would cost most of the drawing
		this.look = {
			background: colorVariable("--canvas"), text: colorVariable("--frame-text"), other: colorVariable("--frame-other"),
			hit: colorVariable("--frame-hit"), hitText: colorVariable("--frame-hit-text"), focus: colorVariable("--focus"),
			selected: colorVariable("--text"),
		};
		const context = this.context;
		context.globalAlpha = 1;
		context.fillStyle = this.look.background;
		context.fillRect(0, 0, this.width, this.height);
		this.runs = [];
		this.texts = [];
		this.walk();
		this.drawTexts();
		this.drawSelected();
	}

	// Visits what lies in view. Of a node too narrow to draw, each descendant joins the run of its row.
	walk() {
		const { tree, from, width } = this, scale = width / (this.to - from);
		const rows = [];
		for (let i = 0; i < tree.size;) {
			const x = (tree.left[i] - from) * scale, w = tree.value[i] * scale;
			if (x >= width || x + w <= 0 || this.beyond(tree.depth[i])) {
				i = tree.end[i];
			} else if (w >= NARROW) {
				this.drawNode(i, x, w);
				i++;
			} else {
				const end = tree.end[i];
				for (; i < end; i++)
					this.join(rows, i, (tree.left[i] - from) * scale, tree.value[i] * scale);
			}
		}
		rows.forEach((run) => this.drawRun(run));
	}

	// Whether a row and all that follow from it lie outside the view.
	beyond(depth) {
		const top = this.rowTop(depth);
		return this.icicle ? top > this.height : top < -ROW;
	}

	join(rows, node, x, w) {
		if (this.beyond(this.tree.depth[node]))
			return;
		const depth = this.tree.depth[node];
		let run = rows[depth];
		if (!run || x - run.right >= NARROW) {
			if (run)
				this.drawRun(run);
			run = rows[depth] = { depth, left: x, right: x, covered: 0, value: 0, nodes: 0, first: node };
		}
		run.right = x + w;
		run.covered += w;
		run.value += this.tree.value[node];
		run.nodes++;
		run.hit = run.hit || (this.hits && this.hits[this.tree.name[node]]);
	}

	drawRun(run) {
		const y = this.rowTop(run.depth);
		if (y > this.height || y < -ROW)
			return;
		const width = run.right - run.left, dense = Math.max(0.35, Math.min(1, run.covered / width));
		this.context.globalAlpha = this.hits && !run.hit ? 0.35 * dense : dense;
		this.context.fillStyle = run.hit ? this.look.hit : this.look.other;
		this.context.fillRect(run.left, y, width, ROW - 1);
		this.runs.push(run);
	}

	drawNode(node, x, w) {
		const { tree, context } = this, y = this.rowTop(tree.depth[node]);
		if (y > this.height || y < -ROW)
			return;
		const left = Math.max(0, x), right = Math.min(this.width, x + w), hit = this.hits && this.hits[tree.name[node]];
		const quiet = (this.hits && !hit) || tree.depth[node] < tree.depth[this.root];
		context.globalAlpha = quiet ? 0.4 : 1;
		context.fillStyle = hit ? this.look.hit : this.steps(node)[this.stepOf[tree.name[node]]];
		context.fillRect(left, y, Math.max(0.5, right - left - (right - left > 3 ? 1 : 0)), ROW - 1);
		if (right - left > TEXT_FROM)
			this.texts.push(node, left, y, right - left, hit ? 1 : 0, quiet ? 0.7 : 1);
	}

	drawTexts() {
		const { context, texts, tree } = this;
		context.font = FONT;
		context.textBaseline = "middle";
		this.letter = this.letter || context.measureText("mmmmmmmmmm").width / 10;
		for (let i = 0; i < texts.length; i += 6) {
			const text = fitName(treeName(tree, texts[i]), Math.floor((texts[i + 3] - 7) / this.letter));
			context.globalAlpha = texts[i + 5];
			context.fillStyle = texts[i + 4] ? this.look.hitText : this.look.text;
			context.fillText(text, texts[i + 1] + 4, texts[i + 2] + ROW / 2);
		}
		context.globalAlpha = 1;
	}

	drawSelected() {
		const { tree, context, selected } = this, scale = this.width / (this.to - this.from);
		const x = (tree.left[selected] - this.from) * scale, w = tree.value[selected] * scale;
		const left = Math.max(1, x), right = Math.min(this.width - 1, Math.max(x + w, x + 3));
		if (right <= left)
			return;
		context.strokeStyle = document.activeElement === this.canvas ? this.look.focus : this.look.selected;
		context.lineWidth = 2;
		context.strokeRect(left, this.rowTop(tree.depth[selected]), right - left - 1, ROW - 1);
	}

	// The node at a point; or the run that stands for nodes too narrow to draw; or null.
	pick(x, y) {
		const { tree } = this, depth = this.depthAt(y), weight = this.from + (x / this.width) * (this.to - this.from);
		const run = this.runs.find((one) => one.depth === depth && x >= one.left - 0.5 && x <= one.right + 0.5);
		if (run)
			return { run };
		for (let i = 0; i < tree.size && depth >= 0;) {
			if (weight < tree.left[i] || weight >= tree.left[i] + tree.value[i])
				i = tree.end[i];
			else if (tree.depth[i] === depth)
				return { node: i };
			else
				i++;
		}
		return null;
	}

	press(picked) {
		if (!picked)
			return;
		if (picked.run)
			this.zoomTo(picked.run);
		else
			this.zoom(picked.node);
	}

	// A run is zoomed into by its own width and some context.
	zoomTo(run) {
		const scale = (this.to - this.from) / this.width, room = Math.max(2, (run.right - run.left) * 0.1);
		this.select(run.first);
		this.glide(Math.max(0, this.from + (run.left - room) * scale), Math.min(this.tree.value[0], this.from + (run.right + room) * scale));
	}

	zoom(node) {
		this.root = node;
		this.select(node);
		this.glide(this.tree.left[node], this.tree.left[node] + this.tree.value[node]);
	}

	reset() {
		this.zoom(0);
		this.home();
	}

	zoomed() {
		return this.from > 0 || this.to < this.tree.value[0];
	}

	glide(from, to) {
		if (!(to > from))
			return;
		cancelAnimationFrame(this.gliding);
		const start = performance.now(), from0 = this.from, to0 = this.to;
		const length = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 160;
		const step = () => {
			const passed = length ? Math.min(1, (performance.now() - start) / length) : 1, eased = 1 - (1 - passed) ** 3;
			this.from = passed === 1 ? from : from0 + (from - from0) * eased;
			this.to = passed === 1 ? to : to0 + (to - to0) * eased;
			this.draw();
			if (passed < 1)
				this.gliding = requestAnimationFrame(step);
		};
		step();
	}

	wheel(event) {
		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		const factor = event.deltaY > 0 ? 1.25 : 0.8, all = this.tree.value[0];
		const at = this.from + (event.offsetX / this.width) * (this.to - this.from);
		this.from = Math.max(0, at - (at - this.from) * factor);
		this.to = Math.min(all, at + (this.to - at) * factor);
		this.root = 0;
		this.later();
	}

	select(node) {
		this.selected = node;
		this.scrolled = this.host.scrollTop;
		const top = this.rowTop(this.tree.depth[node]);
		if (top < 0 || top > this.height - ROW)
			this.host.scrollTop += top - this.height / 2;
		this.handlers.select(node);
		this.later();
	}

	search(expression) {
		const found = expression ? treeSearch(this.tree, expression) : null;
		this.hits = found && found.hits;
		this.later();
		return found;
	}

	key(key) {
		if (key === "Enter") {
			this.zoom(this.selected);
			return true;
		}
		const next = this.neighbour(key);
		if (next === null)
			return false;
		this.select(next);
		return true;
	}

	// Where an arrow leads: to the parent, to the heaviest child, or along the row.
	neighbour(key) {
		const { tree, selected } = this;
		if (key === "ArrowUp" || key === "ArrowDown")
			return (key === "ArrowDown") === this.icicle ? this.heaviest(selected) : Math.max(0, tree.parent[selected]);
		const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
		if (!step)
			return null;
		for (let i = selected + step; i > 0 && i < tree.size; i += step)
			if (tree.depth[i] === tree.depth[selected])
				return i;
		return selected;
	}

	heaviest(node) {
		const { tree } = this;
		let best = node;
		for (let child = node + 1; child < tree.end[node]; child = tree.end[child])
			if (best === node || tree.value[child] > tree.value[best])
				best = child;
		return best;
	}
}
