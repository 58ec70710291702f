// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.Matrix;

/**
 * Products of the rows of A, as they arrive, with one or more weight matrices. For several threads
 * a run is cut by columns, so that each thread reads its own part of the weights, and by rows where
 * there are too few columns; into more tasks than there are threads, since a thread may come late
 * or have a slow core.
 */
public final class ProductWork implements RowWork {
  private static final int TASKS_PER_THREAD = 4;

  /** Parts of a run are at least this many times as tall as is worthwhile. */
  private static final int TALL = 8;

  private final Product[] products;
  private final long[] columns;
  private final int threads;
  private final long worthwhileRows;
  private final Block[] inputs;
  private final Block[] targets;
  private final Average runNanos = new Average();
  private Matrix[] outputs = new Matrix[0];

  /**
   * Products of one A.
   *
   * @param columns the columns of each product
   * @param threads how many threads work
   */
  public ProductWork(Product[] products, long[] columns, int threads) {
    this.products = products;
    this.columns = columns;
    this.threads = threads;
    this.inputs = new Block[threads];
    this.targets = new Block[threads];
    for (int thread = 0; thread < threads; thread++) {
      inputs[thread] = new Block();
      targets[thread] = new Block();
    }
    long worthwhile = 1;
    for (Product product : products) {
      worthwhile = Math.max(worthwhile, product.worthwhileRows());
    }
    this.worthwhileRows = worthwhile;
  }

  /** Sets where the products go. */
  public void into(Matrix[] newOutputs) {
    outputs = newOutputs;
  }

  @Override
  public long worthwhileRows() {
    return worthwhileRows;
  }

  /** A run of few rows takes as long as one of the worthwhile rows: it reads all weights. */
  @Override
  public long runNanos() {
    return (long) runNanos.get();
  }

  @Override
  public void learn(long rows, long nanos) {
    runNanos.add((double) nanos * worthwhileRows / Math.max(rows, worthwhileRows));
  }

  @Override
  public int tasks(long rows) {
    int tasks = 0;
    for (int i = 0; i < products.length; i++) {
      tasks += panels(i) * rowParts(i, rows);
    }
    return tasks;
  }

  /** Into how many ranges the columns of a product are cut. */
  private int panels(int product) {
    return (int) Math.min(wantedTasks(), columnUnits(product));
  }

  private int wantedTasks() {
    return threads == 1 ? 1 : TASKS_PER_THREAD * threads;
  }

  private long columnUnits(int product) {
    return Math.ceilDiv(columns[product], products[product].columnGranularity());
  }

  /** Into how many ranges the rows of a run are cut: tall ones, unless a thread were left out. */
  private int rowParts(int product, long rows) {
    int panels = panels(product);
    if (panels == 0 || panels >= wantedTasks()) {
      return 1;
    }
    long worthwhile = products[product].worthwhileRows();
    long needed = Math.min(Math.ceilDiv(threads, panels), Math.ceilDiv(rows, worthwhile));
    long wanted = Math.min(Math.ceilDiv(wantedTasks(), panels), rows / (TALL * worthwhile));
    return (int) Math.max(needed, wanted);
  }

  @Override
  public void perform(int thread, int task, long firstRow, Block a) {
    int product = 0;
    int index = task;
    while (index >= panels(product) * rowParts(product, a.rows())) {
      index -= panels(product) * rowParts(product, a.rows());
      product++;
    }
    int panels = panels(product);
    int rowParts = rowParts(product, a.rows());
    long from = cut(product, a.rows(), index / panels, rowParts);
    long to = cut(product, a.rows(), index / panels + 1, rowParts);
    multiply(thread, product, index % panels, firstRow, from, to, a);
  }

  /** Where a part of a run begins: at a round number of rows, which kernels like. */
  private long cut(int product, long rows, int part, int parts) {
    int unit = products[product].worthwhileRows();
    return Math.min(rows, Math.ceilDiv(rows * part / parts, unit) * unit);
  }

  private void multiply(
      int thread, int product, int panel, long firstRow, long from, long to, Block a) {
    int granularity = products[product].columnGranularity();
    long units = columnUnits(product);
    int panels = panels(product);
    long firstColumn = units * panel / panels * granularity;
    long endColumn = Math.min(columns[product], units * (panel + 1) / panels * granularity);
    Matrix output = outputs[product];
    int bytes = output.type().bytes();
    Block c =
        output
            .block(targets[thread], firstRow + from, firstRow + to)
            .columns(firstColumn * bytes, (endColumn - firstColumn) * bytes);
    Block rows =
        inputs[thread].at(
            a.memory(), a.offset() + from * a.stride(), to - from, a.rowBytes(), a.stride());
    products[product].multiply(thread, rows, c, firstColumn);
  }
}
