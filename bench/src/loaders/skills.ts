import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./loader.ts";
import { peerFile } from "./peer-package.ts";
import { timeCommand } from "./time-command.ts";

/** The skills command. */
export const SKILLS: Peer = {
  name: "skills",
  runsTwice: false,
  package: "skills",
  how: "`skills add FOLDER --list`, less the same command on an empty folder",
  async open({ root, workDirectory }) {
    const empty = join(workDirectory, "empty");
    mkdirSync(empty);
    return async () =>
      timeCommand({
        command: peerFile(this.package, "bin/cli.mjs"),
        full: { args: ["add", root, "--list"], directory: workDirectory },
        empty: { args: ["add", empty, "--list"], directory: workDirectory },
        found: /Found (\d+) skill/,
      });
  },
};
