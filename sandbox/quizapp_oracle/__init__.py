"""References of the ready drives, computed on one device. Sent as text to oracle workers; never in a submission worker."""
