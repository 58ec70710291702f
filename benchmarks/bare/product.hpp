// SPDX-License-Identifier: Apache-2.0
//
// One oneDNN matmul of a whole matrix to F32, its weights packed as oneDNN likes them best for this
// height. In int8 rows and columns have a scale each; matrices are batches of one, because oneDNN
// 3.11 has no fast product of scaled rows for others.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using dnnl::memory;

inline memory::data_type type_named(const std::string &name) {
  return name == "I8"     ? memory::data_type::s8
         : name == "BF16" ? memory::data_type::bf16
         : name == "F16"  ? memory::data_type::f16
                          : memory::data_type::f32;
}

class Product {
 public:
  Product(const dnnl::engine &engine, memory::data_type type, memory::dim m, memory::dim k, memory::dim n)
      : engine_(engine), stream_(engine), int8_(type == memory::data_type::s8) {
    memory a = filled(type, m, k, 1);
    memory b = filled(type, k, n, 7);
    memory c = empty(memory::data_type::f32, m, n);
    dnnl::primitive_attr attributes;
    arguments_ = {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, c}};
    if (int8_) {
      memory of_rows = filled(memory::data_type::f32, m, 1, 3);
      memory of_columns({{n}, memory::data_type::f32, memory::format_tag::a}, engine_);
      std::fill_n(static_cast<float *>(of_columns.get_data_handle()), n, 1.0f / 127);
      dnnl::post_ops operations;
      operations.append_binary(dnnl::algorithm::binary_mul, of_rows.get_desc());
      attributes.set_post_ops(operations);
      attributes.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 2);
      arguments_[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = of_columns;
      arguments_[DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1] = of_rows;
    }
    dnnl::matmul::primitive_desc description(
        engine_, a.get_desc(), {sizes(k, n), type, memory::format_tag::any}, c.get_desc(), attributes);
    memory packed(description.weights_desc(), engine_);
    dnnl::reorder(b, packed).execute(stream_, b, packed);
    stream_.wait();
    arguments_[DNNL_ARG_WEIGHTS] = packed;
    matmul_ = dnnl::matmul(description);
    std::cerr << description.impl_info_str() << std::endl;
  }

  void run() {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

  void *a() { return arguments_.at(DNNL_ARG_SRC).get_data_handle(); }

  // The scales of the rows; null if there are none.
  void *row_scales() {
    return int8_ ? arguments_.at(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1).get_data_handle() : nullptr;
  }

  void *c() { return arguments_.at(DNNL_ARG_DST).get_data_handle(); }

 private:
  memory::dims sizes(memory::dim rows, memory::dim columns) const {
    return int8_ ? memory::dims{1, rows, columns} : memory::dims{rows, columns};
  }

  memory empty(memory::data_type type, memory::dim rows, memory::dim columns) const {
    auto tag = int8_ ? memory::format_tag::abc : memory::format_tag::ab;
    return memory({sizes(rows, columns), type, tag}, engine_);
  }

  memory filled(memory::data_type type, memory::dim rows, memory::dim columns, unsigned state) {
    memory plain = empty(memory::data_type::f32, rows, columns);
    float *values = static_cast<float *>(plain.get_data_handle());
    for (memory::dim i = 0; i < rows * columns; i++) {
      state = state * 1664525u + 1013904223u;
      values[i] = static_cast<float>(state >> 29) - 3;
    }
    memory result = empty(type, rows, columns);
    dnnl::reorder(plain, result).execute(stream_, plain, result);
    stream_.wait();
    return result;
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  bool int8_;
  dnnl::matmul matmul_;
  std::unordered_map<int, memory> arguments_;
};
