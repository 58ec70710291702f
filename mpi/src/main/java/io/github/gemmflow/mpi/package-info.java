/**
 * The engine on MPI. {@code World.join()} finds it by itself; {@link MpiEngine#attach} serves
 * programs that have initialised MPI before.
 */
@NullMarked
package io.github.gemmflow.mpi;

import org.jspecify.annotations.NullMarked;
