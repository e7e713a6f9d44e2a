// SPDX-License-Identifier: Apache-2.0
// Opens a pprof file with a reader that we did not write (npm pprof-format 2.3.2), follows every reference in it, and
// prints what it found in the lines of make_files.c.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createRequire } from 'node:module';

const [file, modules] = process.argv.slice(2);
const { Profile } = createRequire(`${modules}/`)('pprof-format');
const profile = Profile.decode(gunzipSync(readFileSync(file)));
const text = (index) => profile.stringTable.strings[Number(index)];
const byId = (rows) => new Map(rows.map((row) => [Number(row.id), row]));
const mappings = byId(profile.mapping), locations = byId(profile.location), functions = byId(profile.function);
const must = (value, what) => { if (value === undefined) throw new Error(`${what} does not exist`); return value; };

let events = 0n, weight = 0n, inlined = '';
const labels = {};
for (const sample of profile.sample) {
	events += BigInt(sample.value[0]);
	weight += BigInt(sample.value[1]);
	for (const id of sample.locationId) {
		const location = must(locations.get(Number(id)), 'a location');
		if (Number(location.mappingId)) must(mappings.get(Number(location.mappingId)), 'a mapping');
		const names = location.line.map((line) => text(must(functions.get(Number(line.functionId)), 'a function').name));
		if (names.length > 1) inlined = names.join(' ');
	}
	for (const label of sample.label) labels[text(label.key)] = Number(label.str) ? text(label.str) : Number(label.num);
}
const main = profile.mapping[0];
console.log(`type ${profile.sampleType.map((type) => `${text(type.type)}/${text(type.unit)}`).join(' ')}`);
console.log(`events ${events}\nweight ${weight}`);
console.log(`mapping ${text(main.filename)} ${text(main.buildId)}`);
console.log(`thread ${labels.thread}\ntid ${labels.tid}\ninlined ${inlined}`);
