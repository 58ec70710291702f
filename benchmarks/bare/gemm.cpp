// SPDX-License-Identifier: Apache-2.0
//
// oneDNN run bare: one matmul of the whole matrix, weights packed as it likes best for this height,
// on as many threads of its own as it is told. Reads lines "TYPE M K N THREADS TIMES" and answers
// each with the nanoseconds that so many products took.
#include <oneapi/dnnl/dnnl.hpp>

#include <omp.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

using dnnl::memory;

namespace {

struct Product {
  dnnl::matmul matmul;
  std::unordered_map<int, memory> arguments;
};

memory filled(const dnnl::engine &engine, dnnl::stream &stream, memory::data_type type, memory::dim rows,
              memory::dim columns) {
  std::vector<float> values(rows * columns);
  unsigned state = 1;
  for (float &value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / (1 << 23) - 1;
  }
  memory plain({{rows, columns}, memory::data_type::f32, memory::format_tag::ab}, engine, values.data());
  memory result({{rows, columns}, type, memory::format_tag::ab}, engine);
  dnnl::reorder(plain, result).execute(stream, plain, result);
  stream.wait();
  return result;
}

Product prepare(const dnnl::engine &engine, dnnl::stream &stream, memory::data_type type, memory::dim m,
                memory::dim k, memory::dim n) {
  memory a = filled(engine, stream, type, m, k);
  memory b = filled(engine, stream, type, k, n);
  memory c({{m, n}, memory::data_type::f32, memory::format_tag::ab}, engine);
  dnnl::matmul::primitive_desc description(
      engine, a.get_desc(), {{k, n}, type, memory::format_tag::any}, c.get_desc());
  memory packed(description.weights_desc(), engine);
  dnnl::reorder(b, packed).execute(stream, b, packed);
  stream.wait();
  std::cerr << description.impl_info_str() << std::endl;
  return {dnnl::matmul(description), {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, c}}};
}

}  // namespace

int main() {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::string prepared;
  std::unique_ptr<Product> product;
  std::string type;
  memory::dim m, k, n;
  int threads, times;
  while (std::cin >> type >> m >> k >> n >> threads >> times) {
    omp_set_num_threads(threads);
    std::string wanted = type + " " + std::to_string(m) + " " + std::to_string(k) + " " + std::to_string(n) + " " +
                         std::to_string(threads);
    if (wanted != prepared) {
      auto number = type == "BF16"  ? memory::data_type::bf16
                    : type == "F16" ? memory::data_type::f16
                                    : memory::data_type::f32;
      product = std::make_unique<Product>(prepare(engine, stream, number, m, k, n));
      prepared = wanted;
    }
    // Whoever ran in between has left its own data in the caches.
    product->matmul.execute(stream, product->arguments);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; i++) {
      product->matmul.execute(stream, product->arguments);
    }
    stream.wait();
    std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    std::cout << took.count() << std::endl;
  }
}
