"""Handlers of the events of bank."""
