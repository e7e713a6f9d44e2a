// SPDX-License-Identifier: Apache-2.0
// A canvas that stays where it is while a taller picture is scrolled under it: sizes of both, in device pixels for the canvas.
// view: host (scrolls), spacer (is as tall as the picture), canvas, context; width and height are set in it.
export function canvasFit(view, room, rowsHeight) {
	const scale = devicePixelRatio || 1;
	view.host.style.setProperty("height", `${room + 2}px`);
	view.spacer.style.setProperty("height", `${rowsHeight}px`);
	view.width = view.host.clientWidth;
	view.height = room;
	view.canvas.width = Math.round(view.width * scale);
	view.canvas.height = Math.round(view.height * scale);
	view.canvas.style.setProperty("width", `${view.width}px`);
	view.canvas.style.setProperty("height", `${view.height}px`);
	view.context.setTransform(scale, 0, 0, scale, 0, 0);
}
