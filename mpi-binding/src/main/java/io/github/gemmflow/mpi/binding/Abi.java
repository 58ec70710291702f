// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;

/**
 * Binary interface of a family of MPI libraries, as far as families differ. The values are those of
 * {@code mpi.h} of Open MPI 4.1 and MPICH 4.0; {@code AbiTest} compares them with the headers.
 * Handles are longs here whatever they are in C.
 */
@SuppressWarnings("ImmutableEnumChecker") // records of ints, and layouts, are immutable
enum Abi {
  /** {@code libmpi.so.40}: a handle is the address of an object that the library exports. */
  OPEN_MPI("Open MPI", JAVA_LONG, new Status(24, 8), new Numbers(0, -32766, 256, 256, 18, 0)) {
    @Override
    Handles handles(SymbolLookup library) {
      return new Handles(
          library.findOrThrow("ompi_mpi_comm_world").address(),
          library.findOrThrow("ompi_mpi_comm_self").address(),
          library.findOrThrow("ompi_mpi_byte").address(),
          library.findOrThrow("ompi_request_null").address(),
          library.findOrThrow("ompi_mpi_errors_return").address());
    }
  },

  /** {@code libmpi.so.12}, {@code libmpich.so.12}: a handle is an int. */
  MPICH("MPICH", JAVA_INT, new Status(20, 16), new Numbers(1, -32766, 512, 8192, 17, 0x64400001)) {
    @Override
    Handles handles(SymbolLookup library) {
      return new Handles(0x44000000, 0x44000001, 0x4c00010d, 0x2c000000, 0x54000001);
    }
  };

  /** The name of the layout of a parameter that is a handle. */
  static final String HANDLE = "handle";

  /**
   * The size of {@code MPI_Status}, and where its {@code MPI_ERROR} lies.
   *
   * @param bytes its size
   * @param error the offset of the error code
   */
  record Status(int bytes, int error) {}

  /** Constants that are plain numbers. */
  record Numbers(
      int statusIgnore,
      int undefined,
      int maxErrorString,
      int maxLibraryVersionString,
      int errInStatus,
      int tagUpperBound) {}

  /** Predefined handles. */
  record Handles(
      long commWorld, long commSelf, long typeByte, long requestNull, long errorsReturn) {}

  private final String family;
  private final MemoryLayout handle;
  private final Status status;
  private final Numbers numbers;

  Abi(String family, MemoryLayout handle, Status status, Numbers numbers) {
    this.family = family;
    this.handle = handle.withName(HANDLE);
    this.status = status;
    this.numbers = numbers;
  }

  abstract Handles handles(SymbolLookup library);

  /** The family's name, for people. */
  String family() {
    return family;
  }

  /** How a handle is passed to a function. */
  MemoryLayout handle() {
    return handle;
  }

  int handleBytes() {
    return (int) handle.byteSize();
  }

  Status status() {
    return status;
  }

  Numbers numbers() {
    return numbers;
  }

  /** The family of a loaded library, by what it exports; its name says nothing for certain. */
  static Abi of(SymbolLookup library, String name) {
    if (library.find("MPI_Init_thread").isEmpty()) {
      throw new MpiException(name + " is not an MPI library: it has no MPI_Init_thread");
    }
    if (library.find("ompi_mpi_comm_world").isPresent()) {
      return OPEN_MPI;
    }
    if (library.find("MPIR_Dup_fn").isPresent()) {
      return MPICH;
    }
    throw new MpiException(
        name
            + " is neither Open MPI nor of the MPICH family: other MPI libraries are not supported");
  }
}
