"""The server: launch, middleware, temporary files, and the check before a talk."""
