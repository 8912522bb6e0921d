"""What attribution says against what switching off does: `python -m tests.tools.attribution_check [--picture PNG]`

Over the sentences of the page's example pairs, for every bundled model that has some: direct attribution of each head
and MLP at all places, and influence of the circuit's heads and neurons at theirs, each against the model run again
without that part.
"""

import argparse

import matplotlib.pyplot as plt
import torch

import gptcore
from gptcore.analysis import ModelPart, logit_attribution, logits_without, logits_without_nodes, word_circuit
from gptcore.language_model import LanguageModel
from ui.lenses.attention.handlers.patching import PAIRS

Points = tuple[list[float], list[float]]  # what is said, what is taken away


def of_parts(lm: LanguageModel, texts: list[str]) -> Points:
    """Direct attribution of every head and MLP, and by how much the difference falls without it."""
    said, taken = [], []
    config = lm.model.config
    for text in texts:
        ids = lm.tokenizer.encode(text)
        word, rival = logits_without(lm.model, ids, [[]])[0].topk(2).indices.tolist()
        split = logit_attribution(lm.model, ids, word, rival)
        parts = [
            (f"L{layer}H{head}", ModelPart(layer, "head", head))
            for layer in range(config.n_layer)
            for head in range(config.n_head)
        ]
        parts += [(f"L{layer} MLP", ModelPart(layer, "mlp")) for layer in range(config.n_layer) if config.use_mlp]
        logits = logits_without(lm.model, ids, [[part] for _, part in parts])
        said += [float(split.values[split.names.index(name)]) for name, _ in parts]
        taken += (split.total - (logits[:, word] - logits[:, rival])).tolist()
    return said, taken


def of_circuits(lm: LanguageModel, texts: list[str]) -> Points:
    """Influence of the circuits' heads and neurons, and by how much the difference falls without each."""
    said, taken = [], []
    for text in texts:
        ids = lm.tokenizer.encode(text)
        word, rival = logits_without(lm.model, ids, [[]])[0].topk(2).indices.tolist()
        found = word_circuit(lm.model, ids, word, rival, most=16)
        for node in found.nodes:
            if node.kind in ("head", "neuron"):
                logits = logits_without_nodes(lm.model, ids, [node])
                said.append(node.influence)
                taken.append(found.total - float(logits[word] - logits[rival]))
    return said, taken


def correlation(points: Points) -> float:
    """Pearson's."""
    return float(torch.corrcoef(torch.tensor(points))[0, 1])


def main() -> None:
    """Prints a table, and draws the points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", help="where to draw them, a PNG file")
    parser.add_argument("--models", nargs="*", default=list(PAIRS), help="of those with example pairs; default: all")
    arguments = parser.parse_args()
    n = len(arguments.models)
    figure, axes = plt.subplots(2, n, figsize=(3 * n, 6), layout="constrained", squeeze=False)
    print("| model | parts | direct attribution | circuit's parts | influence |\n|---|---|---|---|---|")
    for column, name in enumerate(arguments.models):
        pairs = PAIRS[name]
        lm = gptcore.load(name)
        texts = [text for pair in pairs for text in pair]
        found = of_parts(lm, texts), of_circuits(lm, texts)
        cells = [cell for points in found for cell in (len(points[0]), f"{correlation(points):.2f}")]
        print(f"| {name} | {' | '.join(map(str, cells))} |", flush=True)
        for axis, points, title in zip(axes[:, column], found, ("direct attribution", "influence"), strict=True):
            axis.scatter(*points, s=8, alpha=0.6, linewidths=0)
            axis.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
            axis.set(title=f"{name}, {correlation(points):.2f}", xlabel=f"{title}, logits", ylabel="switched off")
    if arguments.picture:
        figure.savefig(arguments.picture, dpi=80)


if __name__ == "__main__":
    main()
