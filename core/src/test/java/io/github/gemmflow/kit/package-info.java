/**
 * Contract test kits, published as the test artifact: a new engine, kernel or schedule extends the
 * contract of its kind, and any engine runs the operator cases.
 */
@NullMarked
package io.github.gemmflow.kit;

import org.jspecify.annotations.NullMarked;
