"""What one update of a run's curves costs in a browser: the page's canvas against Plotly's extendTraces.

    python tests/benchmarks/curves.py [--rounds 40] [--busy 2]

Both draw the recorded run of the anthology: loss, held-out loss, the scores of its heads, learning rate and gradient
norm, to which an update of five steps is added each round, in turn, in one page. What counts is the time in which the
page's only thread is taken. Beside it so many processes compute without end, as a live run does. Needs Chromium.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

# [milliseconds of each update of the canvas], [the same of plotly].
MEASURE = """
async ({base, run, rounds}) => {
  const {curvePlot} = await import(`${base}/train/curves.js`);
  await new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = `${base}/plotly.min.js`;
    script.onload = done; script.onerror = failed;
    document.head.appendChild(script);
  });
  document.body.innerHTML = '<div class="lens-component"><div id="c" style="width:800px;height:420px">' +
    '<canvas></canvas><canvas></canvas></div><div id="r"></div></div>' +
    '<div id="p" style="width:800px;height:420px"></div>';
  const canvas = document.querySelector('#c');
  const curves = curvePlot(canvas, document.querySelector('#r')), all = run.rows;
  run.rows = all.slice(0, -5 * rounds);
  const heads = [];
  for (const name of ['previous', 'induction'])
    for (let l = 0; l < run.about.L; l++)
      for (let h = 0; h < run.about.H; h++) heads.push(run.looks.map(look => look[name]?.[l]?.[h] ?? null));
  const line = (points, axis, mode = 'lines') =>
    ({x: points.map(p => p[0]), y: points.map(p => p[1]), yaxis: axis, mode, type: 'scatter'});
  const looks = run.looks.map(look => [look.step, look.valid]);
  const traces = [line(run.rows.map(r => [r[0], r[1]]), 'y'), line(looks, 'y', 'lines+markers'),
    line(run.rows.map(r => [r[0], r[2]]), 'y3'), line(run.rows.map(r => [r[0], r[3]]), 'y4'),
    ...heads.map(values => line(values.map((v, i) => [run.looks[i].step, v]), 'y2'))];
  const layout = {yaxis: {domain: [0.55, 1]}, yaxis2: {domain: [0.32, 0.5]}, yaxis3: {domain: [0.16, 0.28]},
    yaxis4: {domain: [0, 0.12]}, showlegend: false, width: 800, height: 420};
  await Plotly.newPlot('p', traces, layout);
  const found = {canvas: [], plotly: []};
  for (let i = 0; i < rounds; i++) {
    const more = all.slice(run.rows.length, run.rows.length + 5);
    run.rows = all.slice(0, run.rows.length + 5);
    let began = performance.now();
    curves.draw(run, null, null);
    found.canvas.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
    began = performance.now();
    await Plotly.extendTraces('p', {x: [1, 2, 3].map(() => more.map(r => r[0])),
      y: [1, 2, 3].map(k => more.map(r => r[k]))}, [0, 2, 3]);
    found.plotly.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
  }
  return found;
}
"""


def _spin() -> None:
    while True:
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40, help="updates of each")
    parser.add_argument("--busy", type=int, default=2, help="processes that compute beside the page")
    options = parser.parse_args()
    from playwright.sync_api import sync_playwright

    from serving import served_page
    from ui.shared.files import base_path

    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    busy = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(options.busy)]
    with served_page() as address, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        page.goto(f"{address}?tab=train")
        run = recorded_run()
        for process in busy:
            process.start()
        found = page.evaluate(MEASURE, {"base": base_path(), "run": run, "rounds": options.rounds})
        for process in busy:
            process.terminate()
    middle = {name: sorted(times)[len(times) // 2] for name, times in found.items()}
    print(json.dumps({name: {"ms": round(middle[name], 2), "most_ms": round(max(found[name]), 1)} for name in middle}))
    print(
        f"an update of {len(run['rows']):,} steps: plotly takes {middle['plotly'] / middle['canvas']:.1f} of the canvas"
    )
    return 0


def recorded_run() -> dict[str, object]:
    """The run that comes with the anthology, as the page keeps it."""
    from ui.lenses.train.handlers import watching
    from ui.lenses.train.handlers.files import example_workspaces
    from ui.services import make_services

    services = make_services(offline=True, examples=example_workspaces())
    news = watching.poll(
        services, {"bench": "example", "run": None, "version": 0, "rows": 0, "looks": 0, "rival": None}
    )
    assert news is not None
    return {**news, "past": [], "rival": None}


if __name__ == "__main__":
    raise SystemExit(main())
