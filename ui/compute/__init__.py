"""Where models compute: one thread, who is written for together, who waits, and ZeroGPU."""
