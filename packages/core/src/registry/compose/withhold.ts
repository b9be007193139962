import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { DiscoveredSkill } from "../scan/discovered-skill.ts";
import type { Origin, Scope } from "../skill.ts";

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
  readonly by?: { readonly layer: string };
};

/** Marks a skill that configuration disables or that lies in an untrusted folder. */
export function withhold(skill: DiscoveredSkill, enablement: IsEnabled | undefined): void {
  const { root, plugin, scope, origin, name } = skill;
  if (enablement !== undefined) {
    const qualifiedName = `${plugin ?? scope}:${name}`;
    const answer = enablement({ name, qualifiedName, scope, origin, directory: skill.directory });
    if (!answer.enabled) {
      const reason = answer.reason ?? "disabled by configuration";
      skill.withheld = { state: "disabled", reason, byProject: answer.by?.layer === "project" };
      return;
    }
  }
  const { trust } = root;
  if (trust.kind === "trusted") return;
  // A skill is known by its folder; commands share one, so they are known by their files.
  const held =
    trust.kind === "held"
      ? trust.skillAt(skill.kind === "command" ? skill.path : skill.directory)
      : undefined;
  if (held === undefined) {
    const reason =
      trust.kind === "held"
        ? `it appeared after ${trust.project} was trusted; run: skillet trust`
        : `the folder ${trust.project} is not trusted; run: skillet trust`;
    skill.withheld = { state: "untrusted", reason, byProject: false };
  } else if (held.digest !== skill.digest) skill.notes = [...skill.notes, changedSinceTrust(skill.path)];
}

function changedSinceTrust(file: string): Diagnostic {
  return {
    code: "changed-since-trust",
    severity: "info",
    message: "The skill was edited after its folder was trusted.",
    file,
    hint: "Read the change, then run skillet trust to record it.",
  };
}
