"""The state of one frame, the unit all encoders and the decoder share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional, Sequence

STACK_LIMIT = 24  # frames a keyframe shows, the current one included; the outermost are dropped
GOT_LIMIT = 16  # values of calls a frame keeps, the latest


@dataclass
class Frame:
    """A frame of a stack. The current one (the last of a stack) has an `event`; a paused one has none.

    `line`: physical number of a code line. `its`: completed passes of each loop around the line, outermost first.
    `locals`: name -> canonical repr. `gots`: canonical reprs of what calls returned since the last `line` event,
    oldest first. `value`: of a `return` or `exception` event. A frame is never changed once made.
    """

    line: int
    its: Sequence[int] = ()
    locals: dict[str, str] = field(default_factory=dict)
    gots: Sequence[str] = ()
    event: Optional[str] = None
    value: Optional[str] = None

    def paused(self) -> "Frame":
        """The frame with another one running above it."""
        return self if self.event is None else Frame(self.line, self.its, self.locals, self.gots)

    def to_json(self) -> dict[str, Any]:
        """The frame as golden files and the service show it."""
        out: dict[str, Any] = {} if self.event is None else {"event": self.event}
        out.update(line=self.line, its=list(self.its), locals=dict(self.locals), gots=list(self.gots))
        if self.value is not None:
            out["value"] = self.value
        return out


Stack = list[Frame]  # outermost first
