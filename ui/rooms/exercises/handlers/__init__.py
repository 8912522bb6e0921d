"""Exercises: questions that the page checks by measuring, each with a hint and an answer with its
reason.
"""
