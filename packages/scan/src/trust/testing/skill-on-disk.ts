import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSkills, type Skills } from "@skillet/core";
import { onTestFinished } from "vitest";
import type { SkillFile } from "../../file/file-kind.ts";
import type { ScanReport, Verdict } from "../../scan-report.ts";
import { createVetter } from "../create-vetter.ts";
import type { FileScan, Vetter, VetterOptions } from "../vetter.ts";

/** A folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "skillet-scan-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A scan that takes each file's own text as its verdict, and records its calls. */
export class PlainScan implements FileScan {
  readonly ruleSet: string;
  readonly bounds = { maxFileBytes: 1_000, maxTotalBytes: 10_000 };
  readonly seen: (readonly string[])[] = [];

  constructor(ruleSet = "test-rules") {
    this.ruleSet = ruleSet;
  }

  async run(files: readonly SkillFile[]): Promise<ScanReport> {
    this.seen.push(files.map(({ path }) => path));
    const text = files.map(({ bytes }) => Buffer.from(bytes).toString("utf8")).join("\n");
    if (text.includes("CRASH")) throw new Error("the parser gave up");
    const isUnread = files.some(({ unread }) => unread !== undefined);
    const verdict: Verdict = text.includes("ATTACK")
      ? "dangerous"
      : text.includes("ODD") || isUnread
        ? "caution"
        : "safe";
    return report(verdict, this.ruleSet, /\bRULE (\w+)/.exec(text)?.[1]);
  }
}

/** A report with one finding, unless it is safe. */
export function report(verdict: Verdict, ruleSet: string, rule = "EX1"): ScanReport {
  return {
    verdict,
    findings:
      verdict === "safe"
        ? []
        : [
            {
              rule,
              category: "execution",
              severity: verdict === "dangerous" ? "critical" : "warn",
              file: "SKILL.md",
              line: 6,
              message: "Something was found.",
              evidence: "secret evidence",
              chain: [],
              remedy: "Remove it.",
              owasp: [],
              fingerprint: "f",
            },
          ],
    suppressed: [],
    capabilities: {
      network: [],
      commands: [],
      paths: [],
      secrets: [],
      persistence: [],
      agentConfig: [],
      packages: [],
      remoteInstructions: [],
    },
    coverage: [],
    ruleSet,
  };
}

/** A registry over a folder of skills, with a vetter and a home of its own. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly scan: PlainScan;
  vetter(options?: Partial<VetterOptions>): Vetter;
  open(vetter?: Vetter): Promise<Skills>;
}

/** Makes a place; its clock is an hour ahead, so that files just written count as settled. */
export function createPlace(): Place {
  const folder = temporaryFolder();
  const place = { root: join(folder, "skills"), home: join(folder, "home"), scan: new PlainScan() };
  const vetter = (options: Partial<VetterOptions> = {}): Vetter =>
    createVetter({
      home: place.home,
      cacheDirectory: join(place.home, "cache"),
      clock: () => Date.now() + 3_600_000,
      scan: place.scan,
      ...options,
    });
  return {
    ...place,
    vetter,
    open: (given = vetter()) =>
      openSkills({
        workspace: folder,
        roots: [place.root],
        home: place.home,
        userHome: folder,
        environment: { PATH: "/usr/bin:/bin" },
        organisationDirectory: join(folder, "organisation"),
        bundledDirectory: false,
        cacheDirectory: false,
        vetter: given,
      }),
  };
}

/** Sets a file's modification time, as an attacker would to hide a change. */
export function setTime(file: string, seconds: number): void {
  utimesSync(file, seconds, seconds);
}
