"""Every benchmark, one after the other. Their figures are written to `results/`; the README's
tables are made of these.

A figure stands beside what it is compared with, and its limit on this machine with the share of it
that is reached.

    python tests/benchmarks/all.py [--out FOLDER]

Takes ten to sixteen minutes on two cores. Nothing else should compute meanwhile.
"""

import argparse
import json
import platform
import re
import subprocess
import sys
import time
from contextlib import suppress
from datetime import date
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"


_TOKENS = r"(?P<here>[\d,]+) +(?P<ratio>[\d.]+)"
_LIMIT = re.compile(r" limit (?P<limit>[\d.,]+) \((?P<of>[^)]*)\), share (?P<share>[\d.]+)")
# Of each benchmark the rows of the table: what is measured; a pattern of its output with groups
# `here`, and `ratio` or none, after which a limit may stand on the same line; and what the ratio
# compares with.
PARTS: dict[str, list[tuple[str, str, str]]] = {
    "limits.py": [
        ("the machine: memory read by torch's threads, GB/s", r"memory (?P<here>[\d.]+) GB/s", ""),
        (
            "the machine: products in fp32, GFLOPS",
            r"arithmetic (?P<here>\d+) GFLOPS, torch.float32",
            "",
        ),
        (
            "the machine: products in bf16, GFLOPS",
            r"arithmetic (?P<here>\d+) GFLOPS, torch.bfloat16",
            "",
        ),
    ],
    "decode.py": [
        (
            "GPT-2 small, default decode, tokens/s",
            rf"gpt2.*?default +{_TOKENS}",
            "transformers, fp32",
        ),
        ("GPT-2 small, exact, tokens/s", rf"gpt2.*?exact +{_TOKENS}", "transformers, fp32"),
        (
            "GPT-2 small, 16 texts together, tokens/s",
            rf"gpt2.*?16 texts together +{_TOKENS}",
            "one text",
        ),
        (
            "GPT-2 small, first token after 512, ms",
            r"gpt2.*?first token after 512, ms +(?P<here>[\d,]+) +(?P<ratio>[\d.]+)",
            "transformers, fp32",
        ),
        ("mini, tokens/s", rf"mini.*?default +{_TOKENS}", "transformers, fp32"),
        ("mini, 16 texts together, tokens/s", rf"mini.*?16 texts together +{_TOKENS}", "one text"),
        ("choosing by top-p 0.9 among 50,257, ms", r"top-p 0\.9 +(?P<here>[\d.]+)", ""),
    ],
    "attention.py": [
        (
            "all maps of GPT-2 small, 512 tokens, ms",
            r"all maps.*? (?P<here>[\d.]+) ms +(?P<ratio>[\d.]+)",
            "prefill",
        ),
        (
            "its queries and keys, ms",
            r"queries and keys.*? (?P<here>[\d.]+) ms +(?P<ratio>[\d.]+)",
            "prefill",
        ),
    ],
    "training.py --rounds 3 --page": [
        (
            "training 4 layers x 128 in the precision that the app takes, tokens/s",
            r"characters, batch 12 x 64 [^\n]*(?:fp32|bf16): (?P<here>[\d,]+) (?P<ratio>[\d.]+)",
            "transformers, fp32",
        ),
        (
            "training the mini's shape in the precision that the app takes, tokens/s",
            r"mini, batch 16 x 128 [^\n]*(?:fp32|bf16): (?P<here>[\d,]+) (?P<ratio>[\d.]+)",
            "transformers, fp32",
        ),
        (
            "a run in the app, tokens/s",
            r"run on the server.*? (?P<here>[\d,]+) +(?P<ratio>[\d.]+)",
            "the bare loop",
        ),
        (
            "Generate beside a run, tokens/s",
            r"Generate: (?P<here>[\d,]+) tokens/s beside the run, [\d,]+ without, (?P<ratio>[\d.]+)",
            "without one",
        ),
        (
            "a run that Chromium follows on the same cores, tokens/s",
            r"same cores: (?P<here>[\d,]+)",
            "",
        ),
        (
            "from Start to the first update on the page, ms",
            r"first update on the page: (?P<here>\d+)",
            "",
        ),
        ("the page's question for news, ms", r"polls over HTTP: p50 (?P<here>\d+)", ""),
    ],
    "page.py": [
        (
            "time to the first page, s",
            r"this app +(?P<here>[\d.]+) +(?P<ratio>[\d.]+)",
            "an empty Gradio page",
        ),
        (
            "Generate as a plain HTTP client on the same cores gets it, tokens/s",
            r"got by a client +(?P<here>\d+) +(?P<ratio>[\d.]+)",
            "bare `generate`",
        ),
        (
            "Generate as Chromium on the same cores sees it, tokens/s",
            r"seen in the browser +(?P<here>\d+) +(?P<ratio>[\d.]+)",
            "bare `generate`",
        ),
        ("from typing to the overview of 144 heads, ms", r"drawn overview +(?P<here>\d+)", ""),
    ],
}


Row = dict[str, str]


def rows_of(outputs: dict[str, str]) -> list[Row]:
    """The figures of all benchmarks, from what each printed; one that is not found is left out."""
    rows = list[Row]()
    for part, patterns in PARTS.items():
        output = outputs.get(part, "")
        for what, pattern, against in patterns:
            found = re.search(pattern, output, re.DOTALL)
            if found is None:
                continue
            row = {"what": what, "here": found["here"], "compared with": against}
            row["ratio"] = found.groupdict().get("ratio") or ""
            limit = _LIMIT.search(output[found.end() :].partition("\n")[0])
            row["limit"] = "" if limit is None else f"{limit['limit']} ({limit['of']})"
            row["share"] = "" if limit is None else limit["share"]
            rows.append(row)
    return rows


def machine() -> str:
    """The processor's name, and what of it torch uses."""
    name = platform.processor() or platform.machine()
    with suppress(OSError):  # no such file but on Linux
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        name = next(
            (line.partition(": ")[2] for line in cpuinfo.splitlines() if "model name" in line), name
        )
    return f"{name}, {torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="folder of the results (default: results)"
    )
    options = parser.parse_args()
    outputs: dict[str, str] = {}
    for part in PARTS:
        began = time.perf_counter()
        script, *flags = part.split()
        done = subprocess.run(
            [sys.executable, HERE / script, *flags], capture_output=True, text=True, check=False
        )
        outputs[part] = done.stdout
        state = "" if done.returncode == 0 else f", failed: {done.stderr[-300:]}"
        print(f"{part}: {time.perf_counter() - began:.0f} s{state}", file=sys.stderr, flush=True)
    commit = ["git", "-C", str(HERE), "rev-parse", "--short=8", "HEAD"]
    head = subprocess.run(commit, capture_output=True, text=True, check=False).stdout.strip()
    today = date.today().isoformat()
    result = {
        "date": today,
        "commit": head,
        "machine": machine(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "rows": rows_of(outputs),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / f"{today}-{head}.json"
    file.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(
        f"{len(result['rows'])} figures in {file}. The tables: python -m "
        "tests.tools.benchmark_tables"
    )


if __name__ == "__main__":
    main()
