"""Switches off hypothesis' checks for slow examples, as making a recording takes a while."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "recordings",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recordings")
