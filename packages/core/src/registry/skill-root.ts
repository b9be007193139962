import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { OutsideLink } from "../source/local/follow-links.ts";
import type { SkillSource } from "../source/skill-source.ts";
import { folderIdentity, type TrustedSkill } from "../trust/trust-store.ts";
import { hostFileOf, type Origin, type Scope, type Skill } from "./skill.ts";

/** A source of skills and what its place says about them; roots come highest precedence first. */
export interface SkillRoot {
  readonly scope: Scope;
  readonly origin: Origin;
  readonly source: SkillSource;
  /** Folders, by canonical paths, in which an agent wrote the skills; of local roots alone. */
  readonly agentFolders?: readonly string[];
  /** The plugin whose skills these are, where no manifest in the root says so. */
  readonly plugin?: string | undefined;
  /** For people and reports. */
  readonly path: string;
  readonly trust: RootTrust;
  /** Why the root is not searched at all. */
  readonly refusal?: Diagnostic;
  /** Why none of its skills is offered, whatever the configuration says. */
  readonly disabled?: string;
  /** Something that people should know of a root that is searched. */
  readonly notice?: Diagnostic;
  /** The root that a link in it to a folder outside all roots makes; none where such links are not followed. */
  linkedRoot?(link: OutsideLink, folder: string): SkillRoot | undefined;
}

/** Whether the skills of a root may be offered. */
export type RootTrust =
  | { readonly kind: "trusted" }
  /** Except for skills that a person put there, as long as they stay what they were. */
  | {
      readonly kind: "untrusted";
      readonly project: string;
      readonly skillAt?: ((path: string) => TrustedSkill | undefined) | undefined;
    }
  /** A trusted project: what it held when it was trusted, by path; what came later is not covered. */
  | {
      readonly kind: "held";
      readonly project: string;
      /** By the folder of a skill, or the file of a command. */
      readonly skillAt: (path: string) => TrustedSkill | undefined;
    };

/** The path by which trust knows a skill: its folder; commands share one, so they are known by their files. */
export function placeOf({ kind, path, directory }: Pick<Skill, "kind" | "path" | "directory">): string {
  return kind === "command" ? path : directory;
}

const UNNEEDED = {};

/** The skill as it was when its project was trusted, why it is not trusted, or neither where trust is not needed. */
export function trustedAs(
  trust: RootTrust,
  skill: Pick<Skill, "kind" | "path" | "directory" | "hostDirectory" | "source" | "digest">,
): {
  readonly held?: TrustedSkill | undefined;
  readonly untrusted?: string;
  /** The person made it there, so what changed since is theirs; a scan still judges it. */
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
