"""Real runs: the tracer, canonical values, the state tree and the data policy. Standard library only."""

from foretrace.trace.errors import TraceError
from foretrace.trace.event import Event
from foretrace.trace.events import Trace
from foretrace.trace.tracer import Limits, run
from foretrace.trace.values import canonical

__all__ = ['Event', 'Limits', 'Trace', 'TraceError', 'canonical', 'run']
