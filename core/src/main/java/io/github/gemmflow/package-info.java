/**
 * Collective matrix multiplication: the all-gather of a tensor-parallel layer, or the sum over its
 * ranks, hides behind its product.
 *
 * <p>Start with {@link World}: join a job or run ranks as threads, form a {@link Group}, open a
 * {@link Workspace}, and build an {@link Operator} on it: {@link AllGatherMatmul} or {@link
 * AllGather}, which run {@link Step steps}, {@link MatmulReduceScatter} or {@link MatmulAllReduce},
 * {@link ReduceScatter} or {@link AllReduce}. Calls that all ranks of a group have to make, in the
 * same order, say that they are collective; there are no others.
 */
@NullMarked
package io.github.gemmflow;

import org.jspecify.annotations.NullMarked;
