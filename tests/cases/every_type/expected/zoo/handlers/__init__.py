"""Handlers of the events of zoo."""
