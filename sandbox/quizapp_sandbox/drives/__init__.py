"""Ready drives, one per module, named in ``lab.yaml`` by the module's name with hyphens."""
