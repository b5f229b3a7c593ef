"""Workers: where submissions and references run. One module per backend, and the pool that keeps them warm."""
