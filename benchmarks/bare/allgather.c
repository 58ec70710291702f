// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather, run bare, on demand: for every line "name bytes iterations" on its command pipe a rank
// gathers that many bytes per rank that often, and answers with the nanoseconds it took and a 0. If the
// name is "columns", each rank has 8 KiB of every row, and MPI_Allgatherv puts them beside each other
// with a vector type.
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

#define ROW_BYTES 8192

static int *ones, *positions;

static void gather(int by_columns, const char *mine, char *all, long long bytes, MPI_Datatype column) {
  if (by_columns) {
    MPI_Allgatherv(mine, (int)bytes, MPI_BYTE, all, ones, positions, column, MPI_COMM_WORLD);
  } else {
    MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
}

// What a rank has of each row, as it lies between those of the others.
static MPI_Datatype column_type(long long bytes, int size) {
  int width = bytes < ROW_BYTES ? (int)bytes : ROW_BYTES;
  MPI_Datatype vector, column;
  MPI_Type_vector((int)(bytes / width), width, width * size, MPI_BYTE, &vector);
  MPI_Type_create_resized(vector, 0, width, &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&vector);
  return column;
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
  MPI_Datatype column = MPI_DATATYPE_NULL;
  ones = malloc(size * sizeof *ones);
  positions = malloc(size * sizeof *positions);
  for (int i = 0; i < size; i++) {
    ones[i] = 1;
    positions[i] = i;
  }
  while (fscanf(commands, "%63s %lld %d", name, &bytes, &iterations) == 3) {
    if (bytes != allocated) {
      free(mine);
      free(all);
      mine = aligned_alloc(4096, bytes);
      all = aligned_alloc(4096, bytes * size);
      memset(mine, rank, bytes);
      memset(all, 0, bytes * size);
      if (column != MPI_DATATYPE_NULL) {
        MPI_Type_free(&column);
      }
      column = column_type(bytes, size);
      allocated = bytes;
    }
    int by_columns = strcmp(name, "columns") == 0;
    // Once first, so that all ranks begin together.
    gather(by_columns, mine, all, bytes, column);
    long long start = now();
    for (int i = 0; i < iterations; i++) {
      gather(by_columns, mine, all, bytes, column);
    }
    fprintf(answers, "%lld 0\n", now() - start);
    fflush(answers);
  }
  if (column != MPI_DATATYPE_NULL) {
    MPI_Type_free(&column);
  }
  MPI_Finalize();
  return 0;
}
