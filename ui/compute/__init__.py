"""Model computation: the compute thread, the batching scheduler, the admission queue, and
ZeroGPU.
"""
