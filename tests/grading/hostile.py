"""Graders, files, lines and folders that mean no good, and the status each of them deserves."""

from __future__ import annotations

from typing import NamedTuple


class Hostile(NamedTuple):
    """What a grader does, what becomes of its line, and a word of the message."""

    code: str
    status: str
    says: str = ""


def grader(body: str) -> str:
    """A grader with this body; what follows it is never reached or returns 0.25."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    imports = "import atexit, ctypes, json, multiprocessing, os, resource, shutil, signal, sys"
    return (
        f"{imports}, threading, time\n\n\ndef grade(submission, answers):\n{lines}    return 0.25\n"
    )


GRADERS = {
    # never ends
    "sleeps": Hostile(grader("time.sleep(600)"), "timeout", "seconds"),
    "spins": Hostile(grader("while True:\n    pass"), "timeout"),
    "pool": Hostile(grader("multiprocessing.Pool(2).map(time.sleep, [600, 600])"), "timeout"),
    "forks-and-sleeps": Hostile(grader("os.fork()\ntime.sleep(600)"), "timeout"),
    "ignores-signals": Hostile(
        grader("for s in (1, 2, 15):\n    signal.signal(s, signal.SIG_IGN)\ntime.sleep(600)"),
        "timeout",
    ),
    "stops-itself": Hostile(grader("os.kill(os.getpid(), signal.SIGSTOP)"), "timeout"),
    "stops-its-parent": Hostile(
        grader("os.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(600)"), "timeout"
    ),
    "hangs-on-import": Hostile("import time\ntime.sleep(600)\n", "timeout"),
    "half-an-answer": Hostile(
        grader(
            "[os.write(h, b'{') for h in range(3, 40) if os.path.exists(f'/dev/fd/{h}') "
            "and not os.get_inheritable(h)]\ntime.sleep(600)"
        ),
        "timeout",
    ),
    # leaves something behind
    "leaves-a-child": Hostile(grader("if os.fork() == 0:\n    time.sleep(600)"), "graded"),
    "leaves-a-daemon": Hostile(
        grader("if os.fork() == 0:\n    os.setsid()\n    os.fork()\n    time.sleep(600)"), "graded"
    ),
    "leaves-a-shell": Hostile(
        grader(
            "import subprocess\nsubprocess.Popen(['sleep', '600'], env={}, start_new_session=True)"
        ),
        "graded",
    ),
    "leaves-a-thread": Hostile(
        grader("threading.Thread(target=time.sleep, args=[600]).start()"), "graded"
    ),
    "hangs-at-exit": Hostile(grader("atexit.register(time.sleep, 600)"), "graded"),
    "dies-a-moment-later": Hostile(grader("threading.Timer(0.3, os._exit, [3]).start()"), "graded"),
    # ends its process
    "exits": Hostile(grader("sys.exit(0)"), "grader_error", "SystemExit"),
    "exits-on-import": Hostile("import sys\nsys.exit(0)\n", "config_error", "SystemExit"),
    "exits-at-once": Hostile(grader("os._exit(0)"), "crashed", "exit code 0"),
    "aborts": Hostile(grader("os.abort()"), "crashed", "SIGABRT"),
    "segfaults": Hostile(grader("ctypes.string_at(0)"), "crashed", "SIGSEGV"),
    "kills-itself": Hostile(grader("os.kill(os.getpid(), 9)"), "crashed", "SIGKILL"),
    "kills-its-parent": Hostile(grader("os.kill(os.getppid(), 9)\ntime.sleep(5)"), "crashed"),
    "kills-its-grandparent": Hostile(
        grader(
            "stat = open(f'/proc/{os.getppid()}/stat').read()\n"
            "os.kill(int(stat.rpartition(')')[2].split()[1]), 9)\ntime.sleep(5)"
        ),
        "crashed",
    ),
    "kills-its-group": Hostile(grader("os.killpg(0, 9)"), "crashed"),
    "closes-everything": Hostile(grader("os.closerange(0, 1000)"), "crashed"),
    "dies-before-its-child": Hostile(
        grader("if os.fork() == 0:\n    time.sleep(600)\nos._exit(7)"), "crashed", "exit code 7"
    ),
    # fails
    "raises": Hostile(grader("raise ZeroDivisionError('42')"), "grader_error", "ZeroDivision"),
    "raises-an-interrupt": Hostile(grader("raise KeyboardInterrupt"), "grader_error"),
    "raises-something-else": Hostile(
        grader("class Odd(BaseException):\n    pass\nraise Odd"), "grader_error"
    ),
    "recurses": Hostile(grader("def f():\n    f()\nf()"), "grader_error", "RecursionError"),
    "returns-a-text": Hostile(grader("return 'much'"), "grader_error"),
    "returns-nothing": Hostile(grader("return None"), "grader_error"),
    "returns-nan": Hostile(grader("return float('nan')"), "graded_nan"),
    "returns-infinity": Hostile(grader("return float('-inf')"), "graded_minus_inf"),
    "is-no-python": Hostile("def grade(:\n", "config_error", "SyntaxError"),
    "lacks-a-library": Hostile("import no_such_library\n", "config_error", "no_such_library"),
    "lacks-the-function": Hostile("def rate(a, b):\n    return 1\n", "config_error", "grade"),
    "refuses": Hostile(grader("assert False, 'not like this'"), "invalid_submission", "like this"),
    "refuses-at-length": Hostile(grader("assert False, 'x' * 10**6"), "invalid_submission", "xxx"),
    "lets-a-library-quote": Hostile(
        grader("import numpy\nnumpy.testing.assert_array_equal(answers['label'], 'secret')"),
        "grader_error",
        "AssertionError",
    ),
    # takes too much
    "asks-for-a-terabyte": Hostile(grader("bytearray(10**12)"), "out_of_memory"),
    "grows": Hostile(
        grader("kept = []\nwhile True:\n    kept.append(bytearray(10**7))"), "out_of_memory"
    ),
    "fills-the-disk": Hostile(
        grader(
            "with open('big', 'wb') as f:\n    for _ in range(200):\n        f.write(bytes(10**6))"
        ),
        "grader_error",
        "OSError",
    ),
    "multiplies": Hostile(
        grader(
            "for _ in range(300):\n    if os.fork() == 0:\n        time.sleep(600)\ntime.sleep(600)"
        ),
        "too_many_processes",
        "200",
    ),
    # touches what is not its own
    "changes-directory": Hostile(grader("os.chdir('/')"), "graded"),
    "removes-its-directory": Hostile(grader("shutil.rmtree(os.getcwd())"), "graded"),
    "locks-its-directory": Hostile(
        grader("os.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.chmod('a/b', 0)"), "graded"
    ),
    "patches-libraries": Hostile(
        grader(
            "import numpy, pandas\n"
            "pandas.Series.mean = numpy.mean = lambda *a, **k: 1.0\n"
            "pandas.read_csv = json.dumps = None"
        ),
        "graded",
    ),
    "patches-quietly": Hostile(
        grader("import pandas\npandas.Series.mean = lambda *a, **k: 1.0"), "graded"
    ),
    "changes-the-answers": Hostile(grader("answers['label'] = submission['label']"), "graded"),
    "changes-the-environment": Hostile(grader("os.environ['MLEBENCH_DATA_DIR'] = '/'"), "graded"),
    "chatters": Hostile(grader("print('chatter ' * 20000)\nos.system('echo more')"), "graded"),
    "writes-everywhere": Hostile(
        grader(
            "for h in range(1, 40):\n    try:\n        os.write(h, b'[1]\\n')\n"
            "    except OSError:\n        pass"
        ),
        "crashed",
    ),
    "looks-for-modules": Hostile(
        grader("assert os.getcwd() not in sys.path and '' not in sys.path"), "graded"
    ),
    "looks-for-keys": Hostile(grader("assert 'KAGGLE_KEY' not in os.environ"), "graded"),
    "answers-for-its-parent": Hostile(
        grader(
            "for name in os.listdir(f'/proc/{os.getppid()}/fd'):\n"
            "    try:\n"
            "        handle = os.open(f'/proc/{os.getppid()}/fd/{name}', os.O_WRONLY)\n"
            '        os.write(handle, b\'L{"reason": "timeout", "message": "forged"}\\n\')\n'
            "    except OSError:\n"
            "        pass"
        ),
        "crashed",
    ),
    "starves-its-parents": Hostile(
        grader(
            "stat = open(f'/proc/{os.getppid()}/stat').read()\n"
            "for pid in (os.getppid(), int(stat.rpartition(')')[2].split()[1])):\n"
            "    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))"
        ),
        "crashed",
    ),
    "hides-and-kills-the-keeper": Hostile(
        grader(
            "if os.fork() == 0:\n"
            "    os.setsid()\n"
            "    os.execve('/bin/sleep', ['sleep', '600'], {})\n"
            "time.sleep(0.2)\n"
            "stat = open(f'/proc/{os.getppid()}/stat').read()\n"
            "os.kill(int(stat.rpartition(')')[2].split()[1]), 9)\ntime.sleep(5)"
        ),
        "crashed",
    ),
    "imports-a-program": Hostile(grader("def never():\n    import unittest.__main__"), "graded"),
    "leaves-a-note": Hostile(
        grader("assert not os.listdir('.')\nopen('note', 'w').close()"), "graded"
    ),
}

ANSWERS_ITSELF = """
def score(truth, predicted):
    import os

    for handle in range(3, 40):
        try:
            os.write(handle, {line!r})
        except OSError:
            pass
    return 0.25
