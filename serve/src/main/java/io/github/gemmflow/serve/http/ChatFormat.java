// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import java.util.Arrays;
import java.util.List;

/**
 * Form of a conversation as one text, with the marks that a model was taught. It is known by the
 * first mark in the template that comes with the model; the template itself, a program in Jinja, is
 * not run.
 */
enum ChatFormat {
  /** Llama 3. */
  HEADERS("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>") {
    @Override
    String text(List<Message> messages) {
      StringBuilder text = new StringBuilder();
      messages.forEach(m -> text.append(header(m.role())).append(m.content()).append("<|eot_id|>"));
      return text.append(header("assistant")).toString();
    }

    private String header(String role) {
      return "<|start_header_id|>" + role + "<|end_header_id|>\n\n";
    }
  },

  /** Qwen. */
  CHAT_ML("<|im_start|>", "<|im_end|>") {
    @Override
    String text(List<Message> messages) {
      StringBuilder text = new StringBuilder();
      messages.forEach(
          m -> text.append("<|im_start|>%s\n%s<|im_end|>\n".formatted(m.role(), m.content())));
      return text.append("<|im_start|>assistant\n").toString();
    }
  },

  /** Llama 2 and Mistral: a question and its answer, again and again. */
  INSTRUCTIONS("[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "</s>") {
    @Override
    String text(List<Message> messages) {
      StringBuilder text = new StringBuilder();
      String before = "";
      for (Message m : messages) {
        switch (m.role()) {
          case "system" -> before += m.content() + "\n\n";
          case "assistant" -> text.append(" %s</s>".formatted(m.content()));
          default -> {
            text.append("[INST] %s%s [/INST]".formatted(before, m.content()));
            before = "";
          }
        }
      }
      return text.toString();
    }
  },

  /** A model that was not taught any: what was said, line by line. */
  PLAIN() {
    @Override
    String text(List<Message> messages) {
      StringBuilder text = new StringBuilder();
      messages.forEach(m -> text.append(m.content()).append('\n'));
      return text.toString();
    }
  };

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> marks;

  ChatFormat(String... marks) {
    this.marks = List.of(marks);
  }

  /** A part of a conversation. */
  record Message(String role, String content) {}

  abstract String text(List<Message> messages);

  /** The marks of the model that tell who speaks; messages must not contain any. */
  List<String> marks() {
    return marks;
  }

  private boolean isOf(String template) {
    return marks.isEmpty() ? template.isEmpty() : template.contains(marks.getFirst());
  }

  /**
   * The format of a template.
   *
   * @param template of the model; empty if it has none
   */
  static ChatFormat of(String template) {
    return Arrays.stream(values())
        .filter(format -> format.isOf(template))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "the chat template of this model is not supported: format the prompt yourself and use /v1/completions"));
  }
}
