import type { ActFact, ActOf, FactBook } from "../fact/fact.ts";
import { hitAt, type Rule, type RuleHit, type SkillProfile } from "../finding/finding.ts";
import { isNearHost } from "../host/classify-host.ts";
import { wordLists, wordSet } from "../word-list.ts";
import { EX1, EX2, EX3 } from "./execution.ts";
import { DX1 } from "./exfiltration.ts";
import { declares, isDocument } from "./is-teaching.ts";
import { isNamedExample } from "./judge-destination.ts";
import { PE1 } from "./persistence.ts";
import { ACCESS_WORK } from "./privilege.ts";
import { rule } from "./rule-texts.ts";

type Protection = ActOf<"disable-protection">;

export const PR2: Rule = rule("PR2", (book, profile) => {
  const isAttack = once(() => finds(book, profile, [EX1, EX2, EX3, DX1], "critical"));
  const prepares = once(() => finds(book, profile, [EX1, PE1], "warn"));
  const facts = book.acts("disable-protection");
  const off = facts.filter(({ stance, isFixture }) => stance === "live" && !isFixture);
  // No legitimate task needs several of a machine's protections off.
  const guards = new Set(off.map(({ act }) => act.what).filter((what) => MACHINE.has(what)));
  const isStripped = guards.size >= 3 && !profile.isSecurityTool;
  return facts
    .flatMap((fact) => judge(fact, { book, profile, isAttack, prepares }))
    .map((hit) =>
      isStripped && hit.severity === "warn"
        ? { ...hit, severity: "critical" as const, message: `${hit.message}, as are other guards` }
        : hit,
    );
});

const MACHINE: ReadonlySet<string> = wordSet("gatekeeper antivirus firewall sandbox logging approval");

interface Context {
  readonly book: FactBook;
  readonly profile: SkillProfile;
  /** Whether the same skill runs a stranger's code, or sends secrets to a stranger. */
  readonly isAttack: () => boolean;
  /** Whether it runs an untrusted download, or makes something start by itself. */
  readonly prepares: () => boolean;
}

function once(answer: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => (known ??= answer());
}

function finds(
  book: FactBook,
  profile: SkillProfile,
  rules: readonly Rule[],
  least: "warn" | "critical",
): boolean {
  return rules.some((rule) =>
    rule
      .find(book, profile)
      .some(
        ({ severity, place }) =>
          (severity === "critical" || severity === least) && place.stance === "live" && !place.isFixture,
      ),
  );
}

function judge(place: Protection, context: Context): RuleHit[] {
  const { act } = place;
  const { book, profile, isAttack } = context;
  const message = `${MESSAGES[act.what]}: ${act.detail}`;
  const info = (demoted: string): RuleHit[] => [hitAt(place, "info", message, demoted)];
  switch (act.what) {
    case "certificate-check":
      return judgeUnchecked(place, message);
    case "hooks":
      return [hitAt(place, "info", message)];
    case "approval":
    case "review":
      return judgeApproval(place, message, profile);
    case "gatekeeper":
      if (isAttack())
        return [hitAt(place, "critical", `${message}, and the skill runs what a stranger sends`)];
      if (isDocument(place) && book.acts("fetch").every(({ act }) => isNearHost(act.url)))
        return info("the skill fetches nothing that it would be for");
      return declares(profile, PURPOSES.packaging) !== undefined
        ? info("the skill is about packaging applications")
        : [hitAt(place, "warn", message)];
    default:
      if (profile.isSecurityTool && isDocument(place)) return info("a skill about security shows it");
      if (SPOKEN.has(place.medium) && act.what === "logging" && !RECORDS.test(act.detail))
        return info("the sentence names something else than records");
      if (act.what === "firewall" && declares(profile, PURPOSES.administration) !== undefined)
        return info("the skill is about administration");
      return [hitAt(place, isSecondHalf(place, context) ? "critical" : "warn", message)];
  }
}

function judgeUnchecked(place: Protection, message: string): RuleHit[] {
  const url = /https?:\/\/\S+/.exec(place.act.detail)?.[0];
  if (url !== undefined && isNearHost(url) && !isNamedExample(url)) return [];
  return [hitAt(place, place.medium === "config" && url !== undefined ? "warn" : "info", message)];
}

// A script turns off the machine's protection, unasked, while something is downloaded or made persistent.
function isSecondHalf(place: Protection, { isAttack, prepares }: Context): boolean {
  if (isAttack()) return true;
  const { what } = place.act;
  const isGuard = what === "antivirus" || what === "sandbox" || what === "logging";
  return isGuard && !isDocument(place) && place.stance === "live" && !place.isFixture && prepares();
}

function judgeApproval(place: Protection, message: string, profile: SkillProfile): RuleHit[] {
  // Windows runs no script at all without it.
  if (/executionpolicy/i.test(place.act.detail)) return [hitAt(place, "info", message)];
  const word = declares(profile, place.act.what === "review" ? ACCESS_WORK : PURPOSES.agents);
  if (word !== undefined) return [hitAt(place, "info", message, `the skill says that it is about ${word}`)];
  return [hitAt(place, "warn", message)];
}

const SPOKEN: ReadonlySet<ActFact["medium"]> = new Set(["prose", "list", "table", "quote", "heading"]);
// `Disable 2FA` and `stop the daemon` are everyday advice.
const RECORDS =
  /\b(?:logs?|logging|logger|audit\w{0,8}|histor\w{1,5}|alerts?|edr|siem|journal|syslog)\b|日志|审计/i;

const MESSAGES: Readonly<Record<Protection["act"]["what"], string>> = {
  gatekeeper: "macOS no longer checks a download",
  antivirus: "The virus scanner is switched off",
  firewall: "The firewall is opened",
  "certificate-check": "Certificates are not checked",
  approval: "Nobody is asked any more",
  sandbox: "The system's own confinement is switched off",
  hooks: "Checks before a commit are skipped",
  history: "What is typed is not recorded",
  logging: "Logs are switched off or removed",
  review: "A check on changes to a repository is changed or removed",
};

const PURPOSES = wordLists<"packaging" | "administration" | "agents">(`
  packaging packaging notarize notarization notarized codesign signing spm xcode electron tauri dmg gatekeeper bundle
  administration firewall ufw iptables network networking server vps devops linux kubernetes administration
  agents claude codex gemini agent agents subagent subagents headless orchestrate orchestration orchestrator autonomous yolo
      opencode copilot cursor ralph
`);
