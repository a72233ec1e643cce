"""Handlers of the events of acme.billing."""
