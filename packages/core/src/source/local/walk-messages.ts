import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { TraversalLimits } from "./traversal-limits.ts";

/** What a traversal has to say about one path, before it is known where the root lies. */
export type WalkMessage = Omit<Diagnostic, "file">;

export function unreadableFolder(errno: string): WalkMessage {
  return {
    code: "unreadable-folder",
    severity: "warning",
    message: `The folder could not be read (${errno}), so skills in it are not known.`,
    hint: "Give yourself read permission, or remove the folder.",
  };
}

export function misspelledFile(name: string, used: string | undefined): WalkMessage {
  return {
    code: "misspelled-skill-file",
    severity: "error",
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
  return {
    code: "link-broken",
    severity: "warning",
    message: `The link leads to ${target}, which cannot be reached.`,
    hint: "Restore the target or remove the link.",
  };
}

export function outsideLink(canonical: string): WalkMessage {
  return {
    code: "link-outside-root",
    severity: "warning",
    message: `The link leads to ${canonical}, outside every skill root, and was not followed.`,
    hint: "Add that folder to skills.directories in the user's config, or copy the skill here.",
  };
}

export function ignoredFolder(file: string): WalkMessage {
  return {
    code: "ignored",
    severity: "info",
    message: `The folder is hidden by ${file} and was not searched.`,
    hint: "Add a rule with ! in front to search it all the same.",
  };
}

export function unreadableRules(message: string): WalkMessage {
  return {
    code: "unreadable-ignore-file",
    severity: "warning",
    message: `Its rules were not applied: ${message}`,
    hint: "Make it a regular file that you may read.",
  };
}

export function ignoreLimit(of: {
  readonly count: number;
  readonly line: number;
  readonly maxRules: number;
  readonly maxCharacters: number;
}): WalkMessage {
  return {
    code: "ignore-limit",
    severity: "warning",
    message: `${of.count} of its rules were not applied: a rule has at most ${of.maxCharacters} characters, and at most ${of.maxRules} rules hold in a folder.`,
    range: { line: of.line, column: 1 },
    hint: "Remove rules, or write one pattern for many names.",
  };
}

export function ignoreWork(): WalkMessage {
  return {
    code: "ignore-limit",
    severity: "warning",
    message: "The ignore files below it take too much work, so from some folder on they were not applied.",
    hint: "Remove rules, above all those with many * in them.",
  };
}

export function undecodableName(): WalkMessage {
  return {
    code: "name-not-utf8",
    severity: "warning",
    message: "Its name is not UTF-8, so it cannot be opened, and skills in it are not known.",
    hint: "Give it another name.",
  };
}

export function tooDeep(count: number, first: string, limits: TraversalLimits): WalkMessage {
  return {
    code: "depth-limit",
    severity: "warning",
    message: `${count} folder(s) lie deeper than ${limits.depth} levels and were not searched, the first at ${first}.`,
    hint: "Move skills up, or raise skills.limits.depth in the user's config.",
  };
}

export function tooMany(limit: "directories" | "entries", limits: TraversalLimits): WalkMessage {
  return {
    code: limit === "directories" ? "directory-limit" : "entry-limit",
    severity: "warning",
    message: `The root holds more than ${limits[limit]} ${limit}; the rest was not searched.`,
    hint: `Point the root at the skills themselves, or raise skills.limits.${limit} in the user's config.`,
  };
}
