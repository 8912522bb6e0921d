"""Pages in ordinary people's language for `world`: `python -m weights.recipes.everyday --help`.

Reviews, everyday French, word problems in steps, carries, notes with questions, questions about
fairy tales: what the little world's own pages lack. The data sets are read from files of yours and
never stored here.
"""
