/** Gemmflow against the engines that it runs on, run bare, interleaved in one run. */
@NullMarked
package io.github.gemmflow.benchmarks;

import org.jspecify.annotations.NullMarked;
