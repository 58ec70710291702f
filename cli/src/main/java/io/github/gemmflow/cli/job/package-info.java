// SPDX-License-Identifier: Apache-2.0
/**
 * Parts that commands are made of: {@link io.github.gemmflow.cli.job.Subcommand}, options for
 * ranks, the job that runs on them, output and exit codes. Other modules add commands with them.
 */
@NullMarked
package io.github.gemmflow.cli.job;

import org.jspecify.annotations.NullMarked;
