"""Ready trainers: each module defines ``build`` for one library, as a person's own file would."""
