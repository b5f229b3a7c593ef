"""For the instructor: checking banks more deeply than loading does. Writes nothing and prints nothing."""
