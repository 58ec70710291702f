// SPDX-License-Identifier: Apache-2.0
//
// A linear layer as one writes it without Gemmflow: one oneDNN matmul of the whole matrix after
// MPI_Allgatherv, in int8 of elements and of scales, or before MPI_Reduce_scatter or MPI_Allreduce. For
// every line "bare OPERATION M K N iterations" on its command pipe a rank answers with the nanoseconds it
// took, a 0, and the nanoseconds of each iteration; "bare-collective" leaves the product out.
// Usage: layer DIRECTORY BF16|F16|F32|I8, where each rank has the pipes bare.command.RANK and bare.answer.RANK.
#include "product.hpp"

#include <mpi.h>
#include <omp.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>

namespace {

const dnnl::engine engine(dnnl::engine::kind::cpu, 0);

// The type of A and B.
memory::data_type type = memory::data_type::bf16;

long now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Layer {
 public:
  // M and K are this rank's: all of them, or its share.
  Layer(memory::dim m, memory::dim k, memory::dim n) : product_(engine, type, m, k, n) {}

  virtual ~Layer() = default;

  virtual void run(bool multiplies) = 0;

 protected:
  static memory::dim share(memory::dim total, int rank, int ranks) {
    return total * (rank + 1) / ranks - total * rank / ranks;
  }

  Product product_;
};

class Gather : public Layer {
 public:
  Gather(int rank, int ranks, memory::dim m, memory::dim k, memory::dim n)
      : Layer(m, k, n),
        rank_(rank),
        mine_(share(m, rank, ranks) * k * memory::data_type_size(type)),
        my_scales_(share(m, rank, ranks), 1) {
    for (int other = 0; other < ranks; other++) {
      int rows = static_cast<int>(share(m, other, ranks));
      rows_.push_back(rows);
      first_rows_.push_back(other == 0 ? 0 : first_rows_.back() + rows_[other - 1]);
      counts_.push_back(static_cast<int>(rows * k * memory::data_type_size(type)));
      offsets_.push_back(other == 0 ? 0 : offsets_.back() + counts_[other - 1]);
    }
    // Rows that are there already: usual numbers, since tiny ones would be multiplied slowly.
    std::memcpy(mine_.data(), static_cast<char *>(product_.a()) + offsets_[rank], mine_.size());
  }

  void run(bool multiplies) override {
    MPI_Allgatherv(mine_.data(), counts_[rank_], MPI_BYTE, product_.a(), counts_.data(), offsets_.data(), MPI_BYTE,
                   MPI_COMM_WORLD);
    if (product_.row_scales()) {
      MPI_Allgatherv(my_scales_.data(), rows_[rank_], MPI_FLOAT, product_.row_scales(), rows_.data(),
                     first_rows_.data(), MPI_FLOAT, MPI_COMM_WORLD);
    }
    if (multiplies) product_.run();
  }

 private:
  int rank_;
  std::vector<char> mine_;
  std::vector<float> my_scales_;
  std::vector<int> rows_;
  std::vector<int> first_rows_;
  std::vector<int> counts_;
  std::vector<int> offsets_;
};

class Sum : public Layer {
 public:
  Sum(bool scattered, int rank, int ranks, memory::dim m, memory::dim k, memory::dim n)
      : Layer(m, share(k, rank, ranks), n), scattered_(scattered), sum_(m * n) {
    for (int other = 0; other < ranks; other++) {
      counts_.push_back(static_cast<int>(share(m, other, ranks) * n));
    }
  }

  void run(bool multiplies) override {
    if (multiplies) product_.run();
    if (scattered_) {
      MPI_Reduce_scatter(product_.c(), sum_.data(), counts_.data(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(product_.c(), sum_.data(), static_cast<int>(sum_.size()), MPI_FLOAT, MPI_SUM,
                    MPI_COMM_WORLD);
    }
  }

 private:
  bool scattered_;
  std::vector<float> sum_;
  std::vector<int> counts_;
};

std::unique_ptr<Layer> make(const std::string &operation, int rank, int ranks, memory::dim m, memory::dim k,
                            memory::dim n) {
  if (operation == "GATHER") return std::make_unique<Gather>(rank, ranks, m, k, n);
  return std::make_unique<Sum>(operation == "REDUCE_SCATTER", rank, ranks, m, k, n);
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  omp_set_num_threads(1);
  type = type_named(argv[2]);
  std::string prefix = std::string(argv[1]) + "/bare.";
  std::ifstream commands(prefix + "command." + std::to_string(rank));
  std::ofstream answers(prefix + "answer." + std::to_string(rank));
  std::string name, operation, prepared;
  memory::dim m, k, n;
  int iterations;
  std::unique_ptr<Layer> layer;
  while (commands >> name >> operation >> m >> k >> n >> iterations) {
    bool multiplies = name == "bare";
    std::string wanted = operation + " " + std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n);
    if (wanted != prepared) {
      layer = make(operation, rank, ranks, m, k, n);
      prepared = wanted;
      layer->run(multiplies);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<long> times = {now()};
    for (int i = 0; i < iterations; i++) {
      layer->run(multiplies);
      times.push_back(now());
    }
    answers << times.back() - times.front() << " 0";
    for (int i = 0; i < iterations; i++) {
      answers << " " << times[i + 1] - times[i];
    }
    answers << std::endl;
  }
  MPI_Finalize();
}
