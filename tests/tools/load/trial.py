"""Twenty visitors at once, then a hundred who vanish: what each of them waits for, and what the server keeps.

    python tests/tools/load/trial.py [--seconds 180] [--profile space] [--picture FILE]

On loopback, against a server of its own in another process. Ten visitors let the mini write texts of 102 tokens, five
look at attention in changing texts, three train and follow their runs, two only look. Afterwards a hundred open the
page, press Generate and vanish amid their texts.
"""

import argparse
import asyncio
import random
import re
import secrets
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "benchmarks")]  # run as a script, from anywhere

import httpx
from page import served
from wire import Page, Visitor, visit

N_TOKENS = 102
WRITERS, READERS, TRAINERS, IDLE, VANISHING = 10, 5, 3, 2, 100
_WORDS = "the little dog saw a red bird in the old garden and ran to the big tree with her friend"


class Trial:
    """What was measured, by name, and what went wrong."""

    def __init__(self, address: str, process: int, seconds: float) -> None:
        self.address, self.process = address, process
        self.until = time.monotonic() + seconds
        self.took: dict[str, list[float]] = defaultdict(list)
        self.refused: dict[str, int] = defaultdict(int)
        self.memory: list[tuple[float, float]] = []
        self.began = time.monotonic()

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.until

    def note(self, name: str, since: float) -> None:
        self.took[name].append(time.monotonic() - since)

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.address, timeout=120, trust_env=False)

    async def watch_memory(self) -> None:
        while True:
            self.memory.append((time.monotonic() - self.began, kept_by(self.process)["MB"]))
            await asyncio.sleep(1)


