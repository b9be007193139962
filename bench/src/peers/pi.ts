import { time } from "../measure/interleave.ts";
import type { Peer } from "./peer.ts";
import { peerFile } from "./peer-package.ts";

interface PiAgent {
  loadSkills(options: {
    readonly cwd: string;
    readonly agentDir: string;
    readonly skillPaths: readonly string[];
    readonly includeDefaults: boolean;
  }): { readonly skills: readonly unknown[] };
}

/** The pi coding agent's loader. */
export const PI: Peer = {
  name: "pi",
  package: "@earendil-works/pi-coding-agent",
  how: "loadSkills on the library's folder",
  async open({ root, workDirectory }) {
    const agent: PiAgent = await import(peerFile(this.package, "dist/index.js").href);
    return {
      async run() {
        let found = 0;
        const ms = await time(() => {
          const options = {
            cwd: workDirectory,
            agentDir: workDirectory,
            skillPaths: [root],
            includeDefaults: false,
          };
          found = agent.loadSkills(options).skills.length;
        });
        return { found, ms };
      },
    };
  },
};
