import { SkilletError } from "@skillet/kit/errors";
import { quoteName } from "@skillet/kit/text";
import type { Skill } from "../../registry/skill.ts";
import { type AllowedScript, readAllowed, type ScriptAllowlist, showScript } from "./script-allowlist.ts";

/** The scripts that a child is given by name: of skills that it has, and each on its parent's own list. */
export function inheritScripts(
  names: readonly string[],
  skills: readonly Skill[],
  parent: ScriptAllowlist,
): readonly AllowedScript[] {
  return readAllowed(names, "sandbox").map((script) => {
    const named = parent.ownerOf(script);
    const owner = named !== undefined && skills.includes(named) ? named : undefined;
    const entry = owner && parent.find(owner, script.path);
    if (entry !== undefined) return entry;
    const name = showScript(script);
    const why =
      owner === undefined ? "the child does not have that skill" : "the parent itself may not run it";
    throw new SkilletError(
      "script-not-inherited",
      `${quoteName(name)} cannot be given to a child: ${why}. Name the skill in skills, and only scripts that the session has.`,
      { data: { script: name } },
    );
  });
}
