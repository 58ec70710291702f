// SPDX-License-Identifier: Apache-2.0
/** Checks of processors: sockets, cores, NUMA nodes and their clock. */
@NullMarked
package io.github.gemmflow.cli.doctor.cpu;

import org.jspecify.annotations.NullMarked;
