# SPDX-License-Identifier: Apache-2.0
"""judge.py ANSWER CROSSCUT PACKET STEAL: what must hold of a demo's answer, as TAP. STEAL is the share of the processors that the
host took meanwhile, in thousandths. Ends with 1 where something is wrong, 75 where the pairs do not tell."""
import json
import subprocess
import sys

answer = json.load(open(sys.argv[1], encoding="utf-8"))
rows = {row["name"]: row for row in answer["comparison"]}
steal = int(sys.argv[4])
STILL = 10  # thousandths: beyond, what differs between two blocks may be the host's
checks = []  # (True, False or None where the interval has room for both, what)


def told(holds, excluded):
    return True if holds else False if excluded and steal <= STILL else None


for name in "disk", "runnable", "lock":
    row = rows[name]
    half = row["baseline"] / 2
    checks.append((told(row["low"] > 0 and row["change"] >= half, row["high"] < half or row["high"] <= 0),
                   f"{name} per correct response grows by half or more: {row['baseline']:.0f} to {row['candidate']:.0f} ns, "
                   f"by {row['low']:.0f} to {row['high']:.0f} ns"))
cpu = rows["oncpu"]
checks.append((told(cpu["change"] < 0, cpu["low"] > 0),
               f"CPU per correct response falls: {cpu['baseline']:.0f} to {cpu['candidate']:.0f} ns, "
               f"by {cpu['low']:.0f} to {cpu['high']:.0f} ns"))
widest = answer["candidate"]["oncpu"]["widest"]["function"]
checks.append((told(widest == "parse", True), f"the candidate's widest function on the CPU is parse: {widest}"))
verdict = answer["packet"]["verdict"]
# supported, or on a busy machine not decided; what must not happen is that the true cause is rejected
checks.append((verdict["judgement"] in ("supported", "inconclusive", "drift"),
               f"the verdict on the true cause: {verdict['judgement']}: {verdict['why']}"))
verified = subprocess.run([sys.argv[2], "packet", "verify", sys.argv[3]], capture_output=True, text=True, check=False)
checks.append((verified.returncode == 0, "the packet of the demo verifies: " + " ".join(verified.stdout.split())[:200]))
for number, (holds, text) in enumerate(checks, 1):
    text = text.replace("#", "")
    print(f"not ok {number} - {text}" if holds is False
          else f"ok {number} - {text}" + ("" if holds else f" # SKIP the pairs do not tell on this host now, which took {steal / 10} % of the processors"))
answers = [holds for holds, _ in checks]
sys.exit(1 if False in answers else 75 if None in answers else 0)