def kept_by(process: int) -> dict[str, float]:
    """Memory in MB, threads and open handles of a process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return {
        "MB": int(status["VmRSS"].split()[0]) / 1024,
        "threads": int(status["Threads"]),
        "handles": len(list(Path(f"/proc/{process}/fd").iterdir())),
    }


async def write(trial: Trial, visitor: Visitor, seed: int, *, vanish: bool = False) -> None:
    """One text; what is read of the stream ends early where the visitor vanishes."""
    event = visitor.page.event("generate", "click")
    values = visitor.page.values(
        event, {"max-new-tokens": N_TOKENS, "min-new-tokens": N_TOKENS, "seed": seed, "keep-seed": True, "speed": 0}
    )
    began, updates = time.monotonic(), 0
    async for message in visitor.send(event, values):
        if message["msg"] == "process_generating":
            updates += 1
            if updates == 2:  # the first clears the page
                trial.note("its first words", began)
                if vanish:
                    return
        if message["msg"] == "process_completed":
            if message["success"]:
                trial.note("a text of 102 tokens, done", began)
            else:
                trial.refused[str(message["output"].get("error"))] += 1


async def writer(trial: Trial, page: Page, seed: int) -> None:
    async with trial.client() as client:
        visitor = await visit(client, page)
        while trial.goes_on:
            await write(trial, visitor, seed)
            seed += 100
            await asyncio.sleep(1 + random.random())  # reads what was written


async def reader(trial: Trial, page: Page) -> None:
    async with trial.client() as client:
        visitor = await visit(client, page)
        event = page.event("attention-text", "change")
        while trial.goes_on:
            text = " ".join(random.choices(_WORDS.split(), k=40))
            began = time.monotonic()
            async for message in visitor.send(event, page.values(event, {"attention-text": text})):
                if message["msg"] == "process_completed" and message["success"]:
                    trial.note("attention of a new text", began)
            await asyncio.sleep(1 + random.random())


async def trainer(trial: Trial, page: Page) -> None:
    async with trial.client() as client:
        visitor = await visit(client, page)
        event = page.event("train-start", "click")
        workspace = secrets.token_urlsafe(16)
        while trial.goes_on:
            async for message in visitor.send(event, [workspace, *page.values(event)[1:]]):
                if message["msg"] == "process_completed":
                    _, said, *_ = message["output"]["data"]
                    if said:
                        trial.refused[re.sub(r"[0-9]+ s", "... s", str(said))] += 1
            for _ in range(120):
                if not trial.goes_on:
                    break
                began = time.monotonic()
                await visitor.ask(
                    "train", "poll", {"workspace": workspace, "run": None, "version": 0, "rows": 0, "looks": 0}
                )
                trial.note("a run's news", began)
                await asyncio.sleep(0.25)


async def onlooker(trial: Trial) -> None:
    async with trial.client() as client:
        while trial.goes_on:
            began = time.monotonic()
            (await client.get("/")).raise_for_status()
            trial.note("the page", began)
            await asyncio.sleep(5)


async def vanishing(trial: Trial, page: Page, seed: int) -> None:
    try:
        async with trial.client() as client:
            await write(trial, await visit(client, page), seed, vanish=True)
    except httpx.HTTPStatusError as refusal:
        trial.refused[refusal.response.text] += 1


async def many(trial: Trial) -> None:
    async with trial.client() as client:
        page = (await visit(client)).page
    watching = asyncio.create_task(trial.watch_memory())
    await asyncio.gather(
        *(writer(trial, page, seed) for seed in range(WRITERS)),
        *(reader(trial, page) for _ in range(READERS)),
        *(trainer(trial, page) for _ in range(TRAINERS)),
        *(onlooker(trial) for _ in range(IDLE)),
    )
    watching.cancel()


async def alone(trial: Trial) -> None:
    """One visitor who does a little of everything: what the server then keeps, it needs for anybody."""
    async with trial.client() as client:
        page = (await visit(client)).page
    await asyncio.gather(writer(trial, page, 0), reader(trial, page), trainer(trial, page), onlooker(trial))


async def crowd(trial: Trial, size: int) -> None:
    async with trial.client() as client:
        page = (await visit(client)).page
    watching = asyncio.create_task(trial.watch_memory())
    await asyncio.gather(*(vanishing(trial, page, 1000 + seed) for seed in range(size)))
    watching.cancel()


def show(title: str, trial: Trial) -> None:
    print(f"\n{title:<34}{'n':>7}{'median s':>10}{'95% s':>8}{'most s':>8}")
    for name, values in trial.took.items():
        values.sort()
        print(
            f"  {name:<32}{len(values):>7}{statistics.median(values):>10.2f}"
            f"{values[int(0.95 * len(values))]:>8.2f}{values[-1]:>8.2f}"
        )
    for said, n in trial.refused.items():
        print(f"  {n} times: {said}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--profile", default="space")
    parser.add_argument("--picture", type=Path, help="memory over time, as a PNG")
    options = parser.parse_args()
    with served("app.py", "--profile", options.profile) as server:
        time.sleep(5)  # for what a start leaves to do
        process = server.process
        kept = [("before", kept_by(process))]
        asyncio.run(alone(Trial(server.address, process, options.seconds / 6)))
        time.sleep(60)
        kept.append(("after one visitor", kept_by(process)))
        trial = Trial(server.address, process, options.seconds)
        asyncio.run(many(trial))
        show(f"twenty visitors, {options.seconds:.0f} s", trial)
        vanished = Trial(server.address, process, 0)
        asyncio.run(crowd(vanished, VANISHING))
        show("a hundred who vanish", vanished)
        for wait in (5, 30, 90):
            time.sleep(wait)
            kept.append((f"{wait} s later", kept_by(process)))
        asyncio.run(crowd(Trial(server.address, process, 0), 1))
        time.sleep(2)
        kept.append(("after the next visitor", kept_by(process)))  # idle threads end when somebody comes
    print(f"\n{'the server keeps':<34}{'MB':>8}{'threads':>9}{'handles':>9}")
    for name, found in kept:
        print(f"  {name:<32}{found['MB']:>8.0f}{found['threads']:>9.0f}{found['handles']:>9.0f}")
    if options.picture:
        draw(options.picture, trial, vanished)


def draw(path: Path, *trials: Trial) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    axes = figure.subplots()
    for trial, name in zip(trials, ("twenty visitors", "a hundred who vanish"), strict=True):
        offset = trial.began - trials[0].began
        axes.plot([at + offset for at, _ in trial.memory], [size for _, size in trial.memory], label=name)
    axes.set(xlabel="seconds", ylabel="memory of the server, MB", ylim=(0, None))
    axes.legend()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    main()
