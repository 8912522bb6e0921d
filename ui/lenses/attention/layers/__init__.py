"""What the model would say after each layer, and what a single neuron does."""

from ui.view import View

VIEW = View(name="layers", title="Layers", place=20, shows_sentence=True, state=("neuron", "after"))
