// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: three significant digits, the same scales as the program's own text.

const SCALES = {
	ns: [[7200e9, 3600e9, "h"], [120e9, 60e9, "min"], [1e9, 1e9, "s"], [1e6, 1e6, "ms"], [1e3, 1e3, "µs"], [0, 1, "ns"]],
	bytes: [[2 ** 40, 2 ** 40, "TiB"], [2 ** 30, 2 ** 30, "GiB"], [2 ** 20, 2 ** 20, "MiB"], [1024, 1024, "KiB"], [0, 1, "B"]],
	count: [[1e9, 1e9, "G"], [1e6, 1e6, "M"], [1e4, 1e3, "k"], [0, 1, ""]],
};

const SMALL = 0.0995;                           // below, two decimals are less than two digits

function digits(value) {
	const size = Math.abs(value);
	return size >= 99.95 || Number.isInteger(value) ? 0 : size >= 9.995 ? 1 : 2;
}

export function quantity(value, unit) {
	if (typeof value !== "number" || !Number.isFinite(value))
		return "–";
	if (unit === "fraction")
		return percent(value);
	const scale = SCALES[!unit || unit === "samples" ? "count" : unit];
	if (!scale)
		return `${Number(value.toPrecision(3))} ${unit}`;
	const [, divide, name] = scale.find(([from]) => Math.abs(value) >= from);
	const shown = value / divide;
	if (shown && Math.abs(shown) < SMALL)
		return Number(shown.toPrecision(3)) + (name ? ` ${name}` : "");
	return shown.toFixed(digits(shown)) + (name ? ` ${name}` : "");
}

// 7.02 % below ten percent, 41.0 % above; what is not nothing never reads as nothing.
export function percent(share) {
	if (!Number.isFinite(share))
		return "–";
	const shown = share * 100, size = Math.abs(shown);
	if (size > 0 && size < 0.005)
		return share > 0 ? "< 0.01 %" : "> −0.01 %";
	return `${shown.toFixed(size < 9.995 && size > 0 ? 2 : 1)} %`;
}

export function whole(count) {
	return count.toLocaleString("en");
}
