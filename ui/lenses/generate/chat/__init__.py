"""A conversation with a model that was taught to answer, beside a plain one."""

from ui.view import View

VIEW = View(name="chat", title="Chat", place=30)
