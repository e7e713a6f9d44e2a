// SPDX-License-Identifier: Apache-2.0
// The canvas of a timeline: a lane per row, a span by its state's colour, its height by the kind (waiting whole, idle a line),
// waits hatched in a way of their own, so that colour is never alone. Spans narrower than a pixel share it: the state that
// lasted longest in it gives its colour, and as much of it is painted as they cover. The chosen wait shows an arrow from who
// ended it.
import { canvasFit } from "./canvas.js";
import { element } from "./dom.js";
import { colorInk, colorSolid, colorVariable } from "./color.js";
import { lanesAfter, lanesAt, lanesFor } from "./lanes.js";
import { quantity } from "./quantity.js";

const STRIP_ROW = 20, STRIP_AXIS = 22, STRIP_NAMES = 168, STRIP_FONT = "12px system-ui, sans-serif";

export class Strip {
	// handlers: select(span), hover(span or -1, event), moved(), key(event) → whether it was taken
	constructor(lanes, colors, handlers) {
		this.lanes = lanes;
		this.colors = colors;                    // by state: a dimension as color.js knows it
		this.handlers = handlers;
		this.from = 0;
		this.to = lanes.length || 1;
		this.selected = lanes.size ? 0 : -1;
		this.hits = null;
		this.canvas = element("canvas", { tabindex: "0", role: "application",
			"aria-label": "Timeline. Left and right arrows walk along a lane, up and down between lanes, w goes to who ended the wait, Enter zooms, plus and minus zoom, a and d move, Escape resets, slash searches." });
		this.spacer = element("div", { class: "flame-spacer" }, this.canvas);
		this.host = element("div", { class: "flame timeline-canvas" }, this.spacer);
		this.context = this.canvas.getContext("2d", { alpha: false });
		this.listen();
	}

	listen() {
		this.host.addEventListener("scroll", () => this.later());
		this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.canvas.addEventListener("keydown", (event) => {
			if (!event.ctrlKey && !event.metaKey && !event.altKey && (this.key(event.key) || this.handlers.key(event)))
				event.preventDefault();
		});
		this.canvas.addEventListener("pointerdown", (event) => this.grab(event));
		this.canvas.addEventListener("pointermove", (event) => this.drag(event));
		this.canvas.addEventListener("pointerup", (event) => this.drop(event));
		this.canvas.addEventListener("mouseleave", () => this.handlers.hover(-1));
		this.canvas.addEventListener("dblclick", () => this.zoomTo(this.selected));
		for (const kind of ["focus", "blur"])
			this.canvas.addEventListener(kind, () => this.later());
		new ResizeObserver(() => this.resize()).observe(this.host);
	}

	// --- Places ---
	rowsHeight() {
		return STRIP_AXIS + this.lanes.lanes.length * STRIP_ROW + 4;
	}

	names() {
		return Math.min(STRIP_NAMES, Math.round(this.width * 0.3));
	}

	xOf(time) {
		return this.names() + ((time - this.from) / (this.to - this.from)) * (this.width - this.names());
	}

	timeAt(x) {
		return this.from + ((x - this.names()) / (this.width - this.names())) * (this.to - this.from);
	}

	rowTop(lane) {
		return STRIP_AXIS + lane * STRIP_ROW - this.scrolled;
	}

	pick(x, y) {
		const lane = Math.floor((y + this.host.scrollTop - STRIP_AXIS) / STRIP_ROW);
		return y < STRIP_AXIS || x < this.names() || lane < 0 || lane >= this.lanes.lanes.length ? -1 : lanesAt(this.lanes, lane, this.timeAt(x));
	}

	resize() {
		const room = Math.max(80, Math.min(Math.round(innerHeight * 0.68), this.rowsHeight()));
		canvasFit(this, room, this.rowsHeight());
		this.draw();
	}

	later() {
		if (!this.waiting)
			this.waiting = requestAnimationFrame(() => {
				this.waiting = 0;
				this.draw();
			});
	}

	// --- Drawing ---
	looks() {
		const solid = this.colors.map(colorSolid), ink = this.colors.map(colorInk);
		return { background: colorVariable("--canvas"), line: colorVariable("--line"), soft: colorVariable("--line-soft"), text: colorVariable("--text"),
			quiet: colorVariable("--quiet"), focus: colorVariable("--focus"), hit: colorVariable("--frame-hit"), solid, ink };
	}

