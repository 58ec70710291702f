// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Casts, {@code instanceof} and pattern switches in a class file. The cast of a generic method's
 * result, which the compiler adds, is none.
 */
final class TypeChecks {
  /** Layouts, plans and problems; what else is in their package may be looked up in a map. */
  private static final Pattern KINDS = Pattern.compile(".*(Layout|Plan|Problem)");

  private TypeChecks() {}

  /** Those on layouts, plans and problems of a package, as "method of class: type". */
  static List<String> on(Path file, String packagePrefix) throws IOException {
    List<String> found = new ArrayList<>();
    ClassModel model = ClassFile.of().parse(file);
    for (MethodModel method : model.methods()) {
      List<CodeElement> code = method.code().map(CodeModel::elementList).orElse(List.of());
      boolean erased = false;
      for (CodeElement element : code) {
        for (ClassDesc type : erased ? List.<ClassDesc>of() : checked(element)) {
          String name = type.packageName() + "." + type.displayName();
          if (name.startsWith(packagePrefix) && KINDS.matcher(type.displayName()).matches()) {
            String in = method.methodName().stringValue();
            String of = model.thisClass().asInternalName();
            found.add("%s of %s: %s".formatted(in, of, type.displayName()));
          }
        }
        erased =
            element instanceof InvokeInstruction call
                && call.typeSymbol().returnType().equals(ConstantDescs.CD_Object);
      }
    }
    return found;
  }

  private static List<ClassDesc> checked(CodeElement element) {
    return switch (element) {
      case TypeCheckInstruction check -> List.of(check.type().asSymbol());
      case InvokeDynamicInstruction call when call.name().stringValue().equals("typeSwitch") ->
          call.bootstrapArgs().stream()
              .filter(ClassDesc.class::isInstance)
              .map(ClassDesc.class::cast)
              .toList();
      default -> List.of();
    };
  }
}
