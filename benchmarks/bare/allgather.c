// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather, run bare, on demand: for every line "name bytes iterations" on its command pipe a rank
// gathers that many bytes per rank that often, and answers with the nanoseconds it took and a 0.
// Usage: allgather DIRECTORY, where each rank has the pipes bare.command.RANK and bare.answer.RANK.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static FILE *pipe_of(const char *directory, const char *kind, int rank, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/bare.%s.%d", directory, kind, rank);
  FILE *file = fopen(path, mode);
  if (file == NULL) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return file;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE *commands = pipe_of(argv[1], "command", rank, "r");
  FILE *answers = pipe_of(argv[1], "answer", rank, "w");
  char name[64];
  long long bytes = 0, allocated = 0;
  int iterations;
  char *mine = NULL, *all = NULL;
  while (fscanf(commands, "%63s %lld %d", name, &bytes, &iterations) == 3) {
    if (bytes != allocated) {
      free(mine);
      free(all);
      mine = aligned_alloc(4096, bytes);
      all = aligned_alloc(4096, bytes * size);
      memset(mine, rank, bytes);
      memset(all, 0, bytes * size);
      allocated = bytes;
    }
    // Once first, so that all ranks begin together.
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    long long start = now();
    for (int i = 0; i < iterations; i++) {
      MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    fprintf(answers, "%lld 0\n", now() - start);
    fflush(answers);
  }
  MPI_Finalize();
  return 0;
}
