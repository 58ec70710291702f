// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import java.io.Serial;

/** An MPI call failed, or MPI cannot be had. The message says which call, with what, and why. */
public final class MpiException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final String call;
  private final int code;
  private final int errorClass;
  private final String text;
  private final int rank;

  /** MPI cannot be had. */
  MpiException(String message) {
    super(message);
    this.call = "";
    this.code = 0;
    this.errorClass = 0;
    this.text = message;
    this.rank = -1;
  }

  /** A call returned an error. */
  MpiException(String call, int code, int errorClass, String text, int rank) {
    super(
        "%s%s failed with code %d (class %d): %s"
            .formatted(rank < 0 ? "" : "rank %d: ".formatted(rank), call, code, errorClass, text));
    this.call = call;
    this.code = code;
    this.errorClass = errorClass;
    this.text = text;
    this.rank = rank;
  }

  /** The C name of the function that failed; empty if none was called. */
  public String call() {
    return call;
  }

  /** What it returned. */
  public int code() {
    return code;
  }

  /** The error class of the code: one of the {@code MPI_ERR_} constants of the library. */
  public int errorClass() {
    return errorClass;
  }

  /** The library's words for it. */
  public String text() {
    return text;
  }

  /** This process's rank in the job; negative if it was not known yet. */
  public int rank() {
    return rank;
  }
}
