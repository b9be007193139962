import { readdirSync } from "node:fs";
import { join } from "node:path";
import { costOf } from "../measure/cost.ts";
import type { Peer } from "./loader.ts";
import { peerFile } from "./peer-package.ts";

interface GeminiCore {
  loadSkillsFromDir(directory: string): Promise<readonly unknown[]>;
}

/** Gemini CLI's loader. */
export const GEMINI: Peer = {
  name: "gemini",
  runsTwice: true,
  package: "@google/gemini-cli-core",
  how: "loadSkillsFromDir once per owner's folder, because it looks one level down only",
  async open({ root }) {
    const core: GeminiCore = await import(peerFile(this.package, "dist/index.js").href);
    return async () => {
      let found = 0;
      const cost = await costOf(async () => {
        for (const owner of readdirSync(root))
          found += (await core.loadSkillsFromDir(join(root, owner))).length;
      });
      return { ...cost, found };
    };
  },
};
