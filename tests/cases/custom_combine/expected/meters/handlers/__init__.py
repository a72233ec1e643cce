"""Handlers of the events of meters."""
