import { costOf } from "../measure/cost.ts";
import type { Peer } from "./loader.ts";
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
  runsTwice: true,
  package: "@earendil-works/pi-coding-agent",
  how: "loadSkills on the library's folder",
  async open({ root, workDirectory }) {
    const agent: PiAgent = await import(peerFile(this.package, "dist/index.js").href);
    const options = {
      cwd: workDirectory,
      agentDir: workDirectory,
      skillPaths: [root],
      includeDefaults: false,
    };
    return async () => {
      let found = 0;
      const cost = await costOf(() => {
        found = agent.loadSkills(options).skills.length;
      });
      return { ...cost, found };
    };
  },
};
