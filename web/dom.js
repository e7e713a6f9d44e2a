// SPDX-License-Identifier: Apache-2.0
// Elements from data. Texts are always set as text, never as markup: names come from foreign programs. Styles are set
// through the object model, because the content security policy forbids style attributes.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name === "on")
			for (const [event, handler] of Object.entries(value))
				node.addEventListener(event, handler);
		else if (name === "style")
			Object.entries(value).forEach(([property, set]) => node.style.setProperty(property, set));
		else if (name === "data")
			Object.assign(node.dataset, value);
		else
			node.setAttribute(name, value === true ? "" : value);
	}
	node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return node;
}

// element("td", {class: "number", on: {click: f}}, "text", child, [more])
export function element(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

export function shape(tag, attributes, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, title, press, attributes) {
	return element("button", { type: "button", title, on: { click: press }, ...attributes }, text);
}
