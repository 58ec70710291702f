# SPDX-License-Identifier: Apache-2.0
"""A linear layer with PyTorch on Gloo: all_gather, then mm; or mm, then all_reduce of floats.

Gloo has no reduce_scatter, so that who wants one takes rows of an all_reduce. For every line
"torch OPERATION M K N iterations" on its command pipe a rank answers with the nanoseconds it took, a
0, and the nanoseconds of each iteration. Usage: layer.py DIRECTORY BF16|F16|F32 under mpirun, where each rank has the pipes torch.command.RANK and
torch.answer.RANK; rank 0 says in the file torch.address where the others find it.
"""
import os
import socket
import sys
import time

import torch
import torch.distributed as dist


def environment(*names):
    for name in names:
        if name in os.environ:
            return int(os.environ[name])
    sys.exit("this is to be started by mpirun")


def address(directory, rank):
    """Where rank 0 is to be found, through a file: all hosts of the lab see the same ones."""
    path = os.path.join(directory, "torch.address")
    if rank == 0:
        with socket.socket() as probe:
            probe.bind(("", 0))
            port = probe.getsockname()[1]
        with open(path + ".new", "w") as file:
            file.write(f"{socket.gethostbyname(socket.gethostname())} {port}")
        os.rename(path + ".new", path)
    for _ in range(3000):
        if os.path.exists(path):
            return open(path).read().split()
        time.sleep(0.01)
    sys.exit("rank 0 did not say where it is")


def main():
    directory = sys.argv[1]
    rank = environment("OMPI_COMM_WORLD_RANK", "PMI_RANK")
    ranks = environment("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
    torch.set_num_threads(1)
    host, port = address(directory, rank)
    dist.init_process_group("gloo", init_method=f"tcp://{host}:{port}", rank=rank, world_size=ranks)
    prepared = None
    with open(f"{directory}/torch.command.{rank}") as commands, open(f"{directory}/torch.answer.{rank}", "w") as answers:
        for line in commands:
            name, operation, m, k, n, iterations = line.split()
            wanted = name, operation, m, k, n
            if wanted != prepared:
                prepared = wanted
                make = gather if operation == "GATHER" else total
                step = make(rank, ranks, int(m), int(k), int(n), name == "torch")
                step()
            dist.barrier()
            times = [time.perf_counter_ns()]
            for _ in range(int(iterations)):
                step()
                times.append(time.perf_counter_ns())
            each = [after - before for before, after in zip(times, times[1:])]
            answers.write(" ".join(map(str, [times[-1] - times[0], 0] + each)) + "\n")
            answers.flush()


TYPE = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}[sys.argv[2]]


def integers(*shape):
    return torch.randint(-3, 4, shape).to(TYPE)


def gather(rank, ranks, m, k, n, multiplies):
    a = torch.empty(m, k, dtype=TYPE)
    parts = list(a.tensor_split([m * r // ranks for r in range(1, ranks)]))
    # Gloo does not know BF16, but carries any two bytes; all ranks need equally many rows.
    wire = torch.float16 if TYPE == torch.bfloat16 else TYPE
    parts = [part.view(wire) for part in parts]
    mine = integers(*parts[rank].shape).view(wire)
    b = integers(k, n)

    def step():
        dist.all_gather(parts, mine)
        if multiplies:
            torch.mm(a, b)

    return step


def total(rank, ranks, m, k, n, multiplies):
    mine = k * (rank + 1) // ranks - k * rank // ranks
    a, b = integers(m, mine), integers(mine, n)
    c = torch.zeros(m, n)

    def step():
        dist.all_reduce(torch.mm(a, b).float() if multiplies else c)

    return step


main()
