/**
 * What is decided before data moves, and what the lanes decide while it moves. Everything here is a
 * pure computation: no threads, no memory of others, no clock. So the same plan drives the lanes, a
 * simulator and a drawing.
 *
 * <p>A new way for rows to travel is a new {@link Schedule}.
 */
@NullMarked
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Schedule;
import org.jspecify.annotations.NullMarked;
