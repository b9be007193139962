import { type Diagnostic, diagnostic } from "@skillet/kit/diagnostics";
import { compareByteOrder } from "@skillet/kit/order";
import { PLURAL_FILE } from "../skill-file-name.ts";
import type { TraversalLimits } from "./traversal-limits.ts";

/** A diagnostic about one path, before the root's position is known. */
export type WalkMessage = Omit<Diagnostic, "file">;

function warning(code: string, message: string, hint: string): WalkMessage {
  return { code, severity: "warning", message, hint };
}

export function unreadableFolder(errno: string): WalkMessage {
  const message = `The folder could not be read (${errno}), so skills in it are not known.`;
  return warning("unreadable-folder", message, "Give yourself read permission, or remove the folder.");
}

export function misspelledFile(name: string, used: string | undefined): WalkMessage {
  return {
    code: "misspelled-skill-file",
    severity: name === PLURAL_FILE ? "warning" : "error",
    message: `The file is called ${name}; skills are read from SKILL.md.`,
    range: { line: 1, column: 1 },
    hint: used === undefined ? "Rename it to SKILL.md." : `Remove it; ${used} beside it is used.`,
  };
}

export function specialFile(): WalkMessage {
  return {
    code: "not-a-file",
    severity: "error",
    message: "It is not a regular file (a FIFO, device, socket or folder) and was not opened.",
    range: { line: 1, column: 1 },
    hint: "Replace it by a text file.",
  };
}

export function brokenLink(target: string): WalkMessage {
  const message = `The link leads to ${target}, which cannot be reached.`;
  return warning("link-broken", message, "Restore the target or remove the link.");
}

export function outsideLink(canonical: string): WalkMessage {
  const message = `The link leads to ${canonical}, outside every skill root, and was not followed.`;
  const hint =
    "An agent that follows links may load it all the same. Copy the skill here, or add that folder to skills.directories in the user's config.";
  return warning("link-outside-root", message, hint);
}

export function ignoredFolder(file: string): WalkMessage {
  const message = `The folder is hidden by ${file} and was not searched.`;
  return {
    ...warning("ignored", message, "Add a rule with ! in front to search it anyway."),
    severity: "info",
  };
}

export function unreadableRules(reason: string): WalkMessage {
  const message = `Its rules were not applied: ${reason}`;
  return warning("unreadable-ignore-file", message, "Make it a regular file that you may read.");
}

export function ignoreLimit(of: {
  readonly count: number;
  readonly line: number;
  readonly maxRules: number;
  readonly maxCharacters: number;
}): WalkMessage {
  const message = `${of.count} of its rules were not applied: a rule has at most ${of.maxCharacters} characters, and at most ${of.maxRules} rules hold in a folder.`;
  const hint = "Remove rules, or write one pattern for many names.";
  return { ...warning("ignore-limit", message, hint), range: { line: of.line, column: 1 } };
}

export function ignoreWork(): WalkMessage {
  const message =
    "The ignore files below it take too much work, so from some folder on they were not applied.";
  return warning("ignore-limit", message, "Remove rules, above all those with many * in them.");
}

export function undecodableName(): WalkMessage {
  const message = "Its name is not UTF-8, so it cannot be opened, and skills in it are not known.";
  return warning("name-not-utf8", message, "Give it another name.");
}

export function tooDeep(count: number, first: string, limits: TraversalLimits): WalkMessage {
  const message = `${count} folder(s) lie deeper than ${limits.depth} levels and were not searched, the first at ${first}.`;
  return warning(
    "depth-limit",
    message,
    "Move skills up, or raise skills.limits.depth in the user's config.",
  );
}

export function tooMany(limit: "directories" | "entries", limits: TraversalLimits): WalkMessage {
  const message = `The root holds more than ${limits[limit]} ${limit}; the rest was not searched.`;
  const hint = `Point the root at the skills themselves, or raise skills.limits.${limit} in the user's config.`;
  return warning(limit === "directories" ? "directory-limit" : "entry-limit", message, hint);
}

// A hostile tree can have a million broken links; users see the first ones and a count of the rest.
const MAX_PER_CODE = 100;

export class TraversalReport {
  readonly #byCode = new Map<string, { kept: Diagnostic[]; more: number }>();

  add(diagnostic: Diagnostic): void {
    const bucket = this.#byCode.get(diagnostic.code) ?? { kept: [], more: 0 };
    if (bucket.kept.length < MAX_PER_CODE) bucket.kept.push(diagnostic);
    else bucket.more++;
    this.#byCode.set(diagnostic.code, bucket);
  }

  diagnostics(root: string): Diagnostic[] {
    const all: Diagnostic[] = [];
    for (const [code, { kept, more }] of this.#byCode) {
      all.push(...kept);
      const severity = kept[0]?.severity ?? "warning";
      if (more === 0) continue;
      const message = `${more} more of the same kind under this root.`;
      const hint = "Fix the ones above first; the rest are shown then.";
      all.push(diagnostic(severity, code, root, message, hint));
    }
    return all.sort(
      (left, right) => compareByteOrder(left.file, right.file) || compareByteOrder(left.code, right.code),
    );
  }
}
