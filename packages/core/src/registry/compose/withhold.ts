import type { Origin, Scope } from "../skill.ts";
import type { ComposedSkill } from "./composed-skill.ts";

/** Whether configuration lets a skill be offered; `reason` names the file and line that does not. */
export type IsEnabled = (skill: {
  readonly name: string;
  readonly qualifiedName: string;
  readonly scope: Scope;
  readonly origin: Origin;
  readonly directory: string;
}) => {
  readonly enabled: boolean;
  readonly reason?: string;
  /** Which layer of configuration decided. */
  readonly by?: { readonly layer: string };
};

/** Marks a skill that configuration disables or that lies in a folder nobody has trusted. */
export function withhold(skill: ComposedSkill, enablement: IsEnabled | undefined): void {
  const { root, scanned, plugin, scope, origin } = skill;
  if (enablement !== undefined) {
    const { name, directory } = skill;
    const answer = enablement({
      name,
      qualifiedName: `${plugin ?? scope}:${name}`,
      scope,
      origin,
      directory,
    });
    if (!answer.enabled) {
      const reason = answer.reason ?? "disabled by configuration";
      skill.withheld = { state: "disabled", reason, byProject: answer.by?.layer === "project" };
    }
  }
  const { trust } = root;
  if (trust.kind === "trusted" || skill.withheld !== undefined) return;
  if (trust.kind === "untrusted") {
    skill.withheld = {
      state: "untrusted",
      byProject: false,
      reason: `the folder ${trust.project} is not trusted; run: skillet trust`,
    };
    return;
  }
  // A skill is known by its folder; commands share one, so they are known by their files.
  const held = trust.skillAt(scanned.isCommand ? skill.path : skill.directory);
  if (held === undefined)
    skill.withheld = {
      state: "untrusted",
      byProject: false,
      reason: `it appeared after ${trust.project} was trusted; run: skillet trust`,
    };
  else if (held.digest !== skill.digest)
    skill.notes = [
      ...skill.notes,
      {
        code: "changed-since-trust",
        severity: "info",
        message: "The skill was edited after its folder was trusted.",
        file: skill.path,
        hint: "Read the change, then run skillet trust to take note of it.",
      },
    ];
}
