// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Status;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Findings of one rank, on their way to the rank that prints those of its host. */
record RankFindings(int rank, List<Finding> findings) {
  void write(DataOutputStream out) throws IOException {
    out.writeInt(rank);
    out.writeInt(findings.size());
    for (Finding finding : findings) {
      out.writeUTF(finding.name());
      out.writeUTF(finding.status().name());
      out.writeUTF(finding.text());
      out.writeInt(finding.fixes().size());
      for (String fix : finding.fixes()) {
        out.writeUTF(fix);
      }
    }
  }

  static RankFindings read(DataInputStream in) throws IOException {
    int rank = in.readInt();
    int count = in.readInt();
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = in.readUTF();
      Status status = Status.valueOf(in.readUTF());
      String text = in.readUTF();
      List<String> fixes = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        fixes.add(in.readUTF());
      }
      findings.add(new Finding(name, status, text, fixes));
    }
    return new RankFindings(rank, findings);
  }
}
