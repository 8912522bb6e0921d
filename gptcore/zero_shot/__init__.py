"""Zero-shot and few-shot tasks: templates, answers, label likelihoods, and scores over many
items.
"""

from gptcore.zero_shot.tasks import TASKS, Task
from gptcore.zero_shot.templates import Item, Part, Prompt, Template
