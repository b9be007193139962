import type { LinkFact } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import { classifyHost, hostOf } from "../host/classify-host.ts";
import { isKnownInstaller } from "../host/is-known-installer.ts";
import type { KnownMakers } from "./known-makers.ts";
import type { Statement } from "./statements.ts";
import { isThrowaway } from "./throwaway.ts";

/**
 * A lure names a tool that the skill never uses and leads to a place that tells nothing about its maker; an honest
 * prerequisite leads to the maker, a code host or a registry, and the skill's commands use it.
 */
export function judgeLure({
  link,
  nearby,
  makers,
}: {
  readonly link: LinkFact;
  readonly nearby: readonly Statement[];
  readonly makers: KnownMakers;
}): Pick<RuleHit, "severity" | "message"> | undefined {
  if (!/^https?:\/\/[^/]*\w\.\w/i.test(link.url) || isKnownInstaller(link.url)) return undefined;
  if (
    isMakersPage(link.url) ||
    nearby.some(({ clause }) => clause.line === link.line && DEFENSIVE.test(clause.text))
  )
    return undefined;
  const isNeeded = nearby.some(({ frames }) => frames.has("needed"));
  const isFetched = nearby.some(({ frames }) => frames.has("fetched"));
  if (!isNeeded || !isFetched) return undefined;
  const kind = classifyHost(link.url);
  const host = hostOf(link.url) ?? "";
  if (isThrowaway(link.url))
    return {
      severity: "critical",
      message: `What is said to be needed first comes from ${host}, where anybody can put anything`,
    };
  const isDownload = nearby.some(({ marks }) => marks.has("download"));
  const isFile = DOWNLOAD.test(link.url);
  if (!isDownload && !isFile) return undefined;
  if (kind === "free-hosting")
    return {
      severity: "critical",
      message: `What is said to be needed first comes from a free page, ${host}`,
    };
  if (kind === "code-host") return isFile ? judgeRelease(link.url, makers) : undefined;
  if (kind !== "unrelated" || makers.hasHost(host)) return undefined;
  return isFile
    ? {
        severity: "critical",
        message: `What is said to be needed first is a file from ${host}, which nothing in the skill has to do with`,
      }
    : {
        severity: "warn",
        message: `What is said to be needed first comes from ${host}, which nothing in the skill has to do with`,
      };
}

/** A release of a project that the skill neither names nor uses: what runs is only what the reader starts by hand. */
function judgeRelease(url: string, makers: KnownMakers): Pick<RuleHit, "severity" | "message"> | undefined {
  const [, owner = "", project = ""] = /^https?:\/\/[^/]+\/([^/]+)\/([^/?#]+)/i.exec(url) ?? [];
  if (makers.hasName(owner) || makers.hasName(project)) return undefined;
  return {
    severity: "critical",
    message: `What is said to be needed first is a file of ${owner}/${project}, which nothing in the skill uses`,
  };
}

/** Pages that a well-known maker keeps under its own name on a free host: the name is the owner's, nobody else can take it. */
function isMakersPage(url: string): boolean {
  return MAKERS_PAGE.test(url);
}

const MAKERS_PAGE =
  /^https:\/\/(?:google|googlechrome|microsoft|azure|aws|awslabs|apple|facebook|meta|openai|anthropics|github|cli|nvidia|intel|ibm|redhat|mozilla|kubernetes(?:-sigs)?|rust-lang|python|nodejs|angular|vuejs|pytorch|tensorflow|huggingface|pandoc|jqlang|protocolbuffers|grpc|w3c|whatwg|swagger-api|helm|hashicorp|elastic|grafana|prometheus|rustwasm|llvm|ocaml|docker|apache|eclipse|spring-projects)\.github\.io\//i;
// A list of places to look out for names them as such.
const DEFENSIVE =
  /\b(?:block(?:ed|list)?|denylist|suspicious|malicious|red flags?|indicators?|untrusted|flag(?:ged)?|never (?:download|run|install|trust)|do not (?:download|run|install|trust)|watch out)\b/;

const DOWNLOAD =
  /\.(?:zip|rar|7z|exe|msi|dmg|pkg|scr|bat|cmd|ps1|vbs|iso|apk|jar|deb|rpm|appimage|tar\.gz|tgz|sh)(?:[?#]|$)/i;
