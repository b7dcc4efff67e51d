#!/usr/bin/env python3
"""Measures a distribution: deploy/dist-figures.py LAUNCHER [FILE…]. Prints the least and the median of 15 rounds, times in ms, memory in MB."""

import os
import signal
import socket
import statistics
import subprocess
import sys
import time

ROUNDS = 15
launcher = sys.argv[1]


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(port, *flags):
    begin = time.monotonic()
    server = subprocess.Popen([launcher, "--port", str(port), *flags], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while b"msg=listening" not in server.stderr.readline():
        if server.poll() is not None:
            sys.exit("the server ended")
    return server, (time.monotonic() - begin) * 1000


def stop(server):
    server.terminate()
    server.wait()


def timed(command):
    begin = time.monotonic()
    subprocess.run(command, check=True)
    return (time.monotonic() - begin) * 1000


def report(name, values, unit):
    print(f"{name:40} {min(values):8.1f} {statistics.median(values):8.1f} {unit}")


for file in sys.argv[2:]:
    print(f"{os.path.basename(file):40} {os.path.getsize(file) / 1e6:8.1f}          MB")
print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")

stop(start(0)[0])  # makes the caches
port = free_port()
first, _ = start(port)
run = [launcher, "run", "--server", f"127.0.0.1:{port}", "--key", "figure", "--quiet", "--"]
subprocess.run([*run, "true"], check=True)
stop(first)

starts, idle = [], []
for _ in range(ROUNDS):
    server, millis = start(0)
    starts.append(millis)
    time.sleep(2)
    idle.append(resident(server.pid))
    stop(server)
report("start until it listens", starts, "ms")
report("idle", idle, "MB")

server, _ = start(port, "--http-port", str(free_port()))
time.sleep(2)
report("idle with HTTP", [resident(server.pid)], "MB")
report("flockgate run -- true", [timed([*run, "true"]) for _ in range(ROUNDS)], "ms")
holder = subprocess.Popen([*run, "sleep", "1000"])
time.sleep(2)
waiter = subprocess.Popen([*run, "true"])
time.sleep(3)
report("run that holds", [resident(holder.pid)], "MB")
report("run that waits", [resident(waiter.pid)], "MB")
waiter.send_signal(signal.SIGTERM)
waiter.wait()
holder.send_signal(signal.SIGTERM)
holder.wait()
stop(server)
