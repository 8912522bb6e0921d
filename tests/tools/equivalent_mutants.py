"""Mistakes that change nothing that anybody could observe, each with its reason (`mutants`)."""

# (path, line, change) -> why nobody could observe it.
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "ui/rooms/hall/handlers/leading.py",
        "if number == broadcast.number and type(start) is int and 0 <= start <= len(text)",
        "<= to <",
    ): "a start of 0 and no start are the same",
    (
        "ui/shared/own_text.py",
        "lm.tokenizer.encode(shortened)[: max(1, lm.model.config.n_positions // 2)]",
        "max dropped",
    ): "a model with a window of one token writes nothing",
    (
        "ui/runs/saved_runs.py",
        "is_young = self._clock() - place.stat().st_mtime < _AGE",
        "< to <=",
    ): "a day more or less an instant",
    (
        "ui/compute/zero_gpu.py",
        "return ON_ZERO_GPU and count_parameters(lm.model.config).total >= LARGE",
        ">= to >",
    ): "no model has exactly so many parameters",
    (
        "ui/server/temp_files.py",
        "if now - left.stat().st_mtime > self._age:",
        "> to >=",
    ): "an instant more or less",
    (
        "ui/state/token_stream.py",
        '{"kind": self.kind, **self.values}, ensure_ascii=False, separators=(",", ":")',
        "flag turned",
    ): "the same JSON for whoever reads it",
    (
        "ui/lenses/train/handlers/verdicts.py",
        "if measured.high < 0.5",
        "< to <=",
    ): "the end of an interval of whole counts is never exactly a half",
    (
        "ui/runs/workspaces.py",
        "gone = [item for item in self._workspaces.values() if now - item.last_seen > seconds]",
        "> to >=",
    ): "an instant more or less",
    (
        "ui/lenses/attention/view/overview.js",
        "if (scroll.scrollWidth > scroll.clientWidth)",
        "> to >=",
    ): "what fits is not scrolled",
    ("ui/lenses/train/view/curves.js", "if (y < low) low = y;", "< to <="): "it is as low",
    (
        "gptcore/inference/sampling.py",
        "if floor <= least or p[above].sum(dtype=np.float64) > top_p + _ROUNDING:",
        "or to and",
    ): "the same tokens after more sorting",
    (
        "gptcore/finetuning/instruction.py",
        "if draw.random() < 0.3 and named is not None:",
        "< to <=",
    ): "no draw is exactly that",
    (
        "ui/lenses/attention/view/heatmap.js",
        "if (x < plot.x && x > 0 && options.axes) return [q, Math.min(q, n - 1)];",
        "> to >=",
    ): "a pixel at the edge",
    ("ui/lenses/train/view/figures.js", "if (loss < bigram)", "< to <="): (
        "as good as the baseline is said before"
    ),
    (
        "gptcore/finetuning/instruction.py",
        "messages, answers = draw.choice(named if draw.random() < _NAMED_SHARE else blocks)",
        "< to <=",
    ): "no draw is exactly that",
}