	draw() {
		if (!this.width || !this.height)
			return;
		const { context } = this;
		this.scrolled = this.host.scrollTop;
		this.look = this.looks();
		context.globalAlpha = 1;
		context.font = STRIP_FONT;
		context.textBaseline = "middle";
		context.fillStyle = this.look.background;
		context.fillRect(0, 0, this.width, this.height);
		for (let lane = 0; lane < this.lanes.lanes.length; lane++)
			if (this.rowTop(lane) > STRIP_AXIS - STRIP_ROW && this.rowTop(lane) < this.height)
				this.drawLane(lane);
		this.drawArrow();
		this.drawNames();
		this.drawAxis();
	}

	drawLane(lane) {
		const { lanes, context } = this, left = this.names(), y = this.rowTop(lane);
		let pixel = null;
		context.fillStyle = this.look.soft;
		context.fillRect(left, y + STRIP_ROW - 1, this.width - left, 1);
		for (let i = lanesAfter(lanes, lane, this.from); i < lanes.first[lane + 1] && lanes.begin[i] < this.to; i++) {
			const x = Math.max(left, this.xOf(lanes.begin[i])), w = Math.min(this.width, this.xOf(lanes.end[i])) - x;
			if (w >= 1) {
				pixel = this.drawPixel(pixel, y);
				this.drawSpan(i, x, w, y);
			} else {
				if (pixel && pixel.x !== Math.floor(x))
					pixel = this.drawPixel(pixel, y);
				pixel = this.share(pixel || { x: Math.floor(x), covered: 0, widths: new Map(), hit: false }, i, w);
			}
		}
		this.drawPixel(pixel, y);
	}

	share(pixel, span, w) {
		const state = this.lanes.state[span];
		pixel.covered += w;
		pixel.widths.set(state, (pixel.widths.get(state) || 0) + w);
		pixel.hit = pixel.hit || Boolean(this.hits && this.hits[span]);
		return pixel;
	}

	drawPixel(pixel, y) {
		if (!pixel)
			return null;
		const [state] = [...pixel.widths].reduce((most, one) => (one[1] > most[1] ? one : most));
		const [top, height] = this.heightOf(state);
		this.context.globalAlpha = Math.max(0.35, Math.min(1, pixel.covered)) * (this.hits && !pixel.hit ? 0.3 : 1);
		this.context.fillStyle = pixel.hit ? this.look.hit : this.look.solid[state];
		this.context.fillRect(pixel.x, y + top, 1, height);
		this.context.globalAlpha = 1;
		return null;
	}

	// The kind of a state by its height as well as by its colour.
	heightOf(state) {
		const kind = this.lanes.states[state].kind;
		return kind === "idle" ? [12, 4] : kind === "ready" ? [7, 9] : [2, STRIP_ROW - 6];
	}

