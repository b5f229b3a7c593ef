"""The terminal app: screens and widgets, one per file, each with its own ``.tcss``.

Here: what is shown and which key does what. Not here: what an answer is worth, what comes next, how code is run; nothing of this
room knows SQL or YAML. Texts of banks, learners and programs are shown as they are, never read as markup.
"""
