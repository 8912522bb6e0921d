"""What the page costs: time to the first page, tokens/s as a browser sees them, how fast attention
is drawn, and how long the browser's main thread works.

    python tests/benchmarks/page.py [--rounds 3] [--tokens 400]

Both starts are whole processes, from the command to the first answered request, in turn. The rates
are taken from the moments at which tokens arrive at a plain HTTP client, or appear in a page, and
compared with bare `generate` on the same prompt and settings in this process; client, browser and
server share the processors. Attention is drawn for a model of GPT-2 small's shape with random
weights and the mini's tokenizer, from typing 64 tokens to the drawn overview, and from a key to the
next head. The browser parts need Chromium.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gptcore.language_model import LanguageModel

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script, from anywhere
EMPTY_PAGE = """
import os; os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
import gradio as gr
with gr.Blocks() as page: pass
page.launch(server_port={port}, quiet=True, ssr_mode=False)
"""
from limits import told

PROMPT = "Once upon a time, there was a little dog."

DONE = """() => window.seen.length > 3 &&
  /length reached|ended/.test(document.querySelector('#stream .ts-stats').textContent)"""

# Notes when the number of tokens on the page changes.
WATCH = """() => {
  window.seen = [];
  const box = document.querySelector('#stream .ts-text');
  new MutationObserver(() => window.seen.push([performance.now(), box.querySelectorAll('.ts-token').length]))
    .observe(box, {childList: true});
}"""


# Milliseconds from typing a text to the drawn overview.
TYPE = """text => new Promise(done => {
  const grid = document.querySelector('#attention .at-grid'), box = document.querySelector('#attention-text textarea');
  const drawn = () => requestAnimationFrame(() => done(performance.now() - began));
  new MutationObserver((_, watch) => { watch.disconnect(); drawn(); }).observe(grid, {attributeFilter: ['aria-label']});
  const began = performance.now();
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(box, text);
  box.dispatchEvent(new Event('input', {bubbles: true}));
})"""

# Milliseconds from a key to the drawn head, and what the server's exact map took.
NEXT_HEAD = """() => new Promise(done => {
  performance.clearResourceTimings();
  const grid = document.querySelector('#attention .at-grid'), began = performance.now();
  grid.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
  requestAnimationFrame(() => {
    const drawn = performance.now() - began;
    setTimeout(() => {
      const asked = performance.getEntriesByType('resource').filter(e => e.name.includes('component_server'));
      done([drawn, ...asked.map(e => e.duration)]);
    }, 400);
  });
})"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument(
        "--model", default="mini", help="for the browser part; a bundled model or a model folder"
    )
    options = parser.parse_args()
    starts: dict[str, list[float]] = {"empty Gradio page": [], "this app": []}
    for _ in range(options.rounds):
        for name, command in (("empty Gradio page", None), ("this app", "app.py")):
            with served(command) as (_, seconds, _):
                starts[name].append(seconds)
    base = statistics.median(starts["empty Gradio page"])
    print("time to first page       s (median)   x empty page")
    for name, values in starts.items():
        share = base / statistics.median(values)
        limit = (
            "" if name != "this app" else f"   limit {base:.2f} (an empty page), share {share:.2f}"
        )
        print(f"  {name:<22} {statistics.median(values):>8.2f} {1 / share:>12.2f}{limit}")
    client_rate(options.rounds, options.tokens, options.model)
    from ui.server.rehearsal import find_browser

    chromium = os.environ.get("CHROMIUM") or find_browser()
    if chromium is None:
        print("no Chromium here: the browser parts are left out")
        return
    browser_rate(chromium, options.rounds, options.tokens, options.model)
    attention_speed(chromium, options.rounds)
    main_thread(chromium, options.rounds)


class Served(NamedTuple):
    """A server: where it is, how long its start took, and its process."""

    address: str
    seconds: float
    process: int


