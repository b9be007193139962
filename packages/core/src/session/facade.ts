import { SkilletError } from "@skillet/kit/errors";
import { type CatalogOptions, createCatalog } from "../catalog/create-catalog.ts";
import { discoverSkills } from "../registry/discover-skills.ts";
import type { Skill } from "../registry/skill.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { findObstacle } from "../use/may-use.ts";
import { insideOf } from "./create-session.ts";
import type { Session } from "./session.ts";
import { findNamed } from "./skill-access.ts";
import { usableSkills } from "./skill-view.ts";

/** A skill with the flags of the agent framework's `DiscoveredSkill`. */
export interface ProvidedSkill extends Skill {
  readonly disabled: boolean;
  readonly unavailable: boolean;
  readonly unavailableReason: string | undefined;
}

/** The resource folders of a skill. */
export type ResourceType = "scripts" | "references" | "assets";

/**
 * The agent framework's class on top of a session, so that code written for it runs.
 *
 * @example
 * const provider = new SkillContextProvider(await skills.session());
 * const system = provider.getTier1Context();
 * const instructions = await provider.getTier2Context("pdf-forms");
 */
export class SkillContextProvider {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  getTier1Context(): string {
    return this.#session.catalog().text;
  }

  /** Tier 2: a skill's instructions, or null if the skill does not exist. */
  async getTier2Context(skillName: string): Promise<string | null> {
    // Callers of this API do not track their context, so they get the text each time.
    const activation = await orNull(this.#session.activate(skillName, { repeat: true }));
    return activation?.text ?? null;
  }

  async getTier3ResourceList(skillName: string, resourceType: ResourceType): Promise<string[]> {
    const resources = await orNull(this.#session.resources(skillName));
    return (resources ?? []).map(({ path }) => path).filter((path) => path.startsWith(`${resourceType}/`));
  }

  /** Tier 3: the text of one file, or null if it cannot be read. */
  async getTier3Resource(skillName: string, resourcePath: string): Promise<string | null> {
    const { content } = await this.#session.read(skillName, resourcePath);
    return content ?? null;
  }

  /** A usable skill, or one that is disabled or unavailable, with the flag set. */
  getSkill(name: string): ProvidedSkill | undefined {
    const { snapshot } = this.#session;
    const isOff = (one: Skill): boolean =>
      (one.state === "disabled" || one.state === "unavailable") && isOfSession(this.#session, one);
    const skill =
      findNamed(name, usableSkills(insideOf(this.#session), "model"), snapshot) ??
      findNamed(name, snapshot.skills.filter(isOff), snapshot);
    if (skill === undefined) return undefined;
    const { state, reason } = skill;
    return Object.create(skill, {
      disabled: { value: state === "disabled", enumerable: true },
      unavailable: { value: state === "unavailable", enumerable: true },
      unavailableReason: { value: state === "unavailable" ? reason : undefined, enumerable: true },
    }) as ProvidedSkill;
  }

  getSkillNames(): string[] {
    return usableSkills(insideOf(this.#session), "model").map(({ qualifiedName }) => qualifiedName);
  }
}

// Such skills cannot be used anyway, but a subset or a fork must not even reveal skills outside it.
function isOfSession(session: Session, skill: Skill): boolean {
  return !session.mayUse(skill).reasons.some(({ step, cause }) => step === "found" && cause !== undefined);
}

async function orNull<Result>(promise: Promise<Result>): Promise<Result | null> {
  try {
    return await promise;
  } catch (error) {
    if (SkilletError.isInstance(error) && NOT_THERE.has(error.code)) return null;
    throw error;
  }
}

const NOT_THERE: ReadonlySet<string> = new Set(["skill-not-found", "skill-for-users", "skill-not-offered"]);

/**
 * Renders a source's skills as a prompt section in one call; undefined if there are none. Throws
 * `unreadable-root` if the source failed.
 *
 * @example
 * const section = await loadAndRender(new LocalSource("./skills"));
 */
export async function loadAndRender(
  source: SkillSource,
  options: CatalogOptions = {},
): Promise<string | undefined> {
  const { skills, diagnostics } = await discoverSkills({
    roots: [
      { scope: "explicit", origin: "local", source, path: source.toolPath(""), trust: { kind: "trusted" } },
    ],
  });
  // An unreachable source is not an empty one: a prompt without its skills would be silently wrong.
  const fault = diagnostics.find(({ code }) => code === "unreadable-root" || code === "unreadable-skill");
  if (skills.length === 0 && fault !== undefined)
    throw new SkilletError("unreadable-root", `No skills could be read from ${source.id}: ${fault.message}`, {
      data: { source: source.id, file: fault.file },
    });
  const usable = skills.filter((skill) => findObstacle(skill) === undefined);
  const { text } = createCatalog(usable, { format: "markdown", guidance: "read", ...options });
  return text === "" ? undefined : text;
}
