// SPDX-License-Identifier: Apache-2.0
// What the analysis has to say in words.
import { element } from "./dom.js";
import { badge } from "./cell.js";

export function findingList(findings) {
	return element("ul", { class: "findings" },
		findings.map((finding) => element("li", null, badge(finding.severity), element("span", null, finding.text))));
}