@contextmanager
def served(script: str | None, *flags: str) -> Iterator[Served]:
    """A server process, from its command to the first answered request."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = (
        ["-c", EMPTY_PAGE.format(port=port)]
        if script is None
        else [script, *flags, "--offline", "--port", str(port)]
    )
    environment = {**os.environ, "NO_PROXY": "127.0.0.1,localhost"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}/"
    try:
        while True:
            try:
                with urllib.request.urlopen(address, timeout=5) as reply:
                    reply.read()
                break
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                if process.poll() is not None or time.perf_counter() - began > 120:
                    raise SystemExit("the server did not start") from None
                time.sleep(0.02)
        yield Served(address, time.perf_counter() - began, process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


@cache
def opened(model: str) -> "LanguageModel":
    """A model, opened once."""
    import gptcore

    return gptcore.load(model)


def bare_rate(model: str, n_tokens: int) -> float:
    """Tokens/s of `generate` in this process, from its first token to its last."""
    import gptcore

    settings = {
        "temperature": 0.8,
        "top_k": 50,
        "top_p": 0.95,
        "min_new_tokens": n_tokens,
        "seed": 7,
    }
    tokens = gptcore.generate(opened(model), PROMPT, max_new_tokens=n_tokens, **settings)
    times = [time.perf_counter() for _ in tokens]
    return (n_tokens - 1) / (times[-1] - times[0])


def client_rate(rounds: int, n_tokens: int, model: str) -> None:
    """Prints tokens/s as a plain HTTP client on the same processors gets them, and in bare
    `generate`, in turn.
    """
    import httpx
    from wire import Visitor, visit

    async def arrived(visitor: Visitor) -> float:
        event = visitor.page.event("generate", "click")
        form = {
            "prompt": PROMPT,
            "max-new-tokens": n_tokens,
            "min-new-tokens": min(200, n_tokens),
            "seed": 7,
        }
        seen: list[tuple[float, int]] = []
        async for message in visitor.send(
            event, visitor.page.values(event, form | {"keep-seed": True})
        ):
            counts = re.findall(r'"n":(\d+)', json.dumps(message.get("output")).replace("\\", ""))
            if counts and int(counts[-1]) > (seen[-1][1] if seen else 0):
                seen.append((time.perf_counter(), int(counts[-1])))
        return (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])

    async def rates(address: str) -> list[tuple[float, float]]:
        async with httpx.AsyncClient(base_url=address, timeout=120, trust_env=False) as client:
            visitor = await visit(client)
            return [(await arrived(visitor), bare_rate(model, n_tokens)) for _ in range(rounds + 1)]

    with served("app.py", "--model", model) as server:
        found = asyncio.run(rates(server.address))[1:]  # the first round warms up
    here, base = (statistics.median(values) for values in zip(*found, strict=True))
    print(f"\n{model}, up to {n_tokens} tokens      tokens/s   x bare")
    print(
        f"  {'got by a client':<22} {here:>8.0f} "
        f"{here / base:>8.2f}{told(here, base, 'bare `generate`')}"
    )


def browser_rate(chromium: str, rounds: int, n_tokens: int, model: str) -> None:
    """Prints tokens/s in the page and in bare `generate`, in turn."""
    from playwright.sync_api import sync_playwright

    rates: dict[str, list[float]] = {"bare generate": [], "seen in the browser": []}
    with served("app.py", "--model", model) as (address, *_), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{address}?tab=generate&max_new_tokens={n_tokens}&min_new_tokens=200&seed=7")
        page.wait_for_selector("#generate:visible")
        page.wait_for_timeout(2000)
        page.click("#more .label-wrap")
        page.evaluate(WATCH)
        bare_rate(model, n_tokens)
        for index in range(rounds + 1):
            rate = bare_rate(model, n_tokens)
            page.fill("#prompt textarea", PROMPT)
            page.wait_for_timeout(700)
            page.evaluate("window.seen = []")
            page.click("#generate")
            page.wait_for_function(DONE, timeout=120_000)
            page.wait_for_timeout(300)
            seen = [entry for entry in page.evaluate("window.seen") if entry[1] > 0]
            if index:  # the first round warms up
                rates["bare generate"].append(rate)
                rates["seen in the browser"].append(
                    1000 * (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])
                )
        browser.close()
    base = statistics.median(rates["bare generate"])
    print(f"\n{model}, up to {n_tokens} tokens     tokens/s   x bare")
    for name, values in rates.items():
        rate = statistics.median(values)
        limit = told(rate, base, "bare `generate`") if name != "bare generate" else ""
        print(f"  {name:<22} {rate:>8.0f} {rate / base:>8.2f}{limit}")


def attention_speed(chromium: str, rounds: int) -> None:
    """Prints how fast the Attention tab draws a model of GPT-2 small's shape at 64 tokens."""
    import torch
    from playwright.sync_api import sync_playwright

    import gptcore

    mini = gptcore.load()
    torch.manual_seed(0)
    shape = gptcore.GPTConfig.from_preset("gpt2", vocab_size=mini.tokenizer.vocab_size)
    words = [mini.tokenizer.decode([i]) for i in range(300, 4000)]
    words = [word for word in words if word.startswith(" ") and word[1:].isalpha()]
    with tempfile.TemporaryDirectory() as folder:
        gptcore.save_folder(folder, gptcore.GPT(shape), mini.tokenizer)
        with served("app.py", "--model", folder) as (address, *_), sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(f"{address}?tab=attention")
            page.wait_for_selector("#attention .at-name")
            page.wait_for_timeout(3000)
            drawn = []
            heads = []
            exact = []
            for index in range(rounds + 1):
                text = "".join(words[index + i * 7] for i in range(64))
                typed = page.evaluate(TYPE, text)
                page.wait_for_timeout(1500)
                steps = [page.evaluate(NEXT_HEAD) for _ in range(5)]
                if index:  # the first round warms up
                    drawn.append(typed)
                    heads += [step[0] for step in steps]
                    exact += [step[1] for step in steps if len(step) > 1]
            browser.close()
    print(
        f"\nattention, GPT-2 small's shape, {len(mini.tokenizer.encode(text))} tokens, 144 "
        "heads      ms (median)"
    )
    print(f"  from typing to the drawn overview   {statistics.median(drawn):>8.0f}")
    print(f"  from a key to the next head         {statistics.median(heads):>8.0f}")
    print(f"  its exact map from the server       {statistics.median(exact):>8.0f}")


