# SPDX-License-Identifier: Apache-2.0
"""Judges the chains of a capture of scenarios against what each has staged:

    judge.py CROSSCUT CAPTURE LIST FIRST-NUMBER

What a thread on the way was ready and had no processor says how busy the machine is, not what was staged: it is left out, save
where being ready is the ground. LIST is what `scenarios --list` printed. Per scenario one line of TAP: of the time that the judged thread waited for others, the
part that came down to the staged ground is the largest by far, the parts cover its time to the nanosecond, and at most one in
twenty of it is unknown. Ends with status 1 where one is not so."""

import json
import re
import subprocess
import sys

LEAST_SHARE, MOST_UNKNOWN = 0.6, 0.05
crosscut, capture, listing, number = sys.argv[1:4] + [int(sys.argv[4])]


def chains_of(thread):
    asked = subprocess.run([crosscut, "report", "--question", "chain", "--where", f"thread={thread}", "--top", "2000", "--json", capture],
                           capture_output=True, text=True, check=False)
    if asked.returncode not in (0, 1):
        return None
    return json.loads(asked.stdout)


def judge(index, name, chain):
    thread = f"{index:02d}-wait"
    answer = chains_of(thread)
    if not answer or "chain" not in answer:
        return False, [f"{thread} is not in the capture"]
    summary, rows = answer["chain"], answer["chains"]
    others = [row for row in rows if "▸" in row["chain"] and ("runnable" in chain or "runnable" not in row["ground"])]
    waited = sum(row["total"] for row in others)
    expected = re.compile(chain.replace("%N", f"{index:02d}") + "$")
    matched = sum(row["total"] for row in others if expected.match(row["chain"]))
    said = [f"{matched / waited:.1%} of {waited / 1e6:.1f} ms it waited for others, unknown {summary['unknown']:.2%}, cut {summary['cut']:.2%}, "
            f"residual {summary['residual']} ns of {summary['window'] / 1e6:.0f} ms"] if waited else ["it waited for nobody"]
    holds = waited > 0 and matched / waited >= LEAST_SHARE and summary["residual"] == 0 and summary["unknown"] <= MOST_UNKNOWN
    if not holds:
        said += [f"{row['total'] / 1e6:9.2f} ms  {row['chain']}" for row in rows[:12]]
    return holds, said


wrong = 0
with open(listing, encoding="utf-8") as lines:
    for line in lines:
        index, name, chain = line.rstrip("\n").split("\t")
        holds, said = judge(int(index), name, chain)
        number += 1
        wrong += not holds
        print(f"{'ok' if holds else 'not ok'} {number} - the ground of {name} is the staged one")
        for one in said:
            print(f"# {one}")
sys.exit(1 if wrong else 0)
