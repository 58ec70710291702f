// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.Heartbeats;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.pipeline.step.News;
import io.github.gemmflow.pipeline.step.Recorder;

/** Context of the compute lanes of a workspace: what lanes of every kind work with. */
public record LaneContext(
    HostPeers peers,
    Heartbeats heartbeats,
    News news,
    HeaderCheck headers,
    Diagnosis diagnosis,
    Recorder recorder,
    ComputeThreads computeThreads) {}
