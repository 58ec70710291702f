// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Work on rows. */
@Name("io.github.gemmflow.Multiply")
@Label("Multiply")
@Description("Rows were multiplied; copied, if the operator does not multiply")
final class MultiplyEvent extends WorkEvent {}
