// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.decoder;

import io.github.gemmflow.models.checkpoint.Checkpoint;
import io.github.gemmflow.models.checkpoint.ModelConfig;
import io.github.gemmflow.models.checkpoint.RotaryConfig;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The model as its formulas say, on one thread, without a cache and without Gemmflow's operators:
 * every token of a sequence is computed anew. F32, with sums in F64.
 */
final class Reference {
  private final Checkpoint checkpoint;
  private final ModelConfig config;
  private final Map<String, float[]> tensors = new HashMap<>();
  private final Map<String, float[]> scaled = new HashMap<>();

  Reference(Checkpoint checkpoint) {
    this.checkpoint = checkpoint;
    this.config = checkpoint.config();
  }

  /** The logits of the token that follows. */
  float[] logits(int... tokens) {
    int hidden = config.hidden();
    float[] embedding = floats("model.embed_tokens.weight", config.vocabulary(), hidden);
    float[][] x = new float[tokens.length][hidden];
    for (int t = 0; t < tokens.length; t++) {
      System.arraycopy(embedding, tokens[t] * hidden, x[t], 0, hidden);
    }
    for (int layer = 0; layer < config.layers(); layer++) {
      String name = "model.layers." + layer + ".";
      add(x, attention(norm(x, name + "input_layernorm"), name + "self_attn."));
      add(x, feedForward(norm(x, name + "post_attention_layernorm"), name + "mlp."));
    }
    String head = config.tied() ? "model.embed_tokens" : "lm_head";
    return linear(norm(x, "model.norm"), head, config.vocabulary())[tokens.length - 1];
  }

  private float[][] attention(float[][] x, String name) {
    int size = config.headSize();
    int sharing = config.heads() / config.kvHeads();
    boolean isBiased = config.inputBias();
    float[][] q =
        biased(isBiased, linear(x, name + "q_proj", config.heads() * size), name + "q_proj");
    float[][] k =
        biased(isBiased, linear(x, name + "k_proj", config.kvHeads() * size), name + "k_proj");
    float[][] v =
        biased(isBiased, linear(x, name + "v_proj", config.kvHeads() * size), name + "v_proj");
    if (config.headNorms()) {
      q = normHeads(q, name + "q_norm");
      k = normHeads(k, name + "k_norm");
    }
    q = rotate(q);
    k = rotate(k);
    float[][] out = new float[x.length][config.heads() * size];
    for (int t = 0; t < x.length; t++) {
      for (int head = 0; head < config.heads(); head++) {
        int kv = head / sharing * size;
        double[] weights = new double[t + 1];
        double sum = 0;
        for (int s = Math.max(0, t - config.window() + 1); s <= t; s++) {
          double score = 0;
          for (int i = 0; i < size; i++) {
            score += (double) q[t][head * size + i] * k[s][kv + i];
          }
          weights[s] = Math.exp(score / Math.sqrt(size));
          sum += weights[s];
        }
        for (int i = 0; i < size; i++) {
          double mean = 0;
          for (int s = 0; s <= t; s++) {
            mean += weights[s] / sum * v[s][kv + i];
          }
          out[t][head * size + i] = (float) mean;
        }
      }
    }
    float[][] summed = linear(out, name + "o_proj", config.hidden());
    return biased(config.outputBias(), summed, name + "o_proj");
  }

  private float[][] rotate(float[][] x) {
    int size = config.headSize();
    float[][] out = new float[x.length][x[0].length];
    for (int t = 0; t < x.length; t++) {
      for (int j = 0; j < x[t].length; j++) {
        int i = j % size;
        double angle = t * frequency(2.0 * (i % (size / 2)) / size);
        float partner = i < size / 2 ? -x[t][j + size / 2] : x[t][j - size / 2];
        out[t][j] = (float) (x[t][j] * Math.cos(angle) + partner * Math.sin(angle));
      }
    }
    return out;
  }