def main_thread(chromium: str, rounds: int) -> None:
    """Prints how long a browser's main thread works for a load of the page, for a step of a slider
    and for a link that sets eight fields, which is followed without a load.
    """
    from playwright.sync_api import sync_playwright

    from browser import COUNT_REQUESTS, GO, settled

    worked: dict[str, list[float]] = {"a load": [], "a step of a slider": [], "a link": []}
    plain = "tab=generate&view=Write"
    eight = "temperature=0.3&top_k=7&top_p=0.5&min_p=0.1&repetition_penalty=1.2&max_new_tokens=20"
    links = (f"{plain}&{eight}&seed=5&min_new_tokens=3", plain)
    with served("app.py") as (address, *_), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(COUNT_REQUESTS)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")

        def so_far() -> float:
            found = devtools.send("Performance.getMetrics")["metrics"]
            return next(item["value"] for item in found if item["name"] == "TaskDuration")

        for index in range(rounds + 1):
            page.goto(f"{address}?tab=generate")
            settled(page)
            loaded = so_far()  # since the load began
            page.locator("#temperature input[type=range]").focus()
            for _ in range(5):
                page.keyboard.press("ArrowRight")
                settled(page)
            moved = so_far()
            for link in links:
                page.evaluate(GO, link)
                settled(page)
            if index:  # the first round warms up
                worked["a load"].append(loaded)
                worked["a step of a slider"].append((moved - loaded) / 5)
                worked["a link"].append((so_far() - moved) / len(links))
        browser.close()
    print("\nmain thread of the browser    ms (median)")
    for name, values in worked.items():
        print(f"  {name:<22} {1000 * statistics.median(values):>8.0f}")


if __name__ == "__main__":
    main()
