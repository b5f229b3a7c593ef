"""Practice, and prove, that you can keep the intended average in distributed training."""

__version__ = "0.1.0"
