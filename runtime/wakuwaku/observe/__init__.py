"""What a consumer tells the outside: log lines."""
