"""Tasks from a prompt alone: templates, answers, likelihoods of labels, and what they amount to over many items."""

from gptcore.zero_shot.tasks import TASKS, Task
from gptcore.zero_shot.templates import Item, Part, Prompt, Template

__all__ = ["TASKS", "Item", "Part", "Prompt", "Task", "Template"]
