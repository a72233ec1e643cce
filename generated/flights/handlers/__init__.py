"""Handlers of the events of flights."""
