"""Colours by meaning, the same in every figure; the page's own stand in `view/properties.css`.

No red-green pair anywhere. A part of a model has its hue wherever it is drawn.
"""

# Of a model, by the names of gptcore.analysis.ParameterCount, in its order; --lens-part-... in the
# style sheet.
PARTS = {
    "token_embedding": "#72badb",
    "position_embedding": "#7d8fb8",
    "attention": "#1f7dad",
    "mlp": "#8e7cc3",
    "block_norms": "#8790ab",
    "final_norm": "#b5bccf",
    "head": "#a9d6ea",
}
ACCENT = "#1f7dad"
WARM = "#e2892b"
INK = "#0d111c"  # on any of these
