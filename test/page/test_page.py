# SPDX-License-Identifier: Apache-2.0
"""Uses the page as a person would, by keyboard and mouse, and holds what it shows against the JSON beside it. The
documents are made by make_documents; their figures are invented, so the test knows nothing but the files."""

import json
import pathlib
import re
import subprocess
import sys
import time
import unittest

from browser import Browser, find_browser

DIRECTORY = sys.argv.pop(1) if len(sys.argv) > 1 else "build/page"
DOCUMENTS = ("ledger", "pair", "large", "hostile", "difference", "timeline", "crowd", "locks")
browser = None


def setUpModule():
    global browser
    browser = Browser(find_browser())


def tearDownModule():
    browser.close()


def path(name):
    return f"{DIRECTORY}/{name}"


def answer(name):
    with open(path(f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def percent(share):
    """As web/quantity.js writes it, from its rule rather than its code."""
    shown = share * 100
    if 0 < shown < 0.005:
        return "< 0.01 %"
    return f"{shown:.2f} %" if 0 < shown < 9.995 else f"{shown:.1f} %"


def shares_near(text, share):
    """A rounded percentage may differ in its last digit where the value lies between two."""
    number = float(text.replace("<", "").replace("%", "").strip())
    return abs(number - share * 100) <= (0.0051 if share < 0.09995 else 0.051)


def text(selector):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")


def texts(selector):
    return browser.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)")


def click(selector, at=0):
    browser.evaluate(f"document.querySelectorAll({json.dumps(selector)})[{at}].click()")
    browser.frame()


def focus_graph():
    browser.evaluate("document.querySelector('.graphs:not([hidden]) canvas').focus(), "
                     "document.querySelector('.explorer').scrollIntoView()")
    browser.frame()


def point(share, depth):
    """The point of the visible graph at a share of its width, in the row of a depth (icicle)."""
    box = browser.evaluate("(() => { const box = document.querySelector('.graphs:not([hidden]) canvas')"
                           ".getBoundingClientRect(); return [box.left, box.top, box.width]; })()")
    return box[0] + box[2] * share, box[1] + 2 + depth * 18 + 9


def pointed_at(share, depth):
    """The first line of what the page says about the frame there."""
    browser.mouse("mouseMoved", *point(share, depth))
    browser.frame()
    return browser.evaluate("document.querySelector('.tip').hidden ? null : document.querySelector('.tip b').textContent")


def matched_share(tree, pattern):
    """What lies in or below matching frames, each weight once."""
    matched, skip = 0, None
    for depth, name, value in zip(tree["depth"], tree["name"], tree["value"]):
        if skip is not None and depth > skip:
            continue
        skip = None
        if re.search(pattern, tree["names"][name], re.I):
            matched, skip = matched + value, depth
    return matched / tree["total"]


def contrast(one, other):
    def luminance(colour):
        parts = [part / 255 for part in colour[:3]]
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# Any CSS colour as [r, g, b], by letting the browser paint it.
COLOUR_OF = ("(colour) => { const c = Object.assign(document.createElement('canvas'), {width: 1, height: 1}).getContext('2d');"
             "c.fillStyle = colour; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; }")


class Difference(unittest.TestCase):
    """Two trees, what grew and what shrank; colour and sign say how a frame as a whole changed."""

    def setUp(self):
        browser.open(path("difference.html"))
        browser.frame()                              # the graph is drawn in the page's next one

    def pixel(self, share, depth):
        return browser.evaluate("(() => { const c = document.querySelector('.graphs:not([hidden]) canvas'), s = devicePixelRatio || 1;"
                                f"return [...c.getContext('2d').getImageData(Math.round(c.clientWidth * {share} * s), "
                                f"Math.round((2 + {depth} * 18 + 3) * s), 1, 1).data]; }})()")

    def test_each_half_has_its_tab_and_says_what_width_and_colour_mean(self):
        self.assertEqual([name.strip().split(" 1")[0] for name in texts("[role=tab]")], ["oncpu ▲ grew", "oncpu ▼ shrank"])
        for at, (word, gone) in enumerate((("grew", "is new"), ("shrank", "vanished"))):
            click("[role=tab]", at)
            legend = text(".about")
            for part in (f"below a frame {word}", gone, "orange ▲", "blue ▼", "grey =", "per correct completion"):
                self.assertIn(part, legend)

    def test_more_is_orange_and_less_is_blue_and_the_same_is_neither(self):
        width = 1.4
        places = {"hash": 0.05 / width, "parse": 0.25 / width, "reply": 0.9 / width}
        red, _, blue, _ = self.pixel(places["reply"], 2)
        self.assertGreater(red - blue, 60)
        red, _, blue, _ = self.pixel(places["hash"], 2)
        self.assertGreater(blue - red, 30)
        red, _, blue, _ = self.pixel(0.5, 1)
        self.assertLess(abs(red - blue), 20)

    def test_a_frame_says_its_sign_and_both_sides(self):
        self.assertEqual(pointed_at(0.9 / 1.4, 2), "▲ reply")
        self.assertIn("3.20 ms → 3.50 ms", (pointed_at(0.25 / 1.4, 2), text(".tip"))[1])
        self.assertEqual(pointed_at(0.05 / 1.4, 2), "▼ hash")
        self.assertEqual(pointed_at(0.5, 1), "= serve")


class Loading(unittest.TestCase):
    def test_every_page_opens_in_both_themes_without_a_complaint_or_a_request(self):
        for name in DOCUMENTS:
            for dark in (False, True):
                with self.subTest(page=name, dark=dark):
                    browser.open(path(f"{name}.html"), dark=dark)
                    browser.screenshot(path(f"{name}-{'dark' if dark else 'light'}.png"))
                    self.assertEqual(browser.complaints(), [])
                    self.assertEqual(browser.requests(), [])
                    self.assertEqual(browser.evaluate("document.documentElement.dataset.theme"), "dark" if dark else "light")

    def test_the_policy_stops_a_script_that_is_not_the_pages_own(self):
        browser.open(path("ledger.html"))
        browser.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'})),"
                         "document.body.append(Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:9/x.png'}))")
        browser.frame()
        self.assertIsNone(browser.evaluate("window.ran || null"))
        self.assertGreaterEqual(len([one for one in browser.complaints() if "Content Security Policy" in one]), 2)

    def test_foreign_names_stay_text(self):
        browser.open(path("hostile.html"))
        expected = answer("hostile")
        self.assertEqual(browser.evaluate("document.title"), expected["title"])
        self.assertEqual(browser.evaluate("document.querySelectorAll('img, i').length"), 0)
        self.assertIn("</script><script>document.title='owned'</script>", texts(".function button"))
        self.assertIn("bad\ufffd\ufffdbytes \x1b[31m", texts(".function button"))

    def test_a_refused_answer_is_marked_on_every_part(self):
        browser.open(path("hostile.html"))
        self.assertEqual(len(texts("main section")), len(texts("main section h2 .refused")))
        self.assertIn("refused", text(".banner"))
        browser.open(path("ledger.html"))
        self.assertEqual(texts(".refused, .banner"), [])

    def test_every_section_of_the_document_is_on_the_page(self):
        for name in ("ledger", "pair"):
            browser.open(path(f"{name}.html"))
            titles = set(re.sub(r"\s+refused$", "", one) for one in texts("main h2"))
            for section in answer(name)["sections"]:
                title = re.sub(r"^(baseline|candidate): ", "", section["title"])
                self.assertIn("Where in the code" if section["kind"] == "tree" else title, titles)


