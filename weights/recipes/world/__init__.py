"""A small synthetic web: unlimited readable text about a little world, in which tasks are shown as
people show them.

Nothing here was copied: the words are lists, the sentences are made. What training never shows is
decided by `splits`; the items that test a model come from the other side of it.
"""
