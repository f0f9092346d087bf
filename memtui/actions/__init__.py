"""What people do beyond a guarded operation: each module builds a `Change` and hands it to `store.apply`."""
