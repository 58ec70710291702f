// SPDX-License-Identifier: Apache-2.0
//
// A linear layer as one writes it without Gemmflow: one oneDNN matmul of the whole matrix, to F32,
// weights packed as oneDNN likes them best for this height, after MPI_Allgatherv or before
// MPI_Reduce_scatter or MPI_Allreduce. For every line "bare OPERATION M K N iterations" on its command pipe
// a rank answers with the nanoseconds it took, a 0, and the nanoseconds of each iteration;
// "bare-collective" leaves the product out.
// Usage: layer DIRECTORY BF16|F16|F32, where each rank has the pipes bare.command.RANK and bare.answer.RANK.
#include <mpi.h>
#include <omp.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

using dnnl::memory;

namespace {

const dnnl::engine engine(dnnl::engine::kind::cpu, 0);

// The type of A and B.
memory::data_type type = memory::data_type::bf16;

memory filled(dnnl::stream &stream, memory::dim rows, memory::dim columns, unsigned state) {
  std::vector<float> values(rows * columns);
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 29) - 3;
  }
  memory plain({{rows, columns}, memory::data_type::f32, memory::format_tag::ab}, engine, values.data());
  memory result({{rows, columns}, type, memory::format_tag::ab}, engine);
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  return result;
}

long now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Layer {
 public:
  // M and K are this rank's: all of them, or its share.
  Layer(memory::dim m, memory::dim k, memory::dim n)
      : stream_(engine),
        a_(filled(stream_, m, k, 3)),
        c_({{m, n}, memory::data_type::f32, memory::format_tag::ab}, engine) {
    memory b = filled(stream_, k, n, 7);
    dnnl::matmul::primitive_desc description(
        engine, a_.get_desc(), {{k, n}, type, memory::format_tag::any}, c_.get_desc());
    memory packed(description.weights_desc(), engine);
    dnnl::reorder(b, packed).execute(stream_, b, packed);
    stream_.wait();
    matmul_ = dnnl::matmul(description);
    arguments_ = {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, c_}};
  }

  virtual ~Layer() = default;

  virtual void run(bool multiplies) = 0;

 protected:
  void multiply() {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

  static memory::dim share(memory::dim total, int rank, int ranks) {
    return total * (rank + 1) / ranks - total * rank / ranks;
  }

  dnnl::stream stream_;
  memory a_;
  memory c_;

 private:
  dnnl::matmul matmul_;
  std::unordered_map<int, memory> arguments_;
};

class Gather : public Layer {
 public:
  Gather(int rank, int ranks, memory::dim m, memory::dim k, memory::dim n)
      : Layer(m, k, n), rank_(rank), mine_(filled(stream_, share(m, rank, ranks), k, rank + 1)) {
    for (int other = 0; other < ranks; other++) {
      counts_.push_back(static_cast<int>(share(m, other, ranks) * k * memory::data_type_size(type)));
      offsets_.push_back(other == 0 ? 0 : offsets_.back() + counts_[other - 1]);
    }
  }

  void run(bool multiplies) override {
    MPI_Allgatherv(mine_.get_data_handle(), counts_[rank_], MPI_BYTE, a_.get_data_handle(), counts_.data(),
                   offsets_.data(), MPI_BYTE, MPI_COMM_WORLD);
    if (multiplies) multiply();
  }

 private:
  int rank_;
  memory mine_;
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
    if (multiplies) multiply();
    if (scattered_) {
      MPI_Reduce_scatter(c_.get_data_handle(), sum_.data(), counts_.data(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(c_.get_data_handle(), sum_.data(), static_cast<int>(sum_.size()), MPI_FLOAT, MPI_SUM,
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
  std::string name_of_type = argv[2];
  type = name_of_type == "F32" ? memory::data_type::f32
         : name_of_type == "F16" ? memory::data_type::f16
                                 : memory::data_type::bf16;
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
