import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import { policyNames } from "../../config/policy-matcher.ts";
import { parseScriptReference, type ScriptReference } from "../../config/script-reference.ts";
import { findSkill } from "../../registry/find-skill.ts";
import { needsTrust, type Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import type { ScriptTarget } from "../script-runner.ts";

export interface AllowedScript extends ScriptReference {
  readonly target: ScriptTarget;
}

/** The scripts that may run in a session, by name: a pattern would cover scripts that were never reviewed. */
export class ScriptAllowlist {
  readonly scripts: readonly AllowedScript[];
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot, scripts: readonly AllowedScript[]) {
    this.#snapshot = snapshot;
    this.scripts = scripts;
  }

  /** Where a skill's script may run; undefined if it may not. Does not check that the file exists. */
  targetOf(skill: Skill, path: string): ScriptTarget | undefined {
    return this.find(skill, path)?.target;
  }

  find(skill: Skill, path: string): AllowedScript | undefined {
    const named = this.scripts.filter(
      (script) => script.path === path && this.ownerOf(script) === skill && isMeant(script, skill),
    );
    return named.find(({ target }) => target === "sandbox") ?? named[0];
  }

  /** Whether this list also has the script, for the same target. */
  has(script: AllowedScript): boolean {
    const owner = this.ownerOf(script);
    return owner !== undefined && this.targetOf(owner, script.path) === script.target;
  }

  /** The skill that a script's reference names: a bare name means the skill that holds it, and no other. */
  ownerOf({ skill: name }: ScriptReference): Skill | undefined {
    const found = findSkill(this.#snapshot, name);
    if (found.kind !== "found") return undefined;
    const { skill } = found;
    // A folder's name or another spelling may mean another skill tomorrow.
    return skill.qualifiedName === name || policyNames(skill).includes(name) ? skill : undefined;
  }

  namesOf(skill: Skill): readonly [string, ...string[]] {
    const others = policyNames(skill).filter(
      (name) => name !== skill.qualifiedName && this.ownerOf({ skill: name, path: "" }) === skill,
    );
    return [skill.qualifiedName, ...others];
  }

  of(skills: ReadonlySet<Skill>): readonly AllowedScript[] {
    return this.scripts.filter((script) => {
      const owner = this.ownerOf(script);
      return owner !== undefined && skills.has(owner);
    });
  }

  written(target: ScriptTarget): readonly string[] {
    const texts = this.scripts.filter((script) => script.target === target).map(showScript);
    return [...new Set(texts)];
  }
}

// A project's author can give its skills any free name, or a plugin's; so they run on the host only if they
// are named as the project's.
function isMeant({ skill: name, target }: AllowedScript, { scope }: Skill): boolean {
  return target === "sandbox" || !needsTrust(scope) || name.startsWith(`${scope}:`);
}

export function readAllowed(texts: readonly string[], target: ScriptTarget): readonly AllowedScript[] {
  return texts.map((text) => {
    const reference = parseScriptReference(text);
    if (reference !== undefined) return { ...reference, target };
    const message = `${quoteName(text)} names no script; write exactly skill:scripts/path, without wildcards.`;
    throw new SkilletError("script-name-invalid", message, { data: { script: text } });
  });
}

export function showScript({ skill, path }: ScriptReference): string {
  return `${skill}:${path}`;
}