class Ledger(unittest.TestCase):
    def rows(self):
        return browser.evaluate("[...document.querySelectorAll('.dimensions tbody tr[data-name]')].map((row) => "
                                "[row.dataset.name, ...[...row.querySelectorAll('td.number')].map((cell) => cell.textContent)])")

    def test_shares_equal_those_of_the_json(self):
        browser.open(path("ledger.html"))
        titles = texts(".dimensions thead th.number")
        column = titles.index("share") + 1
        rows = {row[0]: row for row in self.rows()}
        states = [row for row in answer("ledger")["dimensions"] if row["unit"] == "ns"]
        whole = sum(row["total"] for row in states)
        self.assertEqual(len(states), 9)
        for row in states:
            self.assertTrue(shares_near(rows[row["name"]][column], row["total"] / whole), (rows[row["name"]], row["total"] / whole))

    def test_bars_of_two_captures_share_one_scale_per_completion(self):
        browser.open(path("pair.html"))
        widths = browser.evaluate("[...document.querySelectorAll('.dimensions tbody tr[data-name]')].map((row) => [row.dataset.name, "
                                  "...[...row.querySelectorAll('.lane span')].map((bar) => bar.getBoundingClientRect().width "
                                  "/ bar.parentNode.getBoundingClientRect().width)])")
        sides = [{row["name"]: row["per_completion"] for row in answer("pair")[side]["dimensions"]} for side in ("baseline", "candidate")]
        busy = [name for name, *_ in widths if name in ("oncpu", "runnable", "lock", "disk", "network")]
        most = max(side[name] for side in sides for name in busy)
        for name, *bars in widths:
            if name in busy:
                for bar, side in zip(bars, sides):
                    self.assertAlmostEqual(bar, side[name] / most, delta=0.01)

    def test_idle_enters_the_bars_on_request_and_the_figures_always(self):
        browser.open(path("ledger.html"))
        self.assertNotIn("idle", texts(".segment"))
        self.assertIn("idle", [row[0] for row in self.rows()])
        click(".idle-note button")
        self.assertIn("idle", texts(".segment"))
        self.assertIn("idle included", text(".idle-note"))

    def test_parts_and_the_histogram_open_by_keyboard(self):
        browser.open(path("ledger.html"))
        browser.evaluate("document.querySelector('tr[data-name=disk] .expand').focus()")
        browser.press("Enter")
        self.assertEqual(browser.evaluate("document.querySelector('tr[data-name=disk] .expand').getAttribute('aria-expanded')"), "true")
        self.assertEqual(texts(".details tbody td:first-child"), ["read", "write", "flush"])
        disk = next(row for row in answer("ledger")["dimensions"] if row["name"] == "disk")
        self.assertEqual(len(texts(".details .column")), len(disk["histogram"]))

    def test_gates_are_judged_in_words(self):
        browser.open(path("ledger.html"))
        words = [row["verdict"] for row in answer("ledger")["gates"]]
        self.assertEqual([one.split()[-1] for one in texts("#section-gates .badge")], words)
        self.assertIn("fail 1", " ".join(text(".verdicts").split()))

    def test_tables_sort_by_their_headers(self):
        browser.open(path("ledger.html"))
        click("#section-gates thead th button", 2)
        self.assertEqual(browser.evaluate("document.querySelectorAll('#section-gates th')[2].getAttribute('aria-sort')"), "descending")
        self.assertEqual(texts("#section-gates tbody td:first-child")[0], "own-cost")


