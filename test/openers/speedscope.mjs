// SPDX-License-Identifier: Apache-2.0
// Opens a file with the importer of speedscope (npm speedscope 1.25.0) and prints each function: name, self, total, between
// tabs. The package holds the web application alone, so its script runs here without a page, up to where it would draw; what
// it calls to load a file from text is taken from it by the name that its minifier gave. node speedscope.mjs NODE FILE
import { readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import vm from "node:vm";

const [folder, file] = process.argv.slice(2);
const release = `${folder}/node_modules/speedscope/dist/release`;
const script = readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const text = readFileSync(`${release}/${script}`, "utf8");
const loader = /loadFileFromBase64:\((\w+),(\w+)\)=>\{this\.loadProfile\(\(\)=>(\w+)\(\1,\2\)\)/.exec(text)[3];
const drawing = text.lastIndexOf("console.log(`speedscope v");

// Answers whatever a page would be asked for, and does nothing.
const nothing = () => new Proxy(function () {}, {
	get: (_, key) => (key === Symbol.toPrimitive ? () => "" : nothing()), apply: nothing, construct: nothing,
});
const none = () => {};
const page = {
	console: { log: none, warn: none, error: console.error }, setTimeout, clearTimeout, queueMicrotask, performance,
	TextDecoder, TextEncoder, atob, btoa, URL, Buffer, Uint8Array, ArrayBuffer, DataView, document: nothing(),
	navigator: { userAgent: "", platform: "" }, location: { protocol: "file:", hash: "", search: "", href: "file:///" },
	localStorage: { getItem: () => null, setItem: none }, requestAnimationFrame: none, addEventListener: none,
	matchMedia: () => ({ matches: false, addListener: none, addEventListener: none }),
};
page.window = page.self = page;
vm.createContext(page);
vm.runInContext(`${text.slice(0, drawing)}globalThis.importer=${loader};})();`, page);

const group = await page.importer(basename(file), readFileSync(file).toString("base64"));
const functions = new Map();
for (const profile of group.profiles)
	profile.forEachFrame((frame) => {
		const [self, total] = functions.get(frame.name) ?? [0, 0];

		functions.set(frame.name, [self + frame.getSelfWeight(), total + frame.getTotalWeight()]);
	});
const lines = [...functions].map(([name, weights]) => [name, ...weights].join("\t"));
console.log(lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join("\n"));
