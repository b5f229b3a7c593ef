"""Interchange: questions of other programs' files read into banks, and banks written for other programs.

Every format goes through one neutral form (``question``); what is lost, changed or unreadable on the way is data (``report``).
A module reads or writes one format. No module here prints; only ``source`` reads files, and none writes one.
"""
