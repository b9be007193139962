import { join } from "node:path";
import type { JudgeConfig, Skill, Skills, SkillToVet } from "@skillet/core";
import { type FindInstalled, installedSources } from "@skillet/hub";
import { SkilletError } from "@skillet/kit/errors";
import { createOpenAiJudge, type Judge, ScanningVetter, type Vetter } from "@skillet/scan";
import type { CommandContext } from "../command-context.ts";
import { stripControl } from "../ui/strip-control.ts";
import { deferredScan } from "./deferred-scan.ts";
import { createProgressBar, type ProgressBar } from "./progress-bar.ts";
import { readUserRules } from "./user-rules.ts";

const opened = new WeakMap<Skills, Promise<Vetter>>();

/** The vetter of a registry, one for all its sessions; it loads the scanner when it meets a skill that it does not know. */
export function openVetter(context: CommandContext, skills: Skills): Promise<Vetter> {
  const known = opened.get(skills);
  if (known !== undefined) return known;
  const vetter = createVetter(context, skills);
  opened.set(skills, vetter);
  return vetter;
}

/** A skill of a registry, as a vetter takes it. */
export function toVet(skills: Skills, skill: Skill): SkillToVet {
  const { qualifiedName: name, scope, path, digest: shown } = skill;
  return {
    name,
    scope,
    path,
    shown,
    stamp: () => skills.stamp(skill),
    read: (bounds) => skills.content(skill, bounds),
  };
}

async function createVetter(context: CommandContext, skills: Skills): Promise<Vetter> {
  const { home } = skills;
  const { trustedSources, rules, judge: judgeConfig } = skills.config.config.scan;
  const judge = openJudge(context, judgeConfig);
  const findInstalled = await readInstalled(context, { home, trustedSources });
  let bar: ProgressBar | undefined;
  return new ScanningVetter({
    home,
    cacheDirectory: join(home, "cache"),
    clock: Date.now,
    trustedSources,
    sourceOf: ({ path }) => findInstalled(path)?.originSource,
    scan: deferredScan(await readUserRules({ home, packs: rules })),
    ...(judge !== undefined && { judge }),
    onProgress: ({ done, total, name }) => {
      bar ??= createProgressBar(context.terminal, total);
      bar.show({ done, name });
      if (done < total) return;
      bar.clear();
      bar = undefined;
    },
  });
}

/** Where installed skills came from; with a lock that cannot be read nothing is known, which makes nobody a friend. */
export async function readInstalled(
  { terminal }: Pick<CommandContext, "terminal">,
  options: { readonly home: string; readonly trustedSources: readonly string[] },
): Promise<FindInstalled> {
  try {
    return await installedSources(options);
  } catch (error) {
    if (!SkilletError.isInstance(error)) throw error;
    terminal.warn(stripControl(error.message));
    return () => undefined;
  }
}

function openJudge(
  { environment, terminal }: CommandContext,
  { endpoint, model, apiKeyEnv }: JudgeConfig,
): Judge | undefined {
  if (endpoint === undefined || model === undefined) return undefined;
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv];
  if (apiKeyEnv !== undefined && (apiKey === undefined || apiKey === "")) {
    terminal.warn(`There is no second opinion: ${apiKeyEnv}, which scan.judge.apiKeyEnv names, is not set.`);
    return undefined;
  }
  return createOpenAiJudge({ endpoint, model, ...(apiKey !== undefined && { apiKey }) });
}
