"""Runs on other machines: Ray finds them a place, everything else goes through one port at home.

Private data never leave home. A node fetches the public data and the agent, lets the agent work
in a room as it would at home, passes on what comes through the room's doors, and delivers what
was collected; grading happens at home. All of that goes through the `relay`, a port of the home
machine at which each run has a token of its own, so that no run can speak for another one.
"""
