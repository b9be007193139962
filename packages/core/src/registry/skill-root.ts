import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { OutsideLink } from "../source/local/follow-links.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { folderIdentity, type TrustedSkill } from "../trust/trust-store.ts";
import { hostFileOf, type Origin, type Scope, type Skill } from "./skill.ts";

/** A source of skills with the facts about its place; roots come highest precedence first. */
export interface SkillRoot {
  readonly scope: Scope;
  readonly origin: Origin;
  readonly source: SkillSource;
  /** For local roots: canonical paths of folders whose skills an agent wrote. */
  readonly agentFolders?: readonly string[];
  /** The plugin of these skills, if no manifest in the root names one. */
  readonly plugin?: string | undefined;
  /** For messages and reports. */
  readonly path: string;
  readonly trust: RootTrust;
  /** Why the root is not searched at all. */
  readonly refusal?: Diagnostic;
  /** Why none of its skills is offered, whatever the configuration says. */
  readonly disabled?: string;
  /** A remark for the user about a root that is searched. */
  readonly notice?: Diagnostic;
  /** The root for a link to a folder outside all roots; undefined if the link is not followed. */
  linkedRoot?(link: OutsideLink, folder: string): SkillRoot | undefined;
}

/** Whether the skills of a root may be offered. */
export type RootTrust =
  | { readonly kind: "trusted" }
  /** Except for skills that the user added there, as long as they do not change. */
  | {
      readonly kind: "untrusted";
      readonly project: string;
      readonly skillAt?: ((path: string) => TrustedSkill | undefined) | undefined;
    }
  /** A trusted project, with what it contained when it was trusted; skills added later are not covered. */
  | {
      readonly kind: "held";
      readonly project: string;
      /** By a skill's folder or a command's file. */
      readonly skillAt: (path: string) => TrustedSkill | undefined;
    };

/** The path by which trust identifies a skill: its folder, or a command's file, as commands share one. */
export function placeOf({ kind, path, directory }: Pick<Skill, "kind" | "path" | "directory">): string {
  return kind === "command" ? path : directory;
}

const UNNEEDED = {};

/** The skill as trusted with its project, or why it is not trusted; neither if it needs no trust. */
export function trustedAs(
  trust: RootTrust,
  skill: Pick<Skill, "kind" | "path" | "directory" | "hostDirectory" | "source" | "digest">,
): {
  readonly held?: TrustedSkill | undefined;
  readonly untrusted?: string;
  /** The user created it there, so later changes are theirs too; a scan still judges it. */
  readonly isOwn?: boolean;
} {
  if (trust.kind === "trusted") return UNNEEDED;
  const directory = skill.hostDirectory ?? skill.directory;
  const held = trust.skillAt?.(placeOf({ kind: skill.kind, path: hostFileOf(skill), directory }));
  if (held?.own !== undefined && held.own === folderIdentity(directory)) return { held, isOwn: true };
  if (held !== undefined && (trust.kind === "held" || held.digest === skill.digest)) return { held };
  if (trust.kind === "untrusted")
    return { untrusted: `the folder ${trust.project} is not trusted; run: skillet trust` };
  return { untrusted: `it appeared after ${trust.project} was trusted; run: skillet trust` };
}
