"""What the screens are made of. No widget touches a file or knows a store."""
