"""How fast training is: against transformers' model in the same loop, and inside the app against
the bare loop.

    python tests/benchmarks/training.py [--rounds 5] [--seconds 4] [--page]

The first table takes the same batches, AdamW settings, clipping and schedule for both models, a few
seconds each in turn. The second starts the Train tab's first preset in a served app: alone, with a
page that follows it in Chromium on the same machine (--page), and while a text is generated; the
bare loop has the same model, batch and precision.
"""

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]  # run as a script, from anywhere
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")

import torch
from limits import arithmetic_rate, n_read, told

import gptcore
from gptcore import GPTConfig
from gptcore.machine import keep_freed_memory
from gptcore.model import random_model
from gptcore.threads import release_threads
from gptcore.training import RepeatedSequences, Trainer, TrainingConfig, learning_rate
from gptcore.training.config import faster_precision

SHAPES = {
    "characters, batch 12 x 64": (
        GPTConfig(vocab_size=65, n_positions=64, n_embd=128, n_layer=4, n_head=4),
        12,
    ),
    "mini, batch 16 x 128": (replace(gptcore.PRESETS["mini"], n_positions=128), 16),
}
# Milliseconds of the page's questions to the server, sorted.
POLLS = """() => performance.getEntriesByType('resource').filter(e => e.name.includes('component_server'))
  .map(e => e.duration).sort((a, b) => a - b)"""
# Milliseconds from a click on Start to a number of updates on the page.
FIRST_POINT = """() => new Promise(done => {
  const began = performance.now(), box = document.querySelector('#train');
  const look = () => /^Learning/.test(box.querySelector('.tr-title').textContent) &&
    box.querySelector('.tr-tile b').textContent !== '0' ? done(performance.now() - began) : setTimeout(look, 10);
  document.querySelector('#train-start').click();
  look();
})"""
PLAIN = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}


def theirs(shape: GPTConfig, batch: int) -> Callable[[], None]:
    """One update of transformers' GPT-2 of the same shape."""
    model = gptcore.to_hf(random_model(replace(shape, **PLAIN), 1)).train()
    config = TrainingConfig(batch_size=batch)
    data = RepeatedSequences(
        shape.vocab_size, window=shape.n_positions, batch_size=batch, periods=(8, 32)
    )
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=config.learning_rate, betas=(0.9, 0.95), weight_decay=0.1
    )
    made = [0]

    def update() -> None:
        x, y = data.draw(made[0], 1)
        logits = model(x).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        loss.backward()
        float(loss.detach())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(config, made[0])
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        made[0] += 1

    return update


def ours(shape: GPTConfig, batch: int, precision: str) -> Callable[[], None]:
    data = RepeatedSequences(
        shape.vocab_size, window=shape.n_positions, batch_size=batch, periods=(8, 32)
    )
    config = TrainingConfig(batch_size=batch, precision=precision)  # type: ignore[arg-type]
    events = Trainer(random_model(replace(shape, **PLAIN), 1), config, data).events()
    return lambda: next(events) and None


def rate(update: Callable[[], None], seconds: float) -> float:
    """Updates a second."""
    began = time.perf_counter()
    n = 0
    while time.perf_counter() - began < seconds:
        update()
        n += 1
    return n / (time.perf_counter() - began)


def compare(rounds: int, seconds: float) -> None:
    print(
        f"{'tokens/s (median)':40}{'transformers':>14}{'fp32':>10}{'x':>7}{'bf16':>10}{'x':>7} "
        "  the app takes"
    )
    for name, (shape, batch) in SHAPES.items():
        runs = {"transformers": theirs(shape, batch)} | {
            kind: ours(shape, batch, kind) for kind in ("fp32", "bf16")
        }
        for update in runs.values():
            rate(update, 1.0)
        found: dict[str, list[float]] = {key: [] for key in runs}
        for _ in range(rounds):
            for key, update in runs.items():
                found[key].append(rate(update, seconds) * batch * shape.n_positions)
        t, f, b = (statistics.median(found[key]) for key in runs)
        choice = faster_precision()
        taken = b if choice == "bf16" else f
        figures = f"{t:14,.0f}{f:10,.0f}{f / t:7.2f}{b:10,.0f}{b / t:7.2f}"
        # Forward once, backward twice: 2 operations for each weight that a token meets, and for
        # each pair in attention.
        per_token = (
            6 * n_read(random_model(shape, 1))
            + 6 * shape.n_layer * shape.n_embd * shape.n_positions
        )
        best = arithmetic_rate(torch.bfloat16 if choice == "bf16" else torch.float32) / per_token
        limit = told(taken, best, f"arithmetic, {choice}")
        print(f"{name:40}{figures}   {choice}: {taken:,.0f} {taken / t:.2f}{limit}", flush=True)


