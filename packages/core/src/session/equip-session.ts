import type { Question } from "../ask.ts";
import type { Skill } from "../registry/skill.ts";
import { SkillActivations } from "./activate/skill-activations.ts";
import { askPerson } from "./ask-person.ts";
import { SessionDependencies } from "./dependencies/session-dependencies.ts";
import { FrozenSkills } from "./frozen-skills.ts";
import { SessionOutcomes } from "./outcome/session-outcomes.ts";
import { SkillFiles } from "./read/skill-files.ts";
import { RefusalLog } from "./records/refusal-log.ts";
import { SkillScripts } from "./run/skill-scripts.ts";
import { SessionSearch } from "./search/session-search.ts";
import { SessionSkills } from "./session-skills.ts";
import type { SkillSessionParts } from "./skill-session-parts.ts";
import { SessionTools } from "./tools/session-tools.ts";

/** What does the work of a session, each a part of it. */
export interface SessionEquipment {
  readonly skills: SessionSkills;
  readonly frozen: FrozenSkills;
  readonly activations: SkillActivations;
  readonly dependencies: SessionDependencies;
  readonly files: SkillFiles;
  readonly scripts: SkillScripts;
  readonly tools: SessionTools;
  readonly outcomes: SessionOutcomes;
  readonly search: SessionSearch;
  readonly refusals: RefusalLog;
}

/**
 * Puts the parts of a session together: which of them may ask which other for what.
 *
 * @param session.checkOpen Throws when the session has ended.
 */
export function equipSession(
  parts: SkillSessionParts,
  session: { readonly checkOpen: () => void },
): SessionEquipment {
  const { snapshot, reader, recorder, gate, vetting, secrets, options, interactive } = parts;
  const { checkOpen } = session;
  const frozen = new FrozenSkills(reader);
  const refusals = new RefusalLog(recorder);
  const skills = new SessionSkills(snapshot, gate);
  const resolve = (name: string): Skill => skills.resolve(name, "model");
  const redact = (text: string): string => secrets.redact(text);
  const refusesDrift = (): boolean => shouldRefuseDrift(parts);
  const ask = (question: Omit<Question, "choices">): Promise<boolean> => askToAllow(parts, question);
  const activations = new SkillActivations({
    ...{ snapshot, reader, gate, vetting, recorder, frozen, options, refusesDrift, ask },
    resolve: (name, source) => skills.resolve(name, source),
  });
  const findActive = (name: string): Skill | undefined => activations.find(name);
  const isActive = (skill: Skill): boolean => activations.isActive(skill);
  const dependencies = new SessionDependencies({
    ...{ snapshot, gate, secrets, isActive },
    ask: interactive ? options.ask : undefined,
  });
  const files = new SkillFiles({
    ...{ reader, recorder, frozen, vetting, findActive, resolve, refusesDrift },
    isFree: (skill) => gate.decideActivation(skill, "model").outcome === "allow",
  });
  const scripts = new SkillScripts({
    ...parts.scripts,
    ...{ reader, recorder, frozen, gate, findActive, resolve, isActive, redact, ask, checkOpen },
    isLoadedFrom: (skill, treeDigest) => activations.isLoadedFrom(skill, treeDigest),
    secretsFor: (name) => dependencies.valuesFor(name),
  });
  const tools = new SessionTools({
    ...{ reader, frozen, refusals, checkOpen },
    activeSkills: () => activations.active(),
    isAllowed: (skill, path) => scripts.targetOf(skill, path) !== undefined,
    decide: (skill, path) => scripts.decide(skill, path),
    secretsFor: (skill) => secrets.valuesFor(skill),
    maxTimeoutMs: parts.scripts.defaultTimeoutMs,
    run: (script, args, given) => scripts.run(script.skill.qualifiedName, script.path, args, given, script),
  });
  const outcomes = new SessionOutcomes({
    recorder,
    redact,
    messages: options.recordMessages === true ? "text" : "digest",
    skills: () => skills.usableByAnyone(),
  });
  const search = new SessionSearch({
    ...parts,
    context: () => ({ ...parts.memory.context(), ...(options.files && { files: options.files }) }),
    offer: (message, offered) => outcomes.offer(message, offered),
  });
  return { skills, frozen, activations, dependencies, files, scripts, tools, outcomes, search, refusals };
}

function shouldRefuseDrift({ mode, interactive, options }: SkillSessionParts): boolean {
  const isStrict = mode === "locked" || !interactive;
  return (options.onDrift ?? (isStrict ? "refuse" : "report")) === "refuse";
}

async function askToAllow(
  { interactive, options }: SkillSessionParts,
  question: Omit<Question, "choices">,
): Promise<boolean> {
  if (!interactive) return false;
  const answer = await askPerson(options.ask, { ...question, choices: ["allow", "deny"] });
  return answer?.choice === "allow";
}
