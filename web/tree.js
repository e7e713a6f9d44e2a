// SPDX-License-Identifier: Apache-2.0
// A weighted tree in preorder, as flat arrays: where a node's subtree ends, its parent and its left edge follow from
// one walk, and layout, search, picking and sums are loops. 200,000 nodes take some tens of milliseconds.

export function treePrepare(raw) {
	const tree = {
		names: raw.names, unit: raw.unit, weighting: raw.weighting, total: raw.total, coalesced: raw.coalesced || 0,
		depth: Uint16Array.from(raw.depth), name: Uint32Array.from(raw.name),
		value: Float64Array.from(raw.value), self: Float64Array.from(raw.self),
		count: raw.count ? Float64Array.from(raw.count) : null,
		base: raw.base ? Float64Array.from(raw.base) : null,
		candidate: raw.base ? Float64Array.from(raw.candidate) : null,
	};
	return treeLink(tree);
}

function treeLink(tree) {
	const size = tree.depth.length, depth = tree.depth, value = tree.value;
	tree.size = size;
	tree.end = new Int32Array(size);
	tree.parent = new Int32Array(size);
	tree.left = new Float64Array(size);
	tree.deepest = 0;
	const path = [], next = [0];
	for (let i = 0; i < size; i++) {
		const d = depth[i];
		while (path.length > d)
			tree.end[path.pop()] = i;
		tree.parent[i] = d ? path[d - 1] : -1;
		tree.left[i] = next[d];
		next[d] += value[i];
		next[d + 1] = tree.left[i];
		path.push(i);
		if (d > tree.deepest)
			tree.deepest = d;
	}
	while (path.length)
		tree.end[path.pop()] = size;
	return tree;
}

export function treeName(tree, node) {
	const name = tree.names[tree.name[node]];
	return tree.base ? `${treeSign(tree, node)} ${name}` : name;
}

// Of a differential tree: how a frame as a whole changed, from -1 (vanished) over 0 to 1 (new).
export function treeChange(tree, node) {
	const most = Math.max(tree.base[node], tree.candidate[node]);
	return most > 0 ? (tree.candidate[node] - tree.base[node]) / most : 0;
}

// What a colour says, as a sign.
export function treeSign(tree, node) {
	const change = treeChange(tree, node);
	return change > 0.01 ? "▲" : change < -0.01 ? "▼" : "=";
}

// Per function: exclusive, inclusive (a recursive call counted once) and its number of nodes.
export function treeFunctions(tree) {
	const functions = tree.names.map((name, id) => ({ id, name, self: 0, value: 0, nodes: 0 }));
	const open = new Uint32Array(tree.names.length), path = [];
	for (let i = 0; i < tree.size; i++) {
		while (path.length > tree.depth[i])
			open[tree.name[path.pop()]]--;
		const of = functions[tree.name[i]];
		of.self += tree.self[i];
		of.nodes++;
		if (!open[of.id])
			of.value += tree.value[i];
		open[of.id]++;
		path.push(i);
	}
	return functions.filter((of) => of.nodes);
}

// Which names match, how many functions that is, and what part of the whole lies in or below them, counted once.
export function treeSearch(tree, expression) {
	const hits = Uint8Array.from(tree.names, (name) => (expression.test(name) ? 1 : 0));
	let value = 0, functions = 0;
	for (let i = 0; i < tree.size;) {
		if (hits[tree.name[i]]) {
			value += tree.value[i];
			i = tree.end[i];
		} else {
			i++;
		}
	}
	for (const hit of hits)
		functions += hit;
	return { hits, value, functions };
}

// Nodes of a function that do not lie below another of it.
function treeOutermost(tree, name) {
	const nodes = [];
	for (let i = 0; i < tree.size;) {
		if (tree.name[i] === name) {
			nodes.push(i);
			i = tree.end[i];
		} else {
			i++;
		}
	}
	return nodes;
}

class Merge {
	constructor(tree, name) {
		this.tree = tree;
		this.name = [name];
		this.value = [0];
		this.self = [0];
		this.count = [0];
		this.children = [[]];
		this.index = new Map();
	}

	child(parent, name) {
		const key = parent * this.tree.names.length + name;
		let node = this.index.get(key);
		if (node === undefined) {
			node = this.name.length;
			this.index.set(key, node);
			this.name.push(name);
			this.value.push(0);
			this.self.push(0);
			this.count.push(0);
			this.children.push([]);
			this.children[parent].push(node);
		}
		return node;
	}

	add(node, value, self, count) {
		this.value[node] += value;
		this.self[node] += self;
		this.count[node] += count;
	}

	// Preorder again, heaviest child first.
	finish() {
		const raw = { ...this.tree, total: this.value[0], depth: [], name: [], value: [], self: [], count: this.tree.count ? [] : null };
		const path = [[0, 0]];
		while (path.length) {
			const [node, depth] = path.pop();
			raw.depth.push(depth);
			raw.name.push(this.name[node]);
			raw.value.push(this.value[node]);
			raw.self.push(this.self[node]);
			if (raw.count)
				raw.count.push(this.count[node]);
			this.children[node].sort((a, b) => this.value[a] - this.value[b]).forEach((child) => path.push([child, depth + 1]));
		}
		return treePrepare(raw);
	}
}

export function treeCallees(tree, name) {
	const merge = new Merge(tree, name), at = [];
	for (const top of treeOutermost(tree, name)) {
		const base = tree.depth[top];
		for (let i = top; i < tree.end[top]; i++) {
			const depth = tree.depth[i] - base;
			at[depth] = depth ? merge.child(at[depth - 1], tree.name[i]) : 0;
			merge.add(at[depth], tree.value[i], tree.self[i], tree.count ? tree.count[i] : 0);
		}
	}
	return merge.finish();
}

export function treeCallers(tree, name) {
	const merge = new Merge(tree, name);
	for (const top of treeOutermost(tree, name)) {
		let node = 0;
		for (let i = top; i >= 0; i = tree.parent[i]) {
			if (i !== top)
				node = merge.child(node, tree.name[i]);
			merge.add(node, tree.value[top], tree.parent[i] < 0 ? tree.value[top] : 0, tree.count ? tree.count[top] : 0);
		}
	}
	return merge.finish();
}
