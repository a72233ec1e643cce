"""Handlers of the events of odd."""
