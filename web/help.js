// SPDX-License-Identifier: Apache-2.0
// The keys, in a dialog.
import { button, element } from "./dom.js";

const KEYS = [
	["/", "search functions by a regular expression; Esc clears, Enter returns to the graph"],
	["↑ ↓ ← →", "walk: to the caller, to the heaviest callee, along the row"],
	["Enter", "zoom into the chosen frame; a click does the same"],
	["Ctrl + wheel", "zoom at the pointer"],
	["Esc", "show everything again"],
	["s", "callers and callees of the chosen function, and back"],
	["i", "turn the graph over: icicle or flame"],
	["w, a, d, +, −, n", "on a timeline: to who ended the wait, earlier, later, nearer, farther, the next that matches"],
	["t", "dark or light"],
	["?", "this help"],
];

export function helpDialog() {
	const dialog = element("dialog", { "aria-label": "Keys" },
		element("h2", null, "Keys"),
		element("dl", { class: "keys" }, KEYS.map(([key, does]) => [element("dt", null, element("kbd", null, key)), element("dd", null, does)])),
		element("p", { class: "quiet" }, "Width ranks consumption within one dimension. It does not rank opportunity: that takes a controlled change."),
		button("Close", null, () => dialog.close()));
	return dialog;
}
