/**
 * What carries data between hosts: {@link Engine} is implemented once per network library, and in
 * {@link io.github.gemmflow.World#local} for ranks that are threads of one JVM.
 */
@NullMarked
package io.github.gemmflow.engine;

import org.jspecify.annotations.NullMarked;
