/**
 * What travels between hosts: the communication thread of a process, the transfers of a workspace,
 * and the chunks of a step.
 */
@NullMarked
package io.github.gemmflow.pipeline.comm;

import org.jspecify.annotations.NullMarked;
