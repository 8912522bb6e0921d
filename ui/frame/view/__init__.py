"""The page's own scripts."""