	drawSpan(span, x, w, y) {
		const { context, look, lanes } = this, state = lanes.state[span], hit = this.hits && this.hits[span], [top, height] = this.heightOf(state);
		const wide = w > 3 ? w - 1 : w;
		context.globalAlpha = this.hits && !hit ? 0.3 : 1;
		context.fillStyle = look.solid[state];
		context.fillRect(x, y + top, wide, height);
		if (w > 6 && lanes.states[state].kind === "waiting")
			this.hatch(state, x, y + top, wide, height);
		if (hit || span === this.selected) {
			context.strokeStyle = span === this.selected ? (document.activeElement === this.canvas ? look.focus : look.text) : look.hit;
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + top, Math.max(1, wide - 2), height);
		}
		if (w > 44 && height > 10)
			this.label(span, state, x, y + top + height / 2 + 0.5, wide);
		context.globalAlpha = 1;
	}

	label(span, state, x, y, w) {
		const { context, lanes, look } = this, text = lanes.lanes[lanes.lane[span]].kind === "request" ? lanesFor(lanes, span) || lanes.states[state].name : lanes.states[state].name;
		const room = Math.floor((w - 8) / 6.6), shown = text.length <= room ? text : `${text.slice(0, room - 1)}…`, wide = context.measureText(shown).width;
		if (room < 4 || wide > w - 4)
			return;
		context.fillStyle = look.solid[state];
		context.fillRect(x + 2, y - 7, wide + 5, 13);
		context.fillStyle = look.ink[state];
		context.fillText(shown, x + 4, y);
	}

	// Lines whose way and distance belong to the state: they tell waits apart where colours do not.
	hatch(state, x, y, w, h) {
		const { context } = this, { index } = this.colors[state], way = index % 3, gap = 6 + (index % 2) * 4;
		context.save();
		context.beginPath();
		context.rect(x, y, w, h);
		context.clip();
		context.beginPath();
		const left = Math.max(x, this.names()), right = Math.min(x + w, this.width);
		for (let at = Math.floor((left - h) / gap) * gap; way < 2 && at < right + h; at += gap) {
			context.moveTo(way ? at + h : at, y);
			context.lineTo(way ? at : at + h, y + h);
		}
		for (let at = y + 2.5; way === 2 && at < y + h; at += gap - 2) {
			context.moveTo(left, at);
			context.lineTo(right, at);
		}
		context.strokeStyle = this.look.ink[state];
		context.globalAlpha *= 0.3;
		context.lineWidth = 1;
		context.stroke();
		context.restore();
	}

	// From who ended the chosen wait, at the instant of the wake.
	drawArrow() {
		const { lanes, context, look, selected } = this;
		if (selected < 0 || !lanes.by_lane[selected])
			return;
		const x = this.xOf(lanes.end[selected]), from = this.rowTop(lanes.by_lane[selected] - 1) + STRIP_ROW / 2, to = this.rowTop(lanes.lane[selected]) + STRIP_ROW / 2;
		if (x < this.names() || x > this.width || from === to)
			return;
		const way = Math.sign(to - from);
		context.strokeStyle = context.fillStyle = look.text;
		context.lineWidth = 1.5;
		context.beginPath();
		context.moveTo(x, from);
		context.lineTo(x, to - way * 7);
		context.stroke();
		context.beginPath();
		context.arc(x, from, 3, 0, 7);
		context.moveTo(x, to - way * 2);
		context.lineTo(x - 4, to - way * 9);
		context.lineTo(x + 4, to - way * 9);
		context.fill();
	}

	drawNames() {
		const { context, look, lanes } = this, room = Math.floor((this.names() - 12) / 6.6);
		context.fillStyle = look.background;
		context.fillRect(0, 0, this.names() - 1, this.height);
		context.fillStyle = look.line;
		context.fillRect(this.names() - 1, 0, 1, this.height);
		for (let lane = 0; lane < lanes.lanes.length; lane++) {
			const { name } = lanes.lanes[lane], chosen = this.selected >= 0 && lanes.lane[this.selected] === lane;
			context.fillStyle = chosen ? look.text : look.quiet;
			context.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, 6, this.rowTop(lane) + STRIP_ROW / 2);
		}
	}

	drawAxis() {
		const { context, look } = this, left = this.names(), wanted = (this.to - this.from) / Math.max(2, (this.width - left) / 110);
		const power = 10 ** Math.floor(Math.log10(wanted)), step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= wanted);
		context.fillStyle = look.background;
		context.fillRect(0, 0, this.width, STRIP_AXIS - 1);
		context.fillStyle = look.line;
		context.fillRect(0, STRIP_AXIS - 1, this.width, 1);
		for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
			const x = this.xOf(at);
			context.fillStyle = look.line;
			context.fillRect(x, STRIP_AXIS - 6, 1, 6);
			context.fillStyle = look.quiet;
			if (x < this.width - 50)
				context.fillText(at ? quantity(Number(at.toPrecision(10)), "ns") : "0", x + 3, STRIP_AXIS / 2 - 1);
		}
		context.fillText(`${quantity(this.to - this.from, "ns")} shown`, 6, STRIP_AXIS / 2);
	}

	// --- Moving ---
	show(from, to) {
		const whole = this.lanes.length || 1, length = Math.max(100, Math.min(whole, to - from));
		this.from = Math.max(0, Math.min(whole - length, from));
		this.to = this.from + length;
		this.handlers.moved();
		this.later();
	}

	zoom(factor, at) {
		const middle = at ?? (this.selected >= 0 && this.lanes.end[this.selected] > this.from && this.lanes.begin[this.selected] < this.to
			? (Math.max(this.from, this.lanes.begin[this.selected]) + Math.min(this.to, this.lanes.end[this.selected])) / 2 : (this.from + this.to) / 2);
		this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
	}

	zoomTo(span) {
		if (span < 0)
			return;
		const length = this.lanes.end[span] - this.lanes.begin[span];
		this.show(this.lanes.begin[span] - length * 0.1, this.lanes.end[span] + length * 0.1);
	}

	pan(share) {
		const by = (this.to - this.from) * share;
		this.show(this.from + by, this.to + by);
	}

	reset() {
		this.show(0, this.lanes.length);
	}

	wheel(event) {
		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(event.offsetX));
	}

	grab(event) {
		this.grabbed = { x: event.clientX, from: this.from, to: this.to, moved: false };
		this.canvas.setPointerCapture(event.pointerId);
	}

	drag(event) {
		if (!this.grabbed) {
			this.handlers.hover(this.pick(event.offsetX, event.offsetY), event);
			return;
		}
		const by = ((this.grabbed.x - event.clientX) / (this.width - this.names())) * (this.grabbed.to - this.grabbed.from);
		this.grabbed.moved = this.grabbed.moved || Math.abs(this.grabbed.x - event.clientX) > 4;
		if (this.grabbed.moved)
			this.show(this.grabbed.from + by, this.grabbed.to + by);
	}

	drop(event) {
		const span = this.grabbed && !this.grabbed.moved ? this.pick(event.offsetX, event.offsetY) : -1;
		this.grabbed = null;
		if (span >= 0)
			this.select(span);
	}

	// --- Choosing ---
	select(span) {
		this.selected = span;
		const { begin, end, lane } = this.lanes, length = this.to - this.from, top = this.rowTop(lane[span]);
		if (end[span] <= this.from || begin[span] >= this.to)
			this.show((begin[span] + end[span]) / 2 - length / 2, (begin[span] + end[span]) / 2 + length / 2);
		if (top < STRIP_AXIS || top > this.height - STRIP_ROW)
			this.host.scrollTop += top - this.height / 2;
		this.handlers.select(span);
		this.later();
	}

	// The same instant on another lane; the nearest span there where it has none then.
	selectOn(lane, time) {
		const { lanes } = this;
		if (lane < 0 || lane >= lanes.lanes.length || lanes.first[lane] === lanes.first[lane + 1])
			return;
		const at = lanesAfter(lanes, lane, time);
		this.select(Math.min(at, lanes.first[lane + 1] - 1));
	}

	// To who ended the chosen wait, at that instant.
	follow() {
		const { lanes, selected } = this;
		if (selected >= 0 && lanes.by_lane[selected])
			this.selectOn(lanes.by_lane[selected] - 1, lanes.end[selected] - 1);
	}

	walk(step) {
		const next = this.selected + step;
		if (next >= 0 && next < this.lanes.size && this.lanes.lane[next] === this.lanes.lane[this.selected])
			this.select(next);
	}

	climb(step) {
		const { lanes, selected } = this, middle = (Math.max(this.from, lanes.begin[selected]) + Math.min(this.to, lanes.end[selected])) / 2;
		for (let lane = lanes.lane[selected] + step; lane >= 0 && lane < lanes.lanes.length; lane += step)
			if (lanes.first[lane] < lanes.first[lane + 1]) {
				this.selectOn(lane, middle);
				return;
			}
	}

	key(key) {
		const keys = {
			ArrowRight: () => this.walk(1), ArrowLeft: () => this.walk(-1), ArrowDown: () => this.climb(1), ArrowUp: () => this.climb(-1),
			Enter: () => this.zoomTo(this.selected), Escape: () => this.reset(), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
			"-": () => this.zoom(2), a: () => this.pan(-0.25), d: () => this.pan(0.25), w: () => this.follow(),
		};
		if (!keys[key] || this.selected < 0)
			return false;
		keys[key]();
		return true;
	}
}
