"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# No test depends on time: a slow or busy machine must not fail a property.
settings.register_profile("wakuwaku", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wakuwaku")