def in_app(seconds: float, page: bool) -> None:
    from ui.frame.example import make_example
    from ui.lenses.train.handlers import watching
    from ui.lenses.train.handlers.forms import train_form
    from ui.lenses.train.handlers.plan import make_plan
    from ui.lenses.train.handlers.presets import PRESETS
    from ui.services import make_services

    services = make_services(offline=True)
    form = train_form({**PRESETS["2 minutes, letters"], "length": "cap"}, services.limits)
    plan = make_plan(services, form)
    shell = ours_of(plan)
    # in the thread that computes runs: another's workers would slow the loop
    services.now(lambda: rate(shell, 2.0))
    bare = services.now(lambda: rate(shell, seconds)) * plan.facts.tokens_per_step
    make_example(services)  # as the app does
    bench = watching.start(services, None, form)
    assert bench.run is not None
    polls: list[float] = []
    alone = follow(services, bench.id, bench.run.record, seconds * 2, polls)
    print(f"\n{'the app, tokens/s':40}{'':14}{'rate':>10}{'x bare':>8}")
    print(f"{'  bare loop':40}{'':14}{bare:10,.0f}{1:8.2f}")
    run = "  run on the server, polled 4 times a second"
    print(f"{run:40}{'':10}{alone:10,.0f}{alone / bare:8.2f}{told(alone, bare, 'the bare loop')}")
    half = 1e3 * statistics.median(polls)
    most = 1e3 * statistics.quantiles(polls, n=20)[-1]
    print(f"  poll: p50 {half:.1f} ms, p95 {most:.1f} ms")
    generated(services, 1.5)
    while_on = generated(services, seconds)
    bench.run.stop()
    bench.run.wait(10)
    idle = generated(services, seconds)
    services.close()
    share = f"{while_on / idle:.2f}{told(while_on, idle / 2, 'half of the time')}"
    print(
        f"  Generate: {while_on:,.0f} tokens/s beside the run, {idle:,.0f} without, {share}",
        flush=True,
    )
    if page:
        seen(seconds)


def ours_of(plan) -> Callable[[], None]:
    events = Trainer(plan.model(), plan.facts.config, plan.data).events()
    return lambda: next(events) and None


def follow(services, bench_id: str, run, seconds: float, polls: list[float]) -> float:
    """Tokens a second of a run that a page asks for news four times a second."""
    from ui.lenses.train.handlers import watching

    while run.step < 20:
        time.sleep(0.05)
    began = time.perf_counter()
    first = run.step
    seen = {}
    while time.perf_counter() - began < seconds:
        asked = time.perf_counter()
        news = watching.poll(services, {"workspace": bench_id, **seen})
        polls.append(time.perf_counter() - asked)
        n_rows = news["first"] + len(news["rows"])
        n_looks = news["looks_from"] + len(news["looks"])
        seen = {"run": news["run"], "version": news["version"], "rows": n_rows, "looks": n_looks}
        time.sleep(0.25)
    return (run.step - first) * run.facts.tokens_per_step / (time.perf_counter() - began)


def generated(services, seconds: float) -> float:
    """Tokens a second of texts of the default model, as the Generate tab makes them."""
    from gptcore.inference.sampling_settings import SamplingSettings
    from gptcore.inference.sequence import TokenSequence

    lm = services.models.get(services.models.default)
    n = 0
    began = time.perf_counter()
    prompt = lm.tokenizer.encode("Once upon a time")
    while time.perf_counter() - began < seconds:
        text = TokenSequence(
            prompt, SamplingSettings(), seed=n, tokenizer=lm.tokenizer, stop_at_end=False
        )
        for _ in services.write(lm, [text], 100):
            n += 1
    return n / (time.perf_counter() - began)


def seen(seconds: float) -> None:
    """The rate on the page itself, in Chromium on the same machine."""
    from page import served
    from playwright.sync_api import sync_playwright

    from ui.server.rehearsal import find_browser

    chromium = os.environ.get("CHROMIUM") or find_browser()
    # A process of its own: idle threads of this one would slow what it computes.
    with served("app.py") as (url, *_), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(url + "?tab=train")
        page.wait_for_selector("#train .tr-tile")
        page.wait_for_timeout(1500)
        first = page.evaluate(FIRST_POINT)
        page.wait_for_timeout(4000)
        rates = []
        for _ in range(max(3, int(seconds * 2))):
            page.wait_for_timeout(1000)
            rates.append(float(page.locator(".tr-tile b").nth(5).inner_text().replace(",", "")))
        took = page.evaluate(POLLS)
        print(
            "  with a page that follows it in Chromium on the same cores: "
            f"{statistics.median(rates):,.0f} tokens/s"
        )
        print(f"  from Start to the first update on the page: {first:.0f} ms")
        print(
            f"  its polls over HTTP: p50 {took[len(took) // 2]:.0f} ms, p95 "
            f"{took[int(0.95 * len(took))]:.0f} ms"
        )
        page.click("#train [data-cmd=stop]")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="0 leaves the first table out")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    keep_freed_memory()
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    if options.rounds:
        compare(options.rounds, options.seconds)
        release_threads()
    thread = threading.Thread(target=in_app, args=(options.seconds, options.page))
    thread.start()  # as in a server, and its workers go with it
    thread.join()


if __name__ == "__main__":
    main()
