/**
 * Collective matrix multiplication: the all-gather of a tensor-parallel layer hides behind its
 * product.
 *
 * <p>Start with {@link World}: join a job or run ranks as threads, form a {@link Group}, open a
 * {@link Workspace}, build {@link AllGatherMatmul} or {@link AllGather} on it, and run {@link Step
 * steps}. Calls that all ranks of a group have to make, in the same order, say that they are
 * collective; there are no others.
 */
@NullMarked
package io.github.gemmflow;

import org.jspecify.annotations.NullMarked;
