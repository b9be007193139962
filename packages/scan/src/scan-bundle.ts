import type { SkillFile } from "./file/file-kind.ts";
import { rankFindings } from "./finding/create-findings.ts";
import type { Finding } from "./finding/finding.ts";
import { createFixtureTest, namingText } from "./read/fixture-files.ts";
import type { BundleContext } from "./read/read-files.ts";
import { filesRunAs } from "./read/run-as.ts";
import { isDeclaredHook } from "./rule/agent-control.ts";
import type { ScanReport } from "./scan-report.ts";
import { decideVerdict } from "./verdict/decide-verdict.ts";
import { addTo } from "./word-list.ts";

export type Scan = (files: readonly SkillFile[], bundle?: BundleContext) => Promise<ScanReport>;

/**
 * Scans a plugin: each of its skills separately, and the files beside them. Read as one skill, the words of
 * one would be compared with the description of another, and a plugin would be blocked for its size. A scan
 * of the whole still finds an attack split between two skills.
 */
export async function scanBundle(
  files: readonly SkillFile[],
  folders: readonly string[],
  maxFindings: number,
  scan: Scan,
): Promise<ScanReport> {
  const whole = await scan(files);
  // Such a plugin is one skill, and is judged as it will be in a session.
  if (folders.includes("")) return whole;
  const reports = await scanParts(files, folders, scan);
  // A truncated report does not say what else there is.
  if ([whole, ...reports].some((report) => report.findings.length >= maxFindings)) return whole;
  const dismissed = new Set(whole.suppressed.map(({ finding }) => placeOf(finding)));
  const inParts = reports.flatMap((part) => part.findings).filter((one) => !dismissed.has(placeOf(one)));
  const known = new Set(inParts.map(placeOf));
  // A specimen in one skill may be run by another.
  const runAs = new Set(filesRunAs(files).map(({ file }) => file.path));
  const acrossParts = whole.findings.filter(
    (one) =>
      // Signs from several skills must not be added up.
      one.rule !== "CX3" &&
      ((one.severity !== "info" && runAs.has(one.file)) ||
        (one.severity === "critical" && !known.has(placeOf(one)))),
  );
  const across = new Set(acrossParts.map(placeOf));
  const others = inParts.filter((one) => !across.has(placeOf(one)));
  const findings = rankFindings([...acrossParts, ...others].map(lowerHook));
  const coverage = reports.flatMap((report) => report.coverage);
  return { ...whole, findings, coverage, verdict: decideVerdict(findings, coverage) };
}

async function scanParts(
  files: readonly SkillFile[],
  folders: readonly string[],
  scan: Scan,
): Promise<readonly ScanReport[]> {
  // A skill inside another belongs to it: the outer one may run everything in it.
  const prefixes = folders.map((folder) => `${folder}/`).sort((left, right) => left.length - right.length);
  const parts = new Map<string, SkillFile[]>();
  for (const file of files) {
    const prefix = prefixes.find((one) => file.path.startsWith(one)) ?? "";
    addTo(parts, prefix, { ...file, path: file.path.slice(prefix.length) });
  }
  // A file that one skill does not load may be loaded by another.
  const isFixture = createFixtureTest([...parts.values()].flat());
  const used = new Map(
    [...parts].map(([prefix, part]) => [prefix, new Set(namingText(part).toLowerCase().match(USED_FOLDER))]),
  );
  const reports: ScanReport[] = [];
  for (const [prefix, part] of parts) {
    const within = <Place extends { readonly file: string }>(place: Place): Place => ({
      ...place,
      file: `${prefix}${place.file}`,
    });
    const folder = prefix.split("/").at(-2)?.toLowerCase() ?? "";
    const isUsedByOthers = [...used].some(([other, names]) => other !== prefix && names.has(folder));
    const report = await scan(part, { isFixture, isUsedByOthers });
    const findings = report.findings.map((one) =>
      within(one.related === undefined ? one : { ...one, related: one.related.map(within) }),
    );
    reports.push({ ...report, findings, coverage: report.coverage.map(within) });
  }
  return reports;
}

/** A folder that is entered, or from which more than the SKILL.md is named. */
const USED_FOLDER = /(?<=\.\.\/)[\w.-]+|(?<![\w.-])[\w.-]+(?=\/(?!skill\.md)[\w*.])/g;

function placeOf({ rule, file, line }: Finding): string {
  return `${rule} ${line} ${file}`;
}

// A hook for the user's own agent (in `.claude/settings.json`, say) is not a plugin hook, which stays off.
function lowerHook(finding: Finding): Finding {
  const isOwn = !/(?:^|\/)\.(?![a-z]+-plugin\/)/.test(finding.file);
  if (finding.severity !== "warn" || !isOwn || !isDeclaredHook(finding)) return finding;
  return { ...finding, severity: "info", demoted: "a plugin's hooks are off until you allow them" };
}
