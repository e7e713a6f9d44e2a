// SPDX-License-Identifier: Apache-2.0
// Colours by kind of dimension, never by its name. Hues keep apart under the common kinds of colour blindness (after
// Okabe and Ito); whatever a colour says, a word or a sign says too.

// Angle, depth, and lightness on a light and on a dark page. Neighbours of a kind differ in lightness as well.
const FAMILIES = {
	running: [[20, 90, 45, 60], [36, 80, 50, 62]],
	ready: [[46, 95, 52, 60], [60, 75, 42, 55]],
	waiting: [[322, 46, 46, 68], [205, 88, 36, 56], [195, 75, 58, 72], [163, 72, 30, 50], [262, 50, 63, 74],
		[215, 26, 52, 62], [110, 34, 42, 58], [0, 0, 28, 78], [340, 60, 62, 70]],
	idle: [[215, 9, 74, 42], [215, 5, 62, 34]],
	amount: [[100, 38, 42, 56], [150, 38, 36, 52], [78, 46, 46, 60], [62, 44, 38, 52]],
	level: [[180, 30, 40, 56]],
};
const PLAIN = [188, 34, 42, 58];

export function colorDark() {
	return document.documentElement.dataset.theme === "dark";
}

function family(dimension) {
	const families = dimension && FAMILIES[dimension.kind] ? FAMILIES[dimension.kind] : [PLAIN];
	return families[dimension ? dimension.index % families.length : 0];
}

// The solid colour of a bar or a swatch.
export function colorSolid(dimension) {
	const [angle, depth, light, dark] = family(dimension);
	return `hsl(${angle} ${depth}% ${colorDark() ? dark : light}%)`;
}

// A canvas reads this form fastest, and a flame graph sets thousands of fills.
function hexOf(angle, depth, light) {
	const reach = (depth / 100) * Math.min(light / 100, 1 - light / 100);
	const part = (n) => {
		const at = (n + angle / 30) % 12;
		return light / 100 - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1));
	};
	return `#${[0, 8, 4].map((n) => Math.round(part((n + 12) % 12) * 255).toString(16).padStart(2, "0")).join("")}`;
}

// Black or white, whichever contrasts more with the solid colour (relative luminance as in WCAG 2).
export function colorInk(dimension) {
	const [angle, depth, light, dark] = family(dimension), hex = hexOf(angle, depth, colorDark() ? dark : light);
	const [red, green, blue] = [1, 3, 5].map((at) => {
		const part = parseInt(hex.slice(at, at + 2), 16) / 255;
		return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#0c0f13" : "#ffffff";
}

// Fill colours of a flame graph: neighbours differ by their name, all are of one family, and each keeps its text readable.
export function colorFrames(dimension) {
	const [angle, depth] = family(dimension), dark = colorDark(), steps = [];
	for (let step = 0; step < 16; step++) {
		const turn = (step % 4) * 5 - 8, light = dark ? 23 + (step >> 2) * 3 : 71 + (step >> 2) * 5;
		steps.push(hexOf(angle + turn, depth * (dark ? 0.5 : 0.8), light));
	}
	return steps;
}

// Fill colours of a frame that changed: orange for more, blue for less, stronger the larger the change beside what was there,
// grey for hardly any. Orange and blue keep apart under the common kinds of colour blindness.
export function colorChange(change) {
	const dark = colorDark(), size = Math.min(4, Math.ceil(Math.abs(change) * 4 - 0.04)), steps = [];
	const angle = change > 0 ? 32 : 212, depth = size ? 20 + size * 17 : 4;
	for (let step = 0; step < 16; step++)
		steps.push(hexOf(angle, depth, (dark ? 34 - size * 2 : 86 - size * 5) + (step >> 2)));
	return steps;
}

export function colorChangeSolid(grew) {
	return grew ? `hsl(32 88% ${colorDark() ? 58 : 48}%)` : `hsl(212 88% ${colorDark() ? 62 : 44}%)`;
}

// Module first, so that functions of one library look alike.
export function colorStep(name) {
	const module = /^[^:.(\s]*/.exec(name)[0];
	let high = 7, low = 3;
	for (let i = 0; i < module.length; i++)
		high = (high * 31 + module.charCodeAt(i)) | 0;
	for (let i = 0; i < name.length; i++)
		low = (low * 33 + name.charCodeAt(i)) | 0;
	return ((high >>> 3) & 3) | (((low >>> 5) & 3) << 2);
}

export function colorVariable(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
