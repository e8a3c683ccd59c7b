"""Rooms for agents: one layout, one interface, several kinds of walls.

A room is made from a `RoomPlan` and ends with a `RoomEnd`, whichever kind it is::

    end = sandbox.run(plan, stop)

Every kind gives the agent the same places (`layout`) and the same doors: ports on localhost
behind which a service of the host listens. Answers are never part of a plan.
"""
