import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type OpenSkillsOptions,
  openSkills,
  type Session,
  type SessionOptions,
  type Skills,
} from "@skillet/core";
import { trustFolder } from "@skillet/core/internal";
import { type Hub, openHub } from "@skillet/hub";
import { createHookStarter } from "@skillet/run";
import { createSandbox, type Sandbox, skillText } from "../cli/sandbox.ts";

/** A machine on which the plugin `kit` is installed for the user, everything of it still off. */
export interface PluginPlace extends Sandbox {
  readonly hub: Hub;
  /** The installed plugin. */
  readonly folder: string;
  open(options?: OpenSkillsOptions): Promise<Skills>;
  /** A session that can run hooks. */
  session(options?: SessionOptions, more?: OpenSkillsOptions): Promise<Session>;
  /** What a hook wrote into the project, line by line. */
  log(): readonly string[];
}

export async function createPluginPlace(files: Readonly<Record<string, unknown>>): Promise<PluginPlace> {
  const sandbox = createSandbox();
  const { root, home, project } = sandbox;
  const own = join(home, ".skillet");
  const source = join(root, "source");
  const all = {
    ".claude-plugin/plugin.json": { name: "kit" },
    "skills/a/SKILL.md": skillText("a"),
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(source, path), text, { mode: path.endsWith(".sh") ? 0o755 : 0o644 });
  }
  const environment = { HOME: home, PATH: process.env.PATH };
  await trustFolder({ home: own, projectRoot: project, skills: [], clock: Date.now });
  const hub = await openHub({
    home: own,
    userHome: home,
    workspace: project,
    environment,
    clock: Date.now,
    scope: { kind: "user", home: own, pluginsDirectory: join(own, "plugins") },
    ask: async () => ({ choice: "yes" }),
  });
  const plan = await hub.planInstall({
    source,
    names: ["plugin:kit"],
    all: false,
    agents: [],
    agentTargets: "link",
    link: false,
    force: true,
  });
  const [result] = await hub.apply(plan);
  if (result?.outcome !== "installed") throw new Error(`kit was not installed: ${JSON.stringify(result)}`);
  const open = (options: OpenSkillsOptions = {}): Promise<Skills> =>
    openSkills({
      workspace: project,
      userHome: home,
      environment,
      bundledDirectory: false,
      cacheDirectory: false,
      organisationDirectory: join(root, "organisation"),
      plugins: () => hub.plugins(),
      ...options,
    });
  return {
    ...sandbox,
    hub,
    folder: join(own, "plugins/kit"),
    open,
    session: async (options = {}, more = {}) =>
      (await open(more)).session({ hooks: createHookStarter({ home: own, environment }), ...options }),
    log: () => {
      const file = join(project, "log");
      return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    },
  };
}

export const hooksFile = (event: string, command: string, more: object = {}): object => ({
  hooks: { [event]: [{ ...more, hooks: [{ type: "command", command }] }] },
});
