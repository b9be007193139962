// Disables a skill, asks the agents' own loaders what they list, and enables it again. Needs `npm run build` before it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const peers = join(root, "bench/peers");
if (!existsSync(join(peers, "node_modules"))) {
  const install = ["ci", "--ignore-scripts", "--omit=optional", "--loglevel=error"];
  const { status } = spawnSync("npm", install, { cwd: peers, stdio: "inherit" });
  if (status !== 0) process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), "skillet-agents-"));
const modules = join(peers, "node_modules");
// Each prints the names of the skills that the agent would load.
const AGENTS = {
  // Its command reads the setting and passes it on to this manager.
  "Gemini CLI": {
    folder: ".gemini/skills",
    program: `const { SkillManager } = await import(${JSON.stringify(join(modules, "@google/gemini-cli-core/dist/src/skills/skillManager.js"))});
      const { Storage } = await import(${JSON.stringify(join(modules, "@google/gemini-cli-core/dist/index.js"))});
      const { existsSync, readFileSync } = await import("node:fs");
      const file = process.env.HOME + "/.gemini/settings.json";
      const settings = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
      const manager = new SkillManager();
      await manager.discoverSkills(new Storage(process.cwd()), [], true);
      manager.setDisabledSkills(settings.skills?.disabled ?? []);
      console.log("names " + manager.getDisplayableSkills().map((skill) => skill.name).join(" "));`,
  },
  pi: {
    folder: ".pi/agent/skills",
    program: `const { DefaultResourceLoader } = await import(${JSON.stringify(join(modules, "@earendil-works/pi-coding-agent/dist/index.js"))});
      const loader = new DefaultResourceLoader({ cwd: process.cwd(), agentDir: process.env.HOME + "/.pi/agent" });
      await loader.reload();
      console.log("names " + loader.getSkills().skills.map((skill) => skill.name).join(" "));`,
  },
};

function run(args) {
  const environment = { PATH: process.env.PATH, HOME: home };
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd: home,
    env: environment,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.slice(0, 3).join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

const skillet = (...args) => run([join(root, "packages/cli/bin/skillet.cjs"), ...args]);
const listed = (program) =>
  / pdf\b/.test(/^names.*$/m.exec(run(["--input-type=module", "-e", program]))?.[0] ?? "");
const settings = () =>
  existsSync(join(home, ".gemini/settings.json"))
    ? readFileSync(join(home, ".gemini/settings.json"), "utf8")
    : "";

try {
  for (const { folder } of Object.values(AGENTS)) {
    const file = join(home, folder, "pdf/SKILL.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      "---\nname: pdf\ndescription: Fills PDF forms. Use when a PDF is mentioned.\n---\n\nDo it.\n",
    );
  }
  writeFileSync(join(home, ".gemini/settings.json"), '{\n  "general": { "vimMode": true }\n}\n');
  const before = settings();
  const faults = [];
  const expectListed = (when, wanted) => {
    for (const [agent, { program }] of Object.entries(AGENTS)) {
      const isListed = listed(program);
      console.log(`${when}: ${agent} ${isListed ? "lists" : "does not list"} pdf`);
      if (isListed !== wanted) faults.push(`${when}: ${agent}`);
    }
  };
  expectListed("at first", true);
  console.log(skillet("disable", "pdf", "--yes"));
  expectListed("disabled", false);
  console.log(skillet("enable", "pdf", "--yes"));
  expectListed("enabled again", true);
  if (settings() !== before) faults.push("the settings of Gemini CLI are not as they were");
  if (faults.length > 0) throw new Error(faults.join("; "));
} finally {
  rmSync(home, { recursive: true, force: true });
}
