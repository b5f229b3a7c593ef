"""Commands, one module per group. They read arguments, call the rooms below and print; nothing is decided here."""
