import type { Diagnostic } from "@skillet/kit/diagnostics";
import type { Finding, FindingSeverity } from "../finding/finding.ts";
import { OWASP_LISTS, type OwaspList } from "../finding/owasp.ts";
import { escapeUnseenJson } from "./excerpts-of.ts";
import type { RuleDescription, ScanResult } from "./scan-result.ts";

interface SarifOptions {
  readonly version: string;
  readonly rules: readonly RuleDescription[];
}

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
/** GitHub sorts alerts by the score, on the scale of CVSS. */
const LEVELS: Readonly<Record<FindingSeverity, { readonly level: string; readonly score: string }>> = {
  critical: { level: "error", score: "9.0" },
  warn: { level: "warning", score: "5.0" },
  info: { level: "note", score: "1.0" },
};

/** Writes a SARIF 2.1.0 log for code scanning services and editors piece by piece, keeping only each result's files. */
export class SarifWriter {
  readonly #write: (text: string) => void;
  readonly #ruleIndexes: ReadonlyMap<string, number>;
  readonly #artifacts: string[] = [];
  readonly #notifications: string[] = [];
  #results = 0;

  constructor(options: SarifOptions, write: (text: string) => void) {
    this.#write = write;
    this.#ruleIndexes = new Map(options.rules.map(({ id }, index) => [id, index]));
    const { version, rules } = options;
    const driver = {
      name: "Skillet",
      version,
      semanticVersion: version,
      supportedTaxonomies: OWASP_LISTS.map(({ name }) => ({ name })),
      rules: rules.map(descriptor),
    };
    write(
      `{"$schema":${json(SCHEMA)},"version":"2.1.0","runs":[{"tool":{"driver":${json(driver)}},"taxonomies":${json(OWASP_LISTS.map(taxonomy))},"columnKind":"utf16CodeUnits","results":[`,
    );
  }

  add(result: ScanResult): void {
    const artifacts = new Map<string, number>();
    const { findings, suppressed, coverage } = result.report;
    const dismissed = suppressed.map(({ finding, reason }) => ({
      finding,
      suppressions: [{ kind: "external", status: "accepted", justification: reason }],
    }));
    for (const { finding, suppressions } of [...findings.map(unsuppressed), ...dismissed]) {
      const index = this.#artifact(result, finding.file, artifacts);
      const shown = json({ ...this.#result(result, finding, index), suppressions });
      this.#write(`${this.#results > 0 ? "," : ""}\n${shown}`);
      this.#results += 1;
    }
    for (const { file, state, reason = "no reason given" } of coverage) {
      if (state === "read") continue;
      const { member } = splitMember(file);
      const what = `${state === "unread" ? "Not analysed" : "Analysed in part"}${member === undefined ? "" : ` (${member})`}`;
      const artifactLocation = {
        uri: artifactUri(result.folder, file),
        index: this.#artifact(result, file, artifacts),
      };
      this.#notifications.push(
        json({
          level: "warning",
          message: { text: `${what}: ${reason}` },
          locations: [{ physicalLocation: { artifactLocation } }],
        }),
      );
    }
  }

  /** Ends the log; `failure` says that the scan broke off, and `diagnostics` what else was odd. */
  finish(options: { readonly failure?: string; readonly diagnostics?: readonly Diagnostic[] } = {}): void {
    const { failure, diagnostics = [] } = options;
    const notifications = [
      ...this.#notifications,
      ...diagnostics.map((diagnostic) => json(notification(diagnostic))),
      ...(failure === undefined ? [] : [json({ level: "error", message: { text: failure } })]),
    ];
    const isWhole = failure === undefined && !diagnostics.some(({ severity }) => severity === "error");
    const invocation = `{"executionSuccessful":${isWhole},"toolExecutionNotifications":[${notifications.join(",\n")}]}`;
    this.#write(`],"artifacts":[${this.#artifacts.join(",\n")}],"invocations":[${invocation}]}]}\n`);
  }

  #artifact({ folder, report }: ScanResult, named: string, known: Map<string, number>): number {
    const file = splitMember(named).outer;
    const existing = known.get(file);
    if (existing !== undefined) return existing;
    const index = this.#artifacts.length;
    known.set(file, index);
    const covered = report.coverage.find((entry) => entry.file === file);
    this.#artifacts.push(
      json({
        location: { uri: artifactUri(folder, file) },
        ...(covered !== undefined && { length: covered.size, properties: { kind: covered.kind } }),
      }),
    );
    return index;
  }

  #result({ folder, name, excerpts }: ScanResult, finding: Finding, artifactIndex: number): object {
    const artifactLocation = { uri: artifactUri(folder, finding.file), index: artifactIndex };
    const { member } = splitMember(finding.file);
    const ruleIndex = this.#ruleIndexes.get(finding.rule);
    return {
      ruleId: finding.rule,
      ...(ruleIndex !== undefined && { ruleIndex }),
      level: LEVELS[finding.severity].level,
      message: { text: messageOf(finding) },
      locations: [
        {
          physicalLocation: {
            artifactLocation,
            region: {
              startLine: Math.max(1, finding.line),
              ...columnsOf(finding, excerpts),
              snippet: { text: finding.evidence },
            },
          },
          logicalLocations: [
            { name, kind: "module" },
            ...(member === undefined ? [] : [{ name: member, kind: "member" }]),
          ],
        },
      ],
      ...relatedLocations(folder, finding),
      partialFingerprints: { "skilletFinding/v1": finding.fingerprint },
      properties: {
        category: finding.category,
        tags: finding.owasp,
        ...(finding.demoted !== undefined && { demoted: finding.demoted }),
      },
    };
  }
}