"""

TASKS = {
    **{
        f"task-answers-{name}": Hostile(ANSWERS_ITSELF.format(line=line), "crashed", "none")
        for name, line in {
            "a-list": b"A[1]\n",
            "no-json": b"Axyz\n",
            "nothing-known": b'A{"x": 1}\n',
            "too-deep": b"A" + b"[" * 100_000 + b"\n",
            "a-report-of-words": b'A{"report": {"created_at": 1}, "key": 1}\n',
            "a-sign-of-life": b".\n",
            "an-empty-loss": b"L{}\n",
        }.items()
    },
    "task-hangs": Hostile(
        "def score(truth, predicted):\n    while True:\n        pass\n", "timeout"
    ),
    "task-exits": Hostile(
        "def score(truth, predicted):\n    raise SystemExit(0)\n", "grader_error", "SystemExit"
    ),
    "task-exits-on-import": Hostile("import os\nos._exit(0)\n", "crashed"),
    "task-hangs-on-import": Hostile("import time\ntime.sleep(600)\n", "timeout"),
    "task-patches": Hostile(
        "def score(truth, predicted):\n    import numpy\n    numpy.mean = lambda *a, **k: 1.0\n"
        "    return 0.25\n",
        "graded",
    ),
    "task-forks": Hostile(
        "def score(truth, predicted):\n    import os, time\n"
        "    if os.fork() == 0:\n        time.sleep(600)\n    return 0.25\n",
        "graded",
    ),
}

FOLDERS: dict[str, tuple[dict[str, bytes], str, str]] = {
    "leaderboard-of-words": ({"leaderboard": b"score\nfew\nmany\n"}, "config_error", "leaderboard"),
    "leaderboard-of-nothing": ({"leaderboard": b""}, "config_error", "leaderboard"),
    "leaderboard-without-rows": ({"leaderboard": b"score\n"}, "config_error", "leaderboard"),
    "leaderboard-in-utf-16": (
        {"leaderboard": "score\n1\n".encode("utf-16")}, "config_error", "leaderboard",
    ),
    "leaderboard-of-zeros": ({"leaderboard": bytes(1000)}, "config_error", "leaderboard"),
    "leaderboard-is-a-pointer": (
        {"leaderboard": b"version https://git-lfs.github.com/spec/v1\n"}, "config_error", "lfs",
    ),
    "config-in-utf-16": ({"config": "id: x\n".encode("utf-16")}, "config_error", "UTF-8"),
    "config-is-cut-off": ({"config": b"id: config-is-cut-off\nname: ["}, "config_error", "YAML"),
    "config-is-deep": ({"config": b"[" * 200_000}, "config_error", "deep"),
    "config-is-indented": ({"config": b"- " * 200_000 + b"x"}, "config_error", "deep"),
    "config-is-a-list": ({"config": b"- 1\n"}, "config_error", "config.yaml"),
    "description-in-latin-1": ({"description": b"caf\xe9"}, "config_error", "UTF-8"),
}  # fmt: skip
