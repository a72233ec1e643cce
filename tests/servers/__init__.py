"""Real servers for tests, started by the tests on this machine: no root, no container, no fixed port."""
