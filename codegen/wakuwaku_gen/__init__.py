"""Generate typed events from schemas in TOML: load, model, check, render, write."""
