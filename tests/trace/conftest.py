"""No health check for slow examples: making a recording takes a while on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "recordings",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recordings")
