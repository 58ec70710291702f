/**
 * MPI for Java, through the Foreign Function and Memory API. {@link Mpi} is the interface, {@code
 * NativeMpi} implements it, {@code Calls} holds the functions of the library under their C names.
 * Nothing here knows of matrices, operators or the rest of Gemmflow.
 */
@NullMarked
package io.github.gemmflow.mpi.binding;

import org.jspecify.annotations.NullMarked;
