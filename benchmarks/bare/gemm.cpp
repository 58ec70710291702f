// SPDX-License-Identifier: Apache-2.0
//
// oneDNN run bare, on as many threads of its own as it is told. Reads lines "TYPE M K N THREADS TIMES"
// and answers each with the nanoseconds that so many products took.
#include "product.hpp"

#include <omp.h>

#include <chrono>
#include <memory>

int main() {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
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
      product = std::make_unique<Product>(engine, type_named(type), m, k, n);
      prepared = wanted;
    }
    // Whoever ran in between has left its own data in the caches.
    product->run();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; i++) {
      product->run();
    }
    std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    std::cout << took.count() << std::endl;
  }
}
