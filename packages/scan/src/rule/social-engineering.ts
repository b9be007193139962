import type { ActFact, FactBook, LinkFact } from "../fact/fact.ts";
import type { Rule, RuleHit, SkillProfile } from "../finding/finding.ts";
import { classifyHost, hostOf, registeredDomain } from "../host/classify-host.ts";
import { isKnownInstaller } from "../host/is-known-installer.ts";
import { around, readStatements, type Statement } from "../prose/statements.ts";
import { squeeze } from "../word-list.ts";
import { lowerShown } from "./is-teaching.ts";
import { isThrowaway } from "./judge-destination.ts";
import { rule } from "./rule-texts.ts";

export const SE1: Rule = rule("SE1", (facts, profile) => {
  const statements = readStatements(facts);
  const makers = new KnownMakers(facts, profile);
  return statements.flatMap((statement, index) => {
    if (statement.links.length === 0) return [];
    const nearby = lureWindow(statements, index);
    return statement.links.flatMap((link) => {
      const lure = judgeLure(link, nearby, makers);
      const place = { ...link, snippet: `${statement.clause.snippet} ${link.url}` };
      return lure === undefined ? [] : [lowerShown({ ...lure, place }, statement.clause)];
    });
  });
});

const WINDOW = { before: 3, after: 2 };

/** The clauses that a reader connects with a link: headings above count, the next section does not. */
function lureWindow(statements: readonly Statement[], index: number): readonly Statement[] {
  const own = statements[index];
  return around(statements, index, WINDOW).filter(
    ({ clause }) => own !== undefined && Math.abs(clause.line - own.clause.line) <= MAX_LINES,
  );
}

const MAX_LINES = 12;

type Lure = Pick<RuleHit, "severity" | "message">;

// A lure names a tool that the skill never uses and links to a page that does not identify its maker. An
// honest prerequisite links to the maker, a code host or a registry, and the skill's commands use it.
function judgeLure(link: LinkFact, nearby: readonly Statement[], makers: KnownMakers): Lure | undefined {
  if (!/^https?:\/\/[^/]*\w\.\w/i.test(link.url) || isKnownInstaller(link.url)) return undefined;
  if (
    MAKERS_PAGE.test(link.url) ||
    nearby.some(({ clause }) => clause.line === link.line && DEFENSIVE.test(clause.text))
  )
    return undefined;
  const isNeeded = nearby.some(({ frames }) => frames.has("needed"));
  const isFetched = nearby.some(({ frames }) => frames.has("fetched"));
  if (!isNeeded || !isFetched) return undefined;
  const kind = classifyHost(link.url);
  const host = hostOf(link.url) ?? "";
  if (isThrowaway(link.url)) return lure("critical", `comes from ${host}, where anybody can put anything`);
  const isFile = DOWNLOAD.test(link.url);
  if (!isFile && !nearby.some(({ marks }) => marks.has("download"))) return undefined;
  if (kind === "free-hosting") return lure("critical", `comes from a free page, ${host}`);
  if (kind === "code-host") return isFile ? judgeRelease(link.url, makers) : undefined;
  if (kind !== "unrelated" || makers.hasHost(host)) return undefined;
  const what = `${isFile ? "is a file" : "comes"} from ${host}, which nothing in the skill has to do with`;
  return lure(isFile ? "critical" : "warn", what);
}

function lure(severity: RuleHit["severity"], what: string): Lure {
  return { severity, message: `What is said to be needed first ${what}` };
}

/** A release of a project that the skill neither names nor uses; it runs only if the reader starts it by hand. */
function judgeRelease(url: string, makers: KnownMakers): Lure | undefined {
  const [, owner = "", project = ""] = /^https?:\/\/[^/]+\/([^/]+)\/([^/?#]+)/i.exec(url) ?? [];
  if (makers.hasName(owner) || makers.hasName(project)) return undefined;
  return lure("critical", `is a file of ${owner}/${project}, which nothing in the skill uses`);
}

/** A well-known maker's pages on a free host, under a name that only the maker owns. */
const MAKERS_PAGE =
  /^https:\/\/(?:google|googlechrome|microsoft|azure|aws|awslabs|apple|facebook|meta|openai|anthropics|github|cli|nvidia|intel|ibm|redhat|mozilla|kubernetes(?:-sigs)?|rust-lang|python|nodejs|angular|vuejs|pytorch|tensorflow|huggingface|pandoc|jqlang|protocolbuffers|grpc|w3c|whatwg|swagger-api|helm|hashicorp|elastic|grafana|prometheus|rustwasm|llvm|ocaml|docker|apache|eclipse|spring-projects)\.github\.io\//i;
// A list of suspicious places names them as such.
const DEFENSIVE =
  /\b(?:block(?:ed|list)?|denylist|suspicious|malicious|red flags?|indicators?|untrusted|flag(?:ged)?|never (?:download|run|install|trust)|do not (?:download|run|install|trust)|watch out)\b/;

const DOWNLOAD =
  /\.(?:zip|rar|7z|exe|msi|dmg|pkg|scr|bat|cmd|ps1|vbs|iso|apk|jar|deb|rpm|appimage|tar\.gz|tgz|sh)(?:[?#]|$)/i;

/** Headings and version checks do not make a tool known: a lure brings both with it. */
class KnownMakers {
  readonly #declared: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;
  readonly #answers = new Map<string, boolean>();

  constructor(facts: FactBook, { name, description, declaredHosts }: SkillProfile) {
    this.#declared = declaredHosts;
    const words = `${name} ${description}`.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const programs = facts.of("act").flatMap(usedProgram);
    this.#names = new Set([squeeze(name), ...words, ...programs]);
  }

  hasHost(host: string): boolean {
    const domain = registeredDomain(host);
    if (this.#declared.has(host) || this.#declared.has(domain)) return true;
    return this.hasName(domain.split(".")[0] ?? "");
  }

  hasName(name: string): boolean {
    const label = squeeze(name);
    let answer = this.#answers.get(label);
    if (answer === undefined) {
      // Every name is compared with every label, so the number of labels is bounded.
      answer = this.#answers.size < MAX_LABELS && this.#isKnown(label);
      this.#answers.set(label, answer);
    }
    return answer;
  }

  #isKnown(label: string): boolean {
    if (this.#names.has(label)) return true;
    for (const name of this.#names) if (isPartOf(name, label) || isPartOf(label, name)) return true;
    return false;
  }
}

const MAX_LABELS = 100;
const MIN_CHARACTERS = 4;

function usedProgram({ act }: ActFact): readonly string[] {
  if (act.type !== "run" || act.arguments.every((argument) => VERSION.test(argument))) return [];
  return [squeeze(act.program)];
}

const VERSION = /^(?:-{1,2}(?:version|v|help|h)|version|help)$/i;

/** Whether one name begins or ends the other and is at least half of it: not `open` and `openhelpercli`. */
function isPartOf(part: string, whole: string): boolean {
  return (
    part.length >= MIN_CHARACTERS &&
    part.length * 2 >= whole.length &&
    (whole.startsWith(part) || whole.endsWith(part))
  );
}
