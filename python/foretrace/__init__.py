"""foretrace: real traces of Python programs, and a model that predicts them."""

__version__ = '0.1.0'
