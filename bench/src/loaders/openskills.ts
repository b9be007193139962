import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./loader.ts";
import { peerFile } from "./peer-package.ts";
import { timeCommand } from "./time-command.ts";

/** The openskills command. */
export const OPENSKILLS: Peer = {
  name: "openskills",
  runsTwice: false,
  package: "openskills",
  how: "`openskills list` over one flat folder of links, because it looks one level down only; less the same command on an empty folder",
  async open({ root, workDirectory }) {
    const full = join(workDirectory, "full");
    const empty = join(workDirectory, "empty");
    mkdirSync(empty);
    linkFlat(root, join(full, ".agent", "skills"));
    return async () =>
      timeCommand({
        command: peerFile(this.package, "dist/cli.js"),
        full: { args: ["list"], directory: full },
        empty: { args: ["list"], directory: empty },
        found: /\((\d+) total\)/,
      });
  },
};

function linkFlat(root: string, target: string): void {
  mkdirSync(target, { recursive: true });
  for (const owner of readdirSync(root)) {
    for (const skill of readdirSync(join(root, owner))) {
      symlinkSync(join(root, owner, skill), join(target, skill), "junction");
    }
  }
}
