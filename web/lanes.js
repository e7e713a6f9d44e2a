// SPDX-License-Identifier: Apache-2.0
// The spans of a timeline as flat arrays, and what is asked of them: where a lane's begin, which one is at an instant, what
// each state sums to in a window. Nothing here draws.

// One answer's timeline, ready to be asked. Spans lie lane by lane, in the order of time.
export function lanesPrepare(raw) {
	const size = raw.lane.length, first = new Uint32Array(raw.lanes.length + 1);
	for (let i = 0; i < size; i++)
		first[raw.lane[i] + 1] = i + 1;
	for (let lane = 1; lane <= raw.lanes.length; lane++)
		first[lane] = Math.max(first[lane], first[lane - 1]);
	return { ...raw, size, first, begin: Float64Array.from(raw.begin), end: Float64Array.from(raw.begin, (begin, i) => begin + raw.span[i]) };
}

// The first span of a lane that ends after an instant; the lane's end where there is none.
export function lanesAfter(lanes, lane, time) {
	let low = lanes.first[lane], high = lanes.first[lane + 1];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (lanes.end[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The span of a lane at an instant, or -1.
export function lanesAt(lanes, lane, time) {
	const at = lanesAfter(lanes, lane, time);
	return at < lanes.first[lane + 1] && lanes.begin[at] <= time ? at : -1;
}

// Nanoseconds of each state of the threads' lanes within a window.
export function lanesTotals(lanes, from, to) {
	const totals = new Float64Array(lanes.states.length);
	for (let lane = 0; lane < lanes.lanes.length; lane++)
		for (let i = lanesAfter(lanes, lane, from); i < lanes.first[lane + 1] && lanes.begin[i] < to; i++)
			totals[lanes.state[i]] += Math.min(to, lanes.end[i]) - Math.max(from, lanes.begin[i]);
	return totals;
}

function lanesText(lanes, index) {
	return index ? lanes.texts[index - 1] : "";
}

// Who ended a span's wait, or serves a request.
export function lanesBy(lanes, span) {
	return lanesText(lanes, lanes.by[span]);
}

// What a wait was for: a lock's name; a request's class.
export function lanesFor(lanes, span) {
	return lanesText(lanes, lanes.text[span]);
}

// A byte per span: does its state, its reason, its waker or its lane's name match? With how many and how long.
export function lanesSearch(lanes, expression) {
	const hits = new Uint8Array(lanes.size), states = lanes.states.map((state) => expression.test(state.name));
	const texts = lanes.texts.map((text) => expression.test(text)), names = lanes.lanes.map((lane) => expression.test(lane.name));
	let count = 0, time = 0;
	for (let i = 0; i < lanes.size; i++)
		if (states[lanes.state[i]] || names[lanes.lane[i]] || (lanes.text[i] && texts[lanes.text[i] - 1]) || (lanes.by[i] && texts[lanes.by[i] - 1])) {
			hits[i] = 1;
			count++;
			time += lanes.span[i];
		}
	return { hits, count, time };
}
