import type { SourceCode, SourceCodes } from "./source-codes.ts";

const HEADING = "## Not described yet";

/**
 * Brings the page of codes up to date: which codes there are and how severe they are comes from the sources, what they
 * mean from the rows of the page. Rows of codes that the sources cannot give go; new codes come last, with their message.
 */
export function diagnosticsPage(page: string, { codes, patterns }: SourceCodes): string {
  const known = new Map(codes.map((code) => [`${code.kind} ${code.code}`, code]));
  const described = new Set<string>();
  let kind: SourceCode["kind"] = "diagnostic";
  const lines = page
    .replace(new RegExp(`\n${HEADING}\n[^]*$`), "")
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("## ")) kind = line === "## Errors" ? "error" : "diagnostic";
      const [, code, severity = "", rest = ""] = /^\| `([a-z0-9-]+)` \|([^|]*)\|(.*)$/.exec(line) ?? [];
      if (code === undefined) return [line];
      const key = `${kind} ${code}`;
      const source = known.get(key);
      if (described.has(key) || (source === undefined && !patterns.some((pattern) => pattern.test(code))))
        return [];
      described.add(key);
      // The order of severities, "strict / lenient", cannot be seen in the sources; that one is missing can.
      const given = [...(source?.severities ?? [])];
      return kind === "error" || given.every((name) => severity.includes(name))
        ? [line]
        : [`| \`${code}\` | ${given.sort().join(", ")} |${rest}`];
    });
  const added = [...known].filter(([key]) => !described.has(key)).map(([, code]) => rowOf(code));
  return [
    ...lines,
    ...(added.length === 0
      ? []
      : [HEADING, "", "| Code | Severity | Message |", "|---|---|---|", ...added, ""]),
  ].join("\n");
}

function rowOf({ code, kind, severities, messages }: SourceCode): string {
  const severity = kind === "error" ? "thrown" : [...severities].sort().join(", ");
  return `| \`${code}\` | ${severity} | ${[...messages].join(" / ").replaceAll("|", "\\|")} |`;
}
