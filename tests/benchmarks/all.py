"""Every benchmark, one after the other, and one table of what they found for this folder's README.

A figure stands beside what it is compared with, and its limit on this machine with the share of it that is reached.

    python tests/benchmarks/all.py [--out table.md]

Takes ten to sixteen minutes on two cores. Nothing else should compute meanwhile.
"""

import argparse
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent


_TOKENS = r"(?P<here>[\d,]+) +(?P<ratio>[\d.]+)"
_LIMIT = re.compile(r" limit (?P<limit>[\d.,]+) \((?P<of>[^)]*)\), share (?P<share>[\d.]+)")
# Of each benchmark the rows of the table: what is measured; a pattern of its output with groups `here`, and `ratio` or
# none, after which a limit may stand on the same line; and what the ratio compares with.
PARTS: dict[str, list[tuple[str, str, str]]] = {
    "limits.py": [
        ("the machine: memory read by torch's threads, GB/s", r"memory (?P<here>[\d.]+) GB/s", ""),
        ("the machine: products in fp32, GFLOPS", r"arithmetic (?P<here>\d+) GFLOPS, torch.float32", ""),
        ("the machine: products in bf16, GFLOPS", r"arithmetic (?P<here>\d+) GFLOPS, torch.bfloat16", ""),
    ],
    "decode.py": [
        ("GPT-2 small, default decode, tokens/s", rf"gpt2.*?default +{_TOKENS}", "transformers, fp32"),
        ("GPT-2 small, exact, tokens/s", rf"gpt2.*?exact +{_TOKENS}", "transformers, fp32"),
        ("GPT-2 small, 16 texts together, tokens/s", rf"gpt2.*?16 texts together +{_TOKENS}", "one text"),
        ("GPT-2 small, first token after 512, ms",
         r"gpt2.*?first token after 512, ms +(?P<here>[\d,]+) +(?P<ratio>[\d.]+)", "transformers, fp32"),
        ("mini, tokens/s", rf"mini.*?default +{_TOKENS}", "transformers, fp32"),
        ("mini, 16 texts together, tokens/s", rf"mini.*?16 texts together +{_TOKENS}", "one text"),
        ("choosing by top-p 0.9 among 50,257, ms", r"top-p 0\.9 +(?P<here>[\d.]+)", ""),
    ],
    "attention.py": [
        ("all maps of GPT-2 small, 512 tokens, ms", r"all maps.*? (?P<here>[\d.]+) ms +(?P<ratio>[\d.]+)", "prefill"),
        ("its queries and keys, ms", r"queries and keys.*? (?P<here>[\d.]+) ms +(?P<ratio>[\d.]+)", "prefill"),
    ],
    "training.py --rounds 3 --page": [
        ("training 4 layers x 128 in the precision that the app takes, tokens/s",
         r"characters, batch 12 x 64 [^\n]*(?:fp32|bf16): (?P<here>[\d,]+) (?P<ratio>[\d.]+)", "transformers, fp32"),
        ("training the mini's shape in the precision that the app takes, tokens/s",
         r"mini, batch 16 x 128 [^\n]*(?:fp32|bf16): (?P<here>[\d,]+) (?P<ratio>[\d.]+)", "transformers, fp32"),
        ("a run in the app, tokens/s", r"run on the server.*? (?P<here>[\d,]+) +(?P<ratio>[\d.]+)", "the bare loop"),
        ("Generate beside a run, tokens/s",
         r"Generate: (?P<here>[\d,]+) tokens/s beside the run, [\d,]+ without, (?P<ratio>[\d.]+)", "without one"),
        ("a run that Chromium follows on the same cores, tokens/s", r"same cores: (?P<here>[\d,]+)", ""),
        ("from Start to the first update on the page, ms", r"first update on the page: (?P<here>\d+)", ""),
        ("the page's question for news, ms", r"polls over HTTP: p50 (?P<here>\d+)", ""),
    ],
    "page.py": [
        ("time to the first page, s", r"this app +(?P<here>[\d.]+) +(?P<ratio>[\d.]+)", "an empty Gradio page"),
        ("Generate as a plain HTTP client on the same cores gets it, tokens/s",
         r"got by a client +(?P<here>\d+) +(?P<ratio>[\d.]+)", "bare `generate`"),
        ("Generate as Chromium on the same cores sees it, tokens/s",
         r"seen in the browser +(?P<here>\d+) +(?P<ratio>[\d.]+)", "bare `generate`"),
        ("from typing to the overview of 144 heads, ms", r"drawn overview +(?P<here>\d+)", ""),
    ],
}  # fmt: skip


def table(outputs: dict[str, str]) -> str:
    """The rows of all benchmarks, as Markdown; a row that was not found says so."""
    lines = ["| what | here | compared with | ratio | limit | share |", "|---|---|---|---|---|---|"]
    for part, rows in PARTS.items():
        output = outputs.get(part, "")
        for what, pattern, against in rows:
            found = re.search(pattern, output, re.DOTALL)
            if found is None:
                lines.append(f"| {what} | not measured | {against} | | | |")
                continue
            limit = _LIMIT.search(output[found.end() :].partition("\n")[0])
            best = ("", "") if limit is None else (f"{limit['limit']} ({limit['of']})", limit["share"])
            cells = (what, found["here"], against, found.groupdict().get("ratio") or "", *best)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    outputs: dict[str, str] = {}
    for part in PARTS:
        began = time.perf_counter()
        script, *flags = part.split()
        done = subprocess.run([sys.executable, HERE / script, *flags], capture_output=True, text=True, check=False)
        outputs[part] = done.stdout
        state = "" if done.returncode == 0 else f", failed: {done.stderr[-300:]}"
        print(f"{part}: {time.perf_counter() - began:.0f} s{state}", file=sys.stderr, flush=True)
    made = f"{platform.machine()}, torch {torch.__version__}, {torch.get_num_threads()} threads\n\n{table(outputs)}"
    print(made)
    if options.out:
        options.out.write_text(made + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
