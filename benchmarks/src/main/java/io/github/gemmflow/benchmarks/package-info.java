/** Comparisons of Gemmflow with plain MPI and oneDNN, interleaved in one run. */
@NullMarked
package io.github.gemmflow.benchmarks;

import org.jspecify.annotations.NullMarked;
