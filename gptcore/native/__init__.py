"""Where C is faster than torch: a whole decode step.

The machine's own compiler builds it when it is first needed; where there is none, torch does the
same.
"""

from gptcore.native.compiling import library
