"""Up to five strategies on one prompt, and what each does to one guess."""

from ui.view import View

VIEW = View(
    name="compare",
    title="Compare strategies",
    place=20,
    shows_sentence=True,
    state=("logits", "cut_p", "columns"),
)
