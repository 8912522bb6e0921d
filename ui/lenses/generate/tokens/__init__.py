"""How a text is cut into tokens, and how the pieces were learned."""

from ui.view import View

VIEW = View(name="tokens", title="Tokens", place=50, is_more=True, state=("cut",))
