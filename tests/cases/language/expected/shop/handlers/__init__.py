"""Handlers of the events of shop."""
