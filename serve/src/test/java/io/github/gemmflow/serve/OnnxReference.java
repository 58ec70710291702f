// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.util.Arrays;
import java.util.Map;

/** The same model, run by ONNX Runtime. */
final class OnnxReference implements AutoCloseable {
  private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
  private final OrtSession session;

  OnnxReference(byte[] model) throws OrtException {
    this.session = environment.createSession(model);
  }

  /** A row for each token of a sentence. */
  float[][] run(int[] sentence) throws OrtException {
    long[] ids = Arrays.stream(sentence).asLongStream().toArray();
    long[] ones = new long[ids.length];
    Arrays.fill(ones, 1);
    try (OnnxTensor tokens = tensor(ids);
        OnnxTensor mask = tensor(ones);
        OnnxTensor kinds = tensor(new long[ids.length]);
        OrtSession.Result result =
            session.run(
                Map.of("input_ids", tokens, "attention_mask", mask, "token_type_ids", kinds))) {
      return ((float[][][]) result.get(0).getValue())[0];
    }
  }

  private OnnxTensor tensor(long[] values) throws OrtException {
    return OnnxTensor.createTensor(environment, new long[][] {values});
  }

  @Override
  public void close() throws OrtException {
    session.close();
  }
}