  /** As the models' makers say it: by wavelengths, in positions. */
  private double frequency(double exponent) {
    RotaryConfig rotary = config.rotary();
    double frequency = 1 / Math.pow(rotary.theta(), exponent);
    double wavelength = 2 * Math.PI / frequency;
    if (rotary.factor() == 1 || wavelength < rotary.positions() / rotary.high()) {
      return frequency;
    }
    if (wavelength > rotary.positions() / rotary.low()) {
      return frequency / rotary.factor();
    }
    double smooth =
        (rotary.positions() / wavelength - rotary.low()) / (rotary.high() - rotary.low());
    return (1 - smooth) * frequency / rotary.factor() + smooth * frequency;
  }

  private float[][] biased(boolean isThere, float[][] x, String name) {
    if (isThere) {
      float[] bias = floats(name + ".bias", 1, x[0].length);
      for (float[] row : x) {
        for (int i = 0; i < row.length; i++) {
          row[i] += bias[i];
        }
      }
    }
    return x;
  }

  private float[][] normHeads(float[][] x, String name) {
    int size = config.headSize();
    float[][] out = new float[x.length][];
    for (int t = 0; t < x.length; t++) {
      float[][] heads = new float[x[t].length / size][];
      for (int head = 0; head < heads.length; head++) {
        heads[head] = Arrays.copyOfRange(x[t], head * size, (head + 1) * size);
      }
      float[][] normed = norm(heads, name);
      out[t] = new float[x[t].length];
      for (int head = 0; head < heads.length; head++) {
        System.arraycopy(normed[head], 0, out[t], head * size, size);
      }
    }
    return out;
  }

  private float[][] feedForward(float[][] x, String name) {
    float[][] gate = linear(x, name + "gate_proj", config.intermediate());
    float[][] up = linear(x, name + "up_proj", config.intermediate());
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < gate[t].length; i++) {
        gate[t][i] = (float) (gate[t][i] / (1 + Math.exp(-gate[t][i])) * up[t][i]);
      }
    }
    return linear(gate, name + "down_proj", config.hidden());
  }

  private float[][] norm(float[][] x, String name) {
    float[] scale = floats(name + ".weight", 1, x[0].length);
    float[][] out = new float[x.length][scale.length];
    for (int t = 0; t < x.length; t++) {
      double squares = 0;
      for (float value : x[t]) {
        squares += (double) value * value;
      }
      double root = Math.sqrt(squares / scale.length + config.normEpsilon());
      for (int i = 0; i < scale.length; i++) {
        out[t][i] = (float) (x[t][i] / root * scale[i]);
      }
    }
    return out;
  }

  private float[][] linear(float[][] x, String name, int outputs) {
    int inputs = x[0].length;
    float[] matrix = weights(name, outputs, inputs);
    float[][] out = new float[x.length][outputs];
    for (int t = 0; t < x.length; t++) {
      for (int o = 0; o < outputs; o++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++) {
          sum += (double) x[t][i] * matrix[o * inputs + i];
        }
        out[t][o] = (float) sum;
      }
    }
    return out;
  }

  private static void add(float[][] x, float[][] y) {
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < x[t].length; i++) {
        x[t][i] += y[t][i];
      }
    }
  }

  private float[] weights(String name, int outputs, int inputs) {
    float[] values = floats(name + ".weight", outputs, inputs);
    if (!config.isInt8() || !name.endsWith("_proj")) {
      return values;
    }
    return scaled.computeIfAbsent(
        name,
        n -> {
          float[] scales = floats(n + ".weight_scale", outputs, 1);
          float[] reals = new float[values.length];
          for (int i = 0; i < reals.length; i++) {
            reals[i] = values[i] * scales[i / inputs];
          }
          return reals;
        });
  }

  private float[] floats(String name, int rows, int columns) {
    return tensors.computeIfAbsent(name, n -> checkpoint.matrix(n, rows, columns).toFloats());
  }
}
