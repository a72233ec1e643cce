"""Handlers of the events of words."""
