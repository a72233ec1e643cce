"""Handlers of the events of tree."""
