import type { SkillFile } from "./file/skill-file.ts";
import { rankFindings } from "./finding/create-findings.ts";
import type { Finding } from "./finding/finding.ts";
import { filesRunAs } from "./read/run-as.ts";
import { isDeclaredHook } from "./rule/agent-control.ts";
import { DEFAULT_SCAN_LIMITS } from "./scan-limits.ts";
import type { ScanReport } from "./scan-report.ts";
import { decideVerdict } from "./verdict/decide-verdict.ts";

type Scan = (files: readonly SkillFile[]) => Promise<ScanReport>;

/**
 * Scans a plugin: the skills in its folders each by itself, and the files beside them.
 *
 * Read as one skill, the words of one would be held against the description of another, and a bundle would be blocked for
 * its size. The scan of the whole still finds an attack whose halves lie in two skills.
 */
export async function scanBundle(
  files: readonly SkillFile[],
  folders: readonly string[],
  scan: Scan,
): Promise<ScanReport> {
  const whole = await scan(files);
  const reports = folders.includes("") ? [whole] : await scanParts(files, folders, scan);
  // A report that was cut short does not tell what else there is.
  if ([whole, ...reports].some((report) => report.findings.length >= DEFAULT_SCAN_LIMITS.maxFindings))
    return whole;
  const dismissed = new Set(whole.suppressed.map(({ finding }) => placeOf(finding)));
  const inParts = reports.flatMap((part) => part.findings).filter((one) => !dismissed.has(placeOf(one)));
  const known = new Set(inParts.map(placeOf));
  // A specimen in one skill may be run by another.
  const runAs = new Set(filesRunAs(files).map(({ file }) => file.path));
  const acrossParts = whole.findings.filter(
    (one) => one.severity === "critical" && (runAs.has(one.file) || !known.has(placeOf(one))),
  );
  const findings = rankFindings([...acrossParts, ...inParts].map(lowerHook));
  const coverage = reports.flatMap((report) => report.coverage);
  return { ...whole, findings, coverage, verdict: decideVerdict(findings, coverage) };
}

async function scanParts(
  files: readonly SkillFile[],
  folders: readonly string[],
  scan: Scan,
): Promise<readonly ScanReport[]> {
  // A skill inside of another one belongs to it: the outer one may run all that it holds.
  const prefixes = folders.map((folder) => `${folder}/`).sort((left, right) => left.length - right.length);
  const parts = new Map<string, SkillFile[]>();
  for (const file of files) {
    const prefix = prefixes.find((one) => file.path.startsWith(one)) ?? "";
    const part = parts.get(prefix) ?? [];
    parts.set(prefix, part);
    part.push({ ...file, path: file.path.slice(prefix.length) });
  }
  const reports: ScanReport[] = [];
  for (const [prefix, part] of parts) {
    const within = <Place extends { readonly file: string }>(place: Place): Place => ({
      ...place,
      file: `${prefix}${place.file}`,
    });
    const report = await scan(part);
    const findings = report.findings.map((one) =>
      within(one.related === undefined ? one : { ...one, related: one.related.map(within) }),
    );
    reports.push({ ...report, findings, coverage: report.coverage.map(within) });
  }
  return reports;
}

function placeOf({ rule, file, line }: Finding): string {
  return `${rule} ${line} ${file}`;
}

// A hook for the user's own agent, as in `.claude/settings.json`, is not one of the plugin's, which stay off.
function lowerHook(finding: Finding): Finding {
  const isOwn = /^(?:[^.]|\.[a-z]+-plugin\/)/.test(finding.file);
  if (finding.severity !== "warn" || !isOwn || !isDeclaredHook(finding)) return finding;
  return { ...finding, severity: "info", demoted: "a plugin's hooks are off until you allow them" };
}
