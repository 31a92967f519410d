#!/usr/bin/env python3
"""A Slurm array of shards on a controller and a node of our own: check-slurm.py PTXLINT FOLDER.

The recipe of docs/ci.md, with --wait. Skipped (77) where Slurm or munge is missing or cannot start.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SKIP = 77
NEEDED = ["slurmctld", "slurmd", "sbatch", "scontrol", "munged", "mungekey"]
CONFIG = """ClusterName=ptxlint
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={here}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={port}
SlurmdPort={node_port}
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/ctld.pid
SlurmdPidFile={here}/d.pid
SlurmctldLogFile={here}/ctld.log
SlurmdLogFile={here}/d.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 CoresPerSocket=2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
SCRIPT = """#!/bin/sh
#SBATCH --array=1-2
#SBATCH --output=shard-%a.log
# exit code 1 says that there are findings: `ptxlint merge` says so, too
"{ptxlint}" --shard "$SLURM_ARRAY_TASK_ID/2" --format "json=shard-$SLURM_ARRAY_TASK_ID.json" "{inputs}" || [ $? -eq 1 ]
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, here):
        self.here, self.started = here, []
        self.env = dict(os.environ, SLURM_CONF=f"{here}/slurm.conf")

    def start(self, *command):
        self.started.append(subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL))

    def stop(self):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def up(self):
        here, host = self.here, socket.gethostname().split(".")[0]
        for name in ["state", "spool"]:
            (here / name).mkdir()
        (here / "slurm.conf").write_text(CONFIG.format(here=here, host=host, port=free_port(), node_port=free_port(),
                                                       user=os.environ.get("USER") or "root"))
        subprocess.run(["mungekey", "--create", f"--keyfile={here}/munge.key"], check=True)
        self.start("munged", "--foreground", "--force", f"--key-file={here}/munge.key", f"--socket={here}/munge.socket",
                   f"--pid-file={here}/munge.pid", f"--log-file={here}/munge.log", f"--seed-file={here}/munge.seed")
        time.sleep(0.3)
        self.start("slurmctld", "-D", "-f", f"{here}/slurm.conf", "-c")
        self.start("slurmd", "-D", "-f", f"{here}/slurm.conf", "-N", host)
        for _ in range(100):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=self.env, text=True, capture_output=True)
            if state.stdout.strip() == "idle":
                return True
            time.sleep(0.1)
        return False


def main():
    ptxlint, inputs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    missing = [tool for tool in NEEDED if not shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        skip("no " + ", ".join(missing))
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        cluster = Cluster(here)
        try:
            if not cluster.up():
                skip("no node is idle after 10 seconds")
            (here / "job.sh").write_text(SCRIPT.format(ptxlint=ptxlint, inputs=inputs))
            subprocess.run(["sbatch", "--wait", "job.sh"], cwd=here, env=cluster.env, check=True, timeout=60)
        finally:
            cluster.stop()
        shards = sorted(here.glob("shard-*.json"))
        assert len(shards) == 2, (shards, [log.read_text() for log in here.glob("shard-*.log")])
        whole = subprocess.run([ptxlint, inputs], cwd=here, capture_output=True)
        merged = subprocess.run([ptxlint, "merge", *shards], cwd=here, capture_output=True)
        assert merged.stdout == whole.stdout and merged.returncode == whole.returncode, merged
    print("two shards by a Slurm array, merged: as one run")


if __name__ == "__main__":
    main()