function unsuppressed(finding: Finding): { readonly finding: Finding; readonly suppressions?: undefined } {
  return { finding };
}

// A member's location is its archive, which has no columns.
function columnsOf(finding: Finding, excerpts: ScanResult["excerpts"]): object {
  const found = excerpts.get(finding)?.find(({ number }) => number === finding.line)?.columns;
  if (found === undefined) return {};
  return { startColumn: found.start + 1, ...(found.end !== undefined && { endColumn: found.end + 1 }) };
}

function relatedLocations(folder: string, { file, chain, related = [] }: Finding): object {
  const places = [
    ...chain.map(({ how, line }) => ({ file, line, text: how })),
    ...related.map((place) => ({ ...place, text: "belongs to the same chain" })),
  ];
  if (places.length === 0) return {};
  return {
    relatedLocations: places.map((place, index) => ({
      id: index + 1,
      message: { text: place.text },
      physicalLocation: {
        artifactLocation: { uri: artifactUri(folder, place.file) },
        region: { startLine: Math.max(1, place.line) },
      },
    })),
  };
}

function notification({ code, severity, message, file, hint }: Diagnostic): object {
  const advice = hint === undefined ? "" : ` (${hint})`;
  return {
    level: severity === "info" ? "note" : severity,
    message: { text: `${file}: ${message}${advice}` },
    properties: { code },
  };
}

function taxonomy({ name, titles }: OwaspList): object {
  return {
    name,
    organization: "OWASP",
    taxa: Array.from(titles, ([id, title]) => ({ id, name: title, shortDescription: { text: title } })),
  };
}

// Each entry of OWASP's lists covers more than the one pattern that a rule finds.
function relationships(owasp: readonly string[]): readonly object[] {
  return OWASP_LISTS.flatMap(({ name, titles }) =>
    owasp
      .filter((id) => titles.has(id))
      .map((id) => ({ target: { id, toolComponent: { name } }, kinds: ["superset"] })),
  );
}

function descriptor(rule: RuleDescription): object {
  return {
    id: rule.id,
    name: pascalCase(rule.title),
    shortDescription: { text: rule.title },
    fullDescription: { text: rule.explanation },
    help: { text: `${rule.explanation}${exampleOf(rule)}\n\nWhat makes it fine: ${rule.remedy}` },
    defaultConfiguration: { level: LEVELS[rule.severity].level },
    relationships: relationships(rule.owasp),
    properties: {
      category: rule.category,
      tags: ["security", rule.category, ...rule.owasp],
      "security-severity": LEVELS[rule.severity].score,
    },
  };
}

function exampleOf({ example }: RuleDescription): string {
  if (example === undefined) return "";
  return `\n\nFor example${example.file === undefined ? "" : `, in ${example.file}`}: ${example.text}`;
}

function pascalCase(title: string): string {
  const words = title.match(/[A-Za-z0-9]+/g) ?? ["Rule"];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

function messageOf({ message, remedy, demoted, file }: Finding): string {
  const { member } = splitMember(file);
  const lowered = demoted === undefined ? "" : ` Lowered: ${demoted}.`;
  const place = member === undefined ? "" : ` In the archive it is ${member}.`;
  return `${message.replace(/(?<![.!?…])$/, ".")}${lowered} What makes it fine: ${remedy}${place}`;
}

function json(value: unknown): string {
  return escapeUnseenJson(JSON.stringify(value));
}

/** A member has its archive's URI: a packer can name members anything, `../../x` too. */
export function artifactUri(skillPath: string, file: string): string {
  const isAbsolute = skillPath.startsWith("/");
  const { outer } = splitMember(file);
  const parts = [...skillPath.split("/"), ...outer.split("/").filter((part) => part !== "..")];
  const path = parts
    .filter((part) => part !== "" && part !== ".")
    .map((segment) => encodeURIComponent(Buffer.from(segment).toString()))
    .join("/");
  return isAbsolute ? `file:///${path}` : path;
}

function splitMember(file: string): { readonly outer: string; readonly member?: string } {
  const inner = file.indexOf("!/");
  return inner === -1 ? { outer: file } : { outer: file.slice(0, inner), member: file.slice(inner + 2) };
}
