"""An agent without a language model: it infers the task, tries models, and keeps the best.

It knows nothing but what its room shows: the data, the instructions and the clock.
"""
