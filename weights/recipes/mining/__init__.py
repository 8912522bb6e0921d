"""Text mining: questions and last words found in the stories of other people."""

from weights.recipes.mining.pages import TASKS_FROM_STORIES, pages

__all__ = ["TASKS_FROM_STORIES", "pages"]
