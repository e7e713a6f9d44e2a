// SPDX-License-Identifier: Apache-2.0
// The document that this file holds: what `--json` prints, readable or packed. "sections" says how to draw each part;
// keys nest at each dot. Parts of several captures stand side by side: "baseline.dimensions", "candidate.dimensions".

async function unpack(text) {
	const letters = atob(text), bytes = new Uint8Array(letters.length);
	for (let i = 0; i < letters.length; i++)
		bytes[i] = letters.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).json();
}

export async function documentLoad() {
	const holder = document.getElementById("document");
	const text = holder.textContent;
	holder.remove();
	return holder.type === "application/gzip" ? unpack(text) : JSON.parse(text);
}

export function documentValue(answer, key) {
	return key.split(".").reduce((at, name) => (at === undefined || at === null ? undefined : at[name]), answer);
}

// The names of the captures that stand side by side; [""] for a document of one.
export function documentGroups(answer) {
	const groups = answer.sections
		.map((section) => /^([^.]+)\.dimensions$/.exec(section.key))
		.filter(Boolean)
		.map((match) => match[1]);
	return groups.length ? groups : [""];
}

// Sections that are the same part of several captures, in the document's order:
// [{part: "dimensions", title, kind, members: [{group, key, section, value}]}]
export function documentParts(answer) {
	const groups = documentGroups(answer);
	const parts = new Map();
	for (const section of answer.sections) {
		const group = groups.find((name) => name && section.key.startsWith(`${name}.`)) || "";
		const part = group ? section.key.slice(group.length + 1) : section.key;
		const id = `${group ? "*" : ""}${part}`;
		if (!parts.has(id))
			parts.set(id, { part, title: titleOf(section, group), kind: section.kind, members: [] });
		parts.get(id).members.push({ group, section, value: documentValue(answer, section.key) });
	}
	return [...parts.values()];
}

// Without the name of its capture, which the page says where it draws each member.
function titleOf(section, group) {
	return group && section.title.startsWith(`${group}: `) ? section.title.slice(group.length + 2) : section.title;
}

// name → {kind, unit, color index within its kind} of every dimension that a ledger of this document names.
export function documentDimensions(answer) {
	const dimensions = new Map(), seen = {};
	for (const part of documentParts(answer)) {
		if (!partIsLedger(part))
			continue;
		for (const row of part.members.flatMap((member) => member.value)) {
			if (dimensions.has(row.name))
				continue;
			seen[row.kind] = (seen[row.kind] ?? -1) + 1;
			dimensions.set(row.name, { kind: row.kind, unit: row.unit, index: seen[row.kind] });
		}
	}
	return dimensions;
}

export function partIsLedger(part) {
	const keys = part.kind === "table" ? part.members[0].section.columns.map((column) => column.key) : [];
	return ["name", "kind", "unit", "total"].every((key) => keys.includes(key));
}

// Completions that weights of a capture are divided by, or 0 where none were counted.
export function documentCompletions(answer, group) {
	const work = documentValue(answer, group ? `${group}.work` : "work");
	return work && work.correct > 0 ? work.correct : 0;
}
