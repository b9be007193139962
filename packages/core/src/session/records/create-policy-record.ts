import type { PolicyMode } from "../../config/config.ts";
import type { Skill } from "../../registry/skill.ts";
import type { Snapshot } from "../../registry/snapshot.ts";
import type { Vetting } from "../../vetting/skill-vetter.ts";
import type { ActivationSource } from "../activation-source.ts";
import type { PolicyRecord } from "./session-record.ts";

/** What a session is allowed, as far as its record needs it. */
export interface PolicyFrame {
  readonly mode: PolicyMode;
  readonly interactive: boolean;
  readonly gate: { hiddenFrom(skill: Skill, source: ActivationSource): string | undefined };
  readonly vetting: { readonly ruleSet: string; of(skill: Skill): Vetting | undefined };
  /** Names and patterns that whoever opened the session allowed. */
  readonly allowed: readonly string[];
  readonly scripts: readonly string[];
  readonly hostScripts: readonly string[];
  readonly parentRunId: string | undefined;
}

/** Writes down what a session has and may do: every skill that somebody may load in it, by name and digest. */
export function createPolicyRecord(snapshot: Snapshot, frame: PolicyFrame): PolicyRecord {
  const { mode, interactive, gate, vetting, allowed, scripts, hostScripts, parentRunId } = frame;
  const sources: readonly ActivationSource[] =
    parentRunId === undefined ? ["preload", "model", "user"] : ["parent", "model"];
  const offered = snapshot.skills.filter((skill) =>
    sources.some((source) => gate.hiddenFrom(skill, source) === undefined),
  );
  return {
    kind: "policy",
    mode,
    interactive,
    snapshotVersion: snapshot.version,
    roots: snapshot.roots.map(({ sourceId, path, scope }) => ({ sourceId, path, scope })),
    vetting: vetting.ruleSet,
    skills: offered.map((skill) => {
      const { qualifiedName: name, digest, origin } = skill;
      const verdict = vetting.of(skill)?.verdict;
      return { name, digest, origin, ...(verdict !== undefined && { verdict }) };
    }),
    allowed,
    scripts,
    ...(hostScripts.length > 0 && { hostScripts }),
    activationSources: sources,
    ...(parentRunId !== undefined && { parentRunId }),
    diagnostics: snapshot.diagnostics.filter(({ code }) => TRUST_CODES.has(code)),
  };
}

// Those by which a skill could be something else than it seems: led elsewhere, called like another, or hiding files.
const TRUST_CODES: ReadonlySet<string> = new Set([
  "link-outside-root",
  "name-conflict",
  "name-reserved",
  "nested-skill-not-found",
  "not-a-file",
]);
