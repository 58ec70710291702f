// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Partial sums were added up. */
@Name("io.github.gemmflow.Add")
@Label("Add")
@Description("Partial sums of several ranks were added up")
final class AddEvent extends WorkEvent {}