class Graph(unittest.TestCase):
    def test_search_by_keyboard_finds_and_weighs(self):
        for name, pattern in (("ledger", "parse"), ("ledger", "^do_syscall|lookup$"), ("large", "node_12")):
            with self.subTest(page=name, pattern=pattern):
                browser.open(path(f"{name}.html"))
                tree = answer(name)["trees"]["oncpu"]
                browser.press("/")
                browser.type(pattern)
                functions = sum(1 for one in tree["names"] if re.search(pattern, one, re.I))
                found = text(".found")
                self.assertEqual(found.split()[0], str(functions))
                self.assertTrue(shares_near(found.split(", ")[1].replace(" of the total", ""), matched_share(tree, pattern)), found)
                browser.press("Escape")
                self.assertEqual(text(".found"), "")
                self.assertEqual(browser.evaluate("document.activeElement.tagName"), "CANVAS")

    def test_a_broken_expression_is_said_and_changes_nothing(self):
        browser.open(path("ledger.html"))
        browser.press("/")
        browser.type("(")
        self.assertEqual(text(".found"), "not a regular expression")
        self.assertEqual(browser.complaints(), [])

    def test_arrows_walk_enter_zooms_and_escape_resets(self):
        browser.open(path("ledger.html"))
        focus_graph()
        walked = []
        for _ in range(5):
            browser.press("ArrowDown")
            walked.append(text(".status b"))
        self.assertEqual(walked, ["mercuryd", "worker", "handle_request", "parse", "parse_header"])
        browser.press("ArrowRight")
        self.assertEqual(text(".status b"), "parse_query")
        browser.press("ArrowLeft")
        browser.press("ArrowUp")
        self.assertEqual(text(".status b"), "parse")
        before = pointed_at(0.99, 5)
        browser.press("Enter")
        self.assertEqual([pointed_at(0.01, 4), pointed_at(0.99, 4)], ["parse", "parse"])
        browser.press("Escape")
        self.assertEqual(text(".status b"), "all")
        self.assertEqual([pointed_at(0.99, 5), pointed_at(0.99, 0)], [before, "all"])

    def test_a_click_zooms_too_and_the_facts_are_right(self):
        browser.open(path("ledger.html"))
        focus_graph()
        ledger = answer("ledger")
        tree = ledger["trees"]["oncpu"]
        node = next(at for at, name in enumerate(tree["name"]) if tree["names"][name] == "parse_header")
        for _ in range(5):
            browser.press("ArrowDown")
        status = text(".status")
        share, own = re.search(r"inclusive, ([^·]*) ·", status)[1], re.search(r"self, ([^·]*) ·", status)[1]
        self.assertTrue(shares_near(share, tree["value"][node] / tree["total"]), status)
        self.assertTrue(shares_near(own, tree["self"][node] / tree["total"]), status)
        self.assertIn(f"{tree['value'][node] / ledger['work']['correct'] / 1000:.3g} µs per completion", status)
        self.assertIn(tree["weighting"], status)
        browser.click(*point(0.5, 3))
        self.assertEqual(pointed_at(0.005, 3), "handle_request")

    def test_the_graph_turns_over(self):
        browser.open(path("ledger.html"))
        focus_graph()
        self.assertEqual(pointed_at(0.5, 0), "all")
        browser.press("i")
        self.assertNotEqual(pointed_at(0.7, 0), "all")
        deepest = max(answer("ledger")["trees"]["oncpu"]["depth"])
        self.assertEqual(pointed_at(0.5, deepest), "all")

    def test_a_sandwich_shows_callers_and_callees(self):
        browser.open(path("pair.html"))
        focus_graph()
        for _ in range(5):
            browser.press("ArrowDown")
        browser.press("s")
        self.assertEqual(texts(".sandwich h4"), ["Callers of parse_header", "Callees of parse_header"])
        browser.press("ArrowDown")
        self.assertEqual(text(".status b"), "memchr")
        browser.press("s")
        self.assertEqual(texts(".sandwich:not([hidden])"), [])

    def test_each_dimension_of_each_capture_has_a_tab(self):
        browser.open(path("pair.html"))
        pair = answer("pair")
        self.assertEqual([one.split()[0] for one in texts("[role=tab]")], list(pair["baseline"]["trees"]) + list(pair["candidate"]["trees"]))
        browser.evaluate("document.querySelector('[role=tab][aria-selected=true]').focus()")
        browser.press("ArrowRight")
        self.assertEqual(text("[role=tab][aria-selected=true]").split()[0], "disk")
        self.assertIn(pair["baseline"]["trees"]["disk"]["weighting"], text(".about"))

    def test_the_functions_add_up_to_the_json(self):
        browser.open(path("ledger.html"))
        tree = answer("ledger")["trees"]["oncpu"]
        own = {}
        for name, value in zip(tree["name"], tree["self"]):
            own[tree["names"][name]] = own.get(tree["names"][name], 0) + value
        rows = browser.evaluate("[...document.querySelectorAll('.functions tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
        self.assertEqual(len(rows), len(own))
        for share, _, name in rows:
            self.assertTrue(shares_near(share, own[name] / tree["total"]), (share, name))

    def painted_share(self, depth):
        """The part of a row that is painted; a line of one pixel that parts two frames counts as painted."""
        y = 2 + depth * 18 + 3
        return browser.evaluate(
            f"(() => {{ const c = document.querySelector('.graphs canvas'), w = c.width, d = c.getContext('2d').getImageData(0, {y}, w, 1).data;"
            "const empty = (x) => d[4*x] === 255 && d[4*x+1] === 255 && d[4*x+2] === 255; let painted = 0;"
            "for (let x = 0; x < w; x++) painted += !empty(x) || (x > 0 && x < w - 1 && !empty(x-1) && !empty(x+1));"
            "return painted / w; })()")

    def test_narrow_frames_are_joined_and_never_lost(self):
        browser.open(path("large.html"))
        tree = answer("large")["trees"]["oncpu"]
        focus_graph()
        for depth in (1, 5, 12, 20):
            expected = sum(value for at, value in zip(tree["depth"], tree["value"]) if at == depth) / tree["total"]
            self.assertGreaterEqual(self.painted_share(depth), expected - 0.01, f"row {depth}")

    def test_a_tree_of_200000_nodes_opens_and_answers(self):
        browser.open(path("large.html"))
        ready = browser.evaluate("Number(document.documentElement.dataset.readyMs)")
        self.assertEqual(len(answer("large")["trees"]["oncpu"]["value"]), 200000)
        self.assertIn("200,000 nodes", text(".about"))
        focus_graph()
        began = time.monotonic()
        browser.press("ArrowDown")
        browser.press("Enter")
        walked = (time.monotonic() - began) * 1000
        self.assertNotEqual(text(".status b"), "all")
        print(f"# 200,000 nodes: ready after {ready} ms; a walk and a zoom drawn after {walked:.0f} ms")


class Timeline(unittest.TestCase):
    """Lanes of 20 pixels below an axis of 22, right of the names; the small document's spans are known by heart."""

    def setUp(self):
        browser.open(path("timeline.html"))
        browser.evaluate("document.querySelector('.timeline canvas').focus()")
        browser.frame()

    def place(self, ms, lane, of=10):
        left, top, width = browser.evaluate("(() => { const box = document.querySelector('.timeline canvas').getBoundingClientRect();"
                                            "return [box.left, box.top, box.width]; })()")
        return left + 168 + (width - 168) * ms / of, top + 22 + lane * 20 + 10

    def pointed_at(self, ms, lane):
        browser.mouse("mouseMoved", *self.place(ms, lane))
        browser.frame()
        return browser.evaluate("document.querySelector('.timeline .tip').hidden ? null : document.querySelector('.timeline .tip').textContent")

    def chosen(self):
        return text(".timeline .status b")

    def pixel(self, ms, lane, down):
        return browser.evaluate("(() => { const c = document.querySelector('.timeline canvas'), s = devicePixelRatio || 1;"
                                f"return [...c.getContext('2d').getImageData(Math.round((168 + (c.clientWidth - 168) * {ms} / 10) * s), "
                                f"Math.round((22 + {lane} * 20 + {down}) * s), 1, 1).data]; }})()")

    def test_a_span_says_what_it_was_for_and_who_ended_it(self):
        said = self.pointed_at(3, 1)
        for part in ("lock/mutex", "worker (11)", "3.00 ms, from 2.00 ms on".replace("3.00", "3").replace("2.00", "2"), "for <b>orders</b>", "ended by writer (12)"):
            self.assertIn(part, said)
        self.assertIn("GET /a", self.pointed_at(3, 0))
        self.assertIn("1,000 intervals, mostly oncpu", self.pointed_at(7, 2))
        self.assertIsNone(self.pointed_at(8, 0))

    def test_keys_walk_along_a_lane_between_lanes_and_to_the_waker(self):
        self.assertEqual(self.chosen(), "request correct · requests")
        browser.press("ArrowDown")
        self.assertEqual(self.chosen(), "lock/mutex · worker (11)")
        browser.press("ArrowRight")
        self.assertEqual(self.chosen(), "runnable/woken · worker (11)")
        browser.press("ArrowLeft")
        browser.press("w")
        self.assertEqual(self.chosen(), "oncpu · writer (12)")
        browser.press("ArrowLeft")
        self.assertEqual(self.chosen(), "disk/read · writer (12)")

    def test_zoom_pan_and_reset_by_key_and_the_legend_sums_what_is_shown(self):
        legend = lambda: " ".join(texts(".legend li"))
        lanes = answer("timeline")["timeline"]
        self.assertIn("oncpu 8 ms, 40.0 %", legend())
        self.assertEqual(sum(lanes["span"][1:]), 20_000_000)
        browser.press("ArrowDown")
        browser.press("Enter")
        self.assertIn("lock/mutex 3 ms", legend())
        self.assertIn("disk/read", legend())
        self.assertNotIn("idle", legend())
        for _ in range(8):
            browser.press("d")
        self.assertIn("idle", legend())
        browser.press("Escape")
        self.assertIn("oncpu 8 ms, 40.0 %", legend())

    def test_a_search_by_keyboard_finds_states_threads_and_locks(self):
        browser.press("/")
        browser.type("orders")
        self.assertEqual(text(".timeline .found"), "1 span matches, 3 ms")
        browser.press("Enter")
        self.assertEqual(self.chosen(), "lock/mutex · worker (11)")
        browser.press("/")
        browser.type("(")
        self.assertEqual(text(".timeline .found"), "not a regular expression")
        browser.press("Escape")
        self.assertEqual(text(".timeline .found"), "")

    def test_a_kind_of_state_is_told_by_height_too(self):
        empty = self.pixel(8, 0, 10)
        self.assertNotEqual(self.pixel(1, 1, 3), empty)          # runs: high
        self.assertEqual(self.pixel(5.5, 1, 3), empty)           # ready: half as high
        self.assertNotEqual(self.pixel(5.5, 1, 9), empty)
        self.assertEqual(self.pixel(8, 1, 9), empty)             # idle: a line
        self.assertNotEqual(self.pixel(8, 1, 13), empty)

    def test_every_pixel_of_a_crowd_is_painted(self):
        browser.open(path("crowd.html"))
        browser.frame()
        crowd = answer("crowd")["timeline"]
        self.assertLessEqual(len(crowd["lane"]), 200000)
        self.assertEqual(sum(crowd["count"]), 4_000_000)
        self.assertEqual(sum(crowd["span"]), 64 * 6_400_000_000)
        self.assertIn("short ones are joined", text(".timeline .about"))
        painted = browser.evaluate("(() => { const c = document.querySelector('.timeline canvas'), g = c.getContext('2d'), back = "
                                   "[...g.getImageData(2, 30, 1, 1).data].join(); let empty = 0; const row = g.getImageData(170, 22 + 13, c.width - 172, 1).data;"
                                   "for (let x = 0; x < row.length; x += 4) empty += [...row.slice(x, x + 4)].join() === back; return empty; })()")
        self.assertEqual(painted, 0)
        began = time.monotonic()
        browser.press("t")
        print(f"# {len(crowd['lane'])} spans: ready after {browser.evaluate('Number(document.documentElement.dataset.readyMs)')} ms; "
              f"drawn again after {(time.monotonic() - began) * 1000:.0f} ms")


class Waiters(unittest.TestCase):
    """Who waited for whom, drawn above its table."""

    def setUp(self):
        browser.open(path("locks.html"))

    def test_each_pair_is_a_line_as_thick_as_its_wait(self):
        edges = browser.evaluate("[...document.querySelectorAll('.graph-edge')].map((one) => [Number(one.getAttribute('stroke-width')), one.getAttribute('aria-label')])")
        rows = answer("locks")["waiters"]
        self.assertEqual(len(edges), len(rows))
        for (width, words), row in zip(edges, rows):
            self.assertAlmostEqual(width, 1.5 + 12 * row["wait"] / 8e6, delta=0.06)
            for part in (row["waiter"], row["holder"], row["lock"]):
                self.assertIn(part, words)

    def test_a_thread_that_waits_and_holds_stands_on_both_sides_with_its_sums(self):
        nodes = browser.evaluate("[...document.querySelectorAll('.graph svg text')].map((one) => [one.getAttribute('text-anchor'), one.textContent])")
        self.assertEqual(nodes, [["end", "b (2)"], ["end", "waited 8 ms"], ["end", "c (3)"], ["end", "waited 5 ms"],
                                 ["start", "a (1)"], ["start", "caused 9 ms"], ["start", "b (2)"], ["start", "caused 4 ms"]])

    def test_a_line_is_reached_by_keyboard_and_read_out(self):
        browser.evaluate("document.querySelectorAll('.graph-edge')[1].focus()")
        self.assertEqual(text("#section-waiters .status"), "c (3) waited 4 ms for <i>index</i>, held by b (2), in 2 parts")
        self.assertEqual(len(texts("#section-waiters tbody tr")), 3)


class Looks(unittest.TestCase):
    def test_the_theme_turns_by_key_and_by_button(self):
        browser.open(path("ledger.html"))
        light = browser.evaluate("getComputedStyle(document.body).backgroundColor")
        browser.press("t")
        self.assertNotEqual(browser.evaluate("getComputedStyle(document.body).backgroundColor"), light)
        browser.evaluate("[...document.querySelectorAll('header button')].find((one) => /Light theme/.test(one.textContent)).click()")
        self.assertEqual(browser.evaluate("getComputedStyle(document.body).backgroundColor"), light)

    def test_texts_have_a_contrast_of_at_least_four_and_a_half(self):
        looked_at = "h2, p, .quiet, .badge, td, th, button:not(:disabled), .segment span"
        for dark in (False, True):
            browser.open(path("pair.html"), dark=dark)
            pairs = browser.evaluate(
                f"(() => {{ const of = {COLOUR_OF}; const seen = new Map(); for (const one of document.querySelectorAll({json.dumps(looked_at)})) {{"
                "let back = one; while (back && /rgba\\(0, 0, 0, 0\\)/.test(getComputedStyle(back).backgroundColor)) back = back.parentElement;"
                "const key = getComputedStyle(one).color + '|' + getComputedStyle(back || document.body).backgroundColor;"
                "if (!seen.has(key)) seen.set(key, one.className + ' ' + one.tagName + ' ' + one.textContent.slice(0, 20)); }"
                "return [...seen].map(([key, what]) => [what, ...key.split('|').map(of)]); })()")
            self.assertGreater(len(pairs), 8)
            for what, front, back in pairs:
                self.assertGreaterEqual(contrast(front, back), 4.5, (what, front, back, dark))

    def test_long_names_are_folded_as_far_as_their_room_asks(self):
        cases = [("f(int)", 9, "f(int)"), ("f(int)", 2, ""), ("parse_everything", 6, "parse…"),
                 ("std::map<std::string, int>::operator<(int) const", 40, "std::map<…>::operator<(int) const"),
                 ("a::operator<<(std::ostream&, std::vector<int, std::allocator<int>>)", 34, "a::operator<<(…)"),
                 ("(anonymous namespace)::f<a->b>(x)", 32, "(anonymous namespace)::f<…>(x)"), ("a < b < c < d", 6, "a < b…")]
        script = (pathlib.Path(__file__).parents[2] / "web/name.js").read_text() + \
            f"console.log(JSON.stringify({json.dumps(cases)}.map(([name, room]) => fitName(name, room))));"
        got = subprocess.run(["node", "--input-type=module"], input=script, capture_output=True, text=True, check=True).stdout
        self.assertEqual(json.loads(got), [expected for _, _, expected in cases])

    def test_names_of_frames_stay_readable_in_every_dimension(self):
        for dark in (False, True):
            browser.open(path("pair.html"), dark=dark)
            for tab in range(browser.evaluate("document.querySelectorAll('[role=tab]').length")):
                click("[role=tab]", tab)
                fills = browser.evaluate(
                    "(() => { const c = document.querySelector('.graphs canvas'), g = c.getContext('2d'), seen = new Set();"
                    "for (let row = 0; row * 18 + 20 < c.height; row++) for (let x = 4; x < c.width - 4; x += 9)"
                    "seen.add([...g.getImageData(x, 2 + row * 18 + 1, 1, 1).data].join()); return [...seen].map((one) => one.split(',').map(Number)); })()")
                front = browser.evaluate(f"({COLOUR_OF})(getComputedStyle(document.documentElement).getPropertyValue('--frame-text').trim())")
                self.assertGreater(len(fills), 2)
                for fill in fills:
                    self.assertGreaterEqual(contrast(front, fill), 4.5, (tab, fill, dark))

    def test_the_graph_is_an_application_with_a_live_status_and_a_table_beside_it(self):
        browser.open(path("ledger.html"))
        self.assertEqual(browser.evaluate("document.querySelector('.graphs canvas').getAttribute('role')"), "application")
        self.assertIn("Arrow keys", browser.evaluate("document.querySelector('.graphs canvas').getAttribute('aria-label')"))
        self.assertEqual(browser.evaluate("document.querySelector('.status').getAttribute('aria-live')"), "polite")
        click(".functions th button", 2)
        self.assertEqual(browser.evaluate("document.querySelectorAll('.functions th')[2].getAttribute('aria-sort')"), "ascending")
        names = [name for name in texts(".function button") if name.isalpha()]
        self.assertEqual(names, sorted(names))

    def test_help_opens_and_closes_by_keyboard(self):
        browser.open(path("ledger.html"))
        browser.press("?")
        self.assertTrue(browser.evaluate("document.querySelector('dialog').open"))
        browser.press("Escape")
        self.assertFalse(browser.evaluate("document.querySelector('dialog').open"))

    def test_a_narrow_window_loses_nothing_sideways(self):
        browser.call("Emulation.setDeviceMetricsOverride", width=420, height=800, deviceScaleFactor=1, mobile=False)
        try:
            browser.open(path("pair.html"))
            browser.screenshot(path("pair-narrow.png"))
            self.assertLessEqual(browser.evaluate("document.documentElement.scrollWidth"), 420)
        finally:
            browser.call("Emulation.clearDeviceMetricsOverride")


class Tap(unittest.TextTestResult):
    """One line per test, as tool/run_tests counts them; what failed says why before its line."""

    count = 0

    def say(self, test, verdict, error=None):
        Tap.count += 1
        if error:
            print("".join(f"# {line}\n" for line in self._exc_info_to_string(error, test).splitlines()), end="")
        print(f"{verdict} {Tap.count} - {test.id().split('.')[-1][5:]}", flush=True)

    def addSuccess(self, test):
        self.say(test, "ok")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say(test, "not ok", error)

    def addError(self, test, error):
        super().addError(test, error)
        self.say(test, "not ok", error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.say(subtest, "not ok", error)


if __name__ == "__main__":
    with open("/dev/null", "w", encoding="utf-8") as nowhere:
        runner = unittest.TextTestRunner(stream=nowhere, resultclass=Tap)
        good = unittest.main(testRunner=runner, exit=False).result.wasSuccessful()
    print(f"1..{Tap.count}")
    sys.exit(0 if good else 1)
