import type { FactPlace } from "../fact/fact.ts";
import type { RuleHit } from "../finding/finding.ts";
import type { Rule, SkillProfile } from "../finding/rule.ts";
import { classifyHost } from "../host/classify-host.ts";
import { isDocument, isTeaching, lowerShown } from "./is-teaching.ts";

export const EX3: Rule = {
  id: "EX3",
  title: "Gives a shell to somebody elsewhere",
  category: "execution",
  severity: "critical",
  explanation:
    "A shell's input and output are bound to a network connection, so that whoever is at the other end types commands on this machine. A connection that is only opened to see whether a port answers is not reported.",
  remedy: "Remove it. For remote administration use ssh, which asks who is there.",
  owasp: ["AST01", "ASI05"],
  find: (book, profile) => {
    const hits: RuleHit[] = [];
    for (const fact of book.of("act"))
      if (fact.act.type === "remote-shell")
        hits.push(
          judge(
            fact,
            fact.act.host,
            `A shell is bound to ${shown(fact.act.host)} (${fact.act.how})`,
            profile,
          ),
        );
    for (const flow of book.of("flow")) {
      if (flow.sink.type !== "execute") continue;
      for (const source of flow.sources)
        if (source.type === "network" && /^(?:tcp|udp|ssl):/.test(source.url ?? ""))
          hits.push(
            judge(
              flow,
              source.host ?? "*",
              `What a connection to ${shown(source.host)} says is run`,
              profile,
            ),
          );
    }
    return onceALine(hits);
  },
};

function shown(host: string | undefined): string {
  return host === undefined || host === "*" ? "an address that is not known" : host;
}

function judge(place: FactPlace, host: string, message: string, profile: SkillProfile): RuleHit {
  if (isTeaching(place, host, profile))
    return {
      severity: "info",
      place,
      message,
      demoted: "a skill about attacks shows it without a real address",
    };
  // Without an address a document shows a shape, not a connection; a port that is opened here needs no address.
  const isShape = isDocument(place) && place.chain.length === 0 && host === "*";
  if (isShape) return { severity: "warn", place, message };
  const hit: RuleHit = { severity: "critical", place, message };
  // Nobody elsewhere is behind an address of one's own network.
  return NEAR_HOSTS.has(classifyHost(host)) ? lowerShown(hit, place) : hit;
}

const NEAR_HOSTS: ReadonlySet<string> = new Set(["private", "loopback", "placeholder"]);

function onceALine(hits: readonly RuleHit[]): readonly RuleHit[] {
  const seen = new Set<string>();
  return hits.filter(({ place }) => {
    const key = `${place.file}\0${place.line}\0${place.stance}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
