"""Jobs in processes of their own, which nothing they do can outlive, hang or harm.

A job is a small dict that fits into JSON, and so is its answer. Whoever has jobs writes a
handler, a class whose instances know how to do one::

    class Handler:
        def __init__(self, **settings): ...
        def get_ready(self, job): ...   # imports only; runs before a process is made for the job
        def handle(self, job): ...      # does the job and returns its answer

and gives its import string to a runner::

    with Runner("package.module:Handler", settings, size=4, limits=Limits(seconds=60)) as runner:
        for job, outcome in runner.run(Job({"file": name}) for name in names):
            ...                         # the handler's answer, or a `Loss` that says why not
        future = runner.submit(Job({"file": name}))   # for jobs that come one by one

Outcomes come as they are ready, one for each job whatever happens. A job gets a new process,
which ends with it, unless it names a lane: jobs of one lane share a process that stays warm, so
they must trust each other. What a job does not trust it can call with `run_apart`.

How it is built: for each of ``size`` slots the runner starts a *keeper*, isolated from the
working directory, the user's environment and the terminal. A keeper runs no job. It imports what
jobs need, forks a process for each, watches it, and ends it with everything it started: as the
one that adopts orphans it finds them all. After a crash a fresh copy of it goes on. When the
runner goes away, by whatever signal, the keeper's input ends and it clears up. What jobs log or
print comes back through a pipe, which the runner reads while it waits for the answer: so it is
known whose it is.

On Linux all of this holds. Elsewhere orphans cannot be adopted: what a job starts and
disowns is looked for by its environment and folder, and only once a keeper was lost.

Why no library: pebble and loky replace lost workers, but leave the processes a worker has
started, start in the caller's directory and environment, and wait without limit for a pipe
that a forked grandchild holds open. Killing trees, limits and isolation would be ours anyway.
"""

from mlebench.processes.apart import run_apart
from mlebench.processes.limits import Limits
from mlebench.processes.runner import Job, Loss, MakeRunner, Outcome, Runner

__all__ = ["Job", "Limits", "Loss", "MakeRunner", "Outcome", "Runner", "run_apart"]
