"""Six lenses, each in one folder: tab, events, handlers, payloads, figures, and what the browser
draws in `view/`.
"""
