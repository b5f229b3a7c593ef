"""What weight a person's own trainer gives every token.

:func:`assert_token_mean` is for their test suite; importing it loads nothing.
"""

from quizapp.audit.assertion import AuditError, assert_token_mean

__all__ = ["AuditError", "assert_token_mean"]
