// SPDX-License-Identifier: Apache-2.0
// Names of functions as they are drawn where they do not fit: what stands in brackets is folded, angle brackets first, as
// the text view folds it. The whole name is always a hover away.

function closeOf(name, at, open, close) {
	let depth = 0;
	for (let i = at; i < name.length; i++) {
		if (name[i] === open)
			depth++;
		else if (name[i] === close && (close !== ">" || name[i - 1] !== "-") && !--depth)
			return i;
	}
	return 0;
}

function fold(name, open, close) {
	let text = "";
	for (let i = 0; i < name.length; i++) {
		const bracket = name[i] === open && name[i + 1] !== " " && name[i - 1] !== " " &&
			!name.slice(0, i).endsWith("operator") && !name.startsWith("(anonymous", i);
		const end = bracket ? closeOf(name, i, open, close) : 0;
		text += end > i + 1 ? `${open}…${close}` : name[i];
		if (end > i + 1)
			i = end;
	}
	return text;
}

// The name in at most `room` letters, as much of it as there is room for.
export function fitName(name, room) {
	if (name.length <= room)
		return name;
	if (room <= 2)
		return "";
	const shorter = name.includes("<") ? fold(name, "<", ">") : name;
	const shortest = shorter.length > room && shorter.includes("(") ? fold(shorter, "(", ")") : shorter;
	return shortest.length <= room ? shortest : `${shortest.slice(0, room - 1)}…`;
}
