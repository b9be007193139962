import type { DataNode } from "./data-node.ts";
import type { DataWriter } from "./data-writer.ts";
import { walkData } from "./walk-data.ts";

/** Reads a systemd unit or a desktop entry: what it starts, and that it starts by itself. */
export function readUnitFile(writer: DataWriter, root: DataNode): void {
  const isDesktop = writer.source.file.toLowerCase().endsWith(".desktop");
  walkData(root, {
    entry: ({ key, keyStart, value }) => {
      if (value.kind !== "scalar" || !/^(?:execstart|execstartpre|exec)$/i.test(key)) return;
      // A desktop entry is a button in a menu; only one for autostart runs unasked.
      if (isDesktop && !/autostart/i.test(writer.source.text)) return;
      writer.addAct(
        {
          type: "persist",
          where: isDesktop ? "login-item" : "systemd",
          path: writer.source.file,
          text: value.text,
        },
        keyStart,
        value.end,
      );
    },
  });
}
