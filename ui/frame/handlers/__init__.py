"""Handlers of the model picker."""
