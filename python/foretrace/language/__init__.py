"""The trace language: programs, states, actions and deltas as tokens, and back (docs/trace-language.md)."""
