import type { DataSource } from "../fact/data-source.ts";
import type { FlowFact } from "../fact/fact.ts";
import type { FindingSeverity, RuleHit } from "../finding/finding.ts";
import type { Rule } from "../finding/rule.ts";
import { hostOf } from "../host/classify-host.ts";
import { judgeDecoded, judgeDownload } from "./judge-download.ts";

export const EX1: Rule = {
  id: "EX1",
  title: "Downloads something and runs it",
  category: "execution",
  severity: "critical",
  explanation:
    "Whatever the other side sends is run on this machine: `curl … | sh`, a file that is fetched, made executable and started, or an answer of a server that is handed to an interpreter. The text can change after anybody looked at it, and be another one for every caller.",
  remedy:
    "Install from a package registry, or fetch a release over https from the project's own host, check its digest, and let the user start it.",
  owasp: ["AST02", "ASI04", "ASI05"],
  find: (book, profile) =>
    onceALine(
      book.of("flow").flatMap((flow) => {
        const { sink } = flow;
        if (sink.type !== "execute" || sink.how === "deserialise") return [];
        return flow.sources.flatMap((source): RuleHit[] => {
          if (source.type !== "network" || isSocket(source.url)) return [];
          const { severity, reason, demoted } = judgeDownload(flow, source, profile);
          const from = hostOf(source.host ?? source.url ?? "") ?? "an address that is not known";
          const message = `What ${from === "*" ? "an address that is not known" : from} sends is run by ${sink.by}${reason}`;
          return [{ severity, place: flow, message, ...(demoted === undefined ? {} : { demoted }) }];
        });
      }),
    ),
};

export const EX2: Rule = {
  id: "EX2",
  title: "Decodes something and runs it",
  category: "execution",
  severity: "critical",
  explanation:
    "Commands are written in an encoding that people cannot read (base64, hexadecimal, compressed, reversed, as escapes) and decoded straight into an interpreter. There is no honest reason to hide a command from whoever runs it.",
  remedy: "Write the commands out, or keep the data in a file that is not run.",
  owasp: ["AST01", "ASI05"],
  find: (book, profile) =>
    onceALine(
      book.of("flow").flatMap((flow) => {
        const { sink } = flow;
        if (sink.type !== "execute" || sink.how === "deserialise") return [];
        const decoded = flow.sources.filter((source) => source.type === "decoded");
        if (decoded.length === 0) return [];
        const judgement = judgeDecoded(flow, decoded, profile);
        const encodings = [...new Set(decoded.map(({ encoding }) => encoding))].join(", ");
        const message = `Text in ${encodings} is decoded and run by ${sink.by}${contentOf(decoded)}`;
        return [{ ...judgement, place: flow, message }];
      }),
    ),
};

function isSocket(url: string | undefined): boolean {
  return /^(?:tcp|udp|ssl):/.test(url ?? "");
}

function contentOf(decoded: readonly Extract<DataSource, { type: "decoded" }>[]): string {
  const text = decoded.findLast((source) => source.text !== undefined)?.text?.trim();
  return text === undefined || text === "" ? "" : `: ${text.slice(0, 120)}`;
}

// `chmod +x` and the start of the same file are one download.
function onceALine(hits: readonly RuleHit[]): readonly RuleHit[] {
  const best = new Map<string, RuleHit>();
  for (const hit of hits) {
    const key = `${hit.place.file}\0${hit.place.line}\0${hit.place.stance}\0${sourceKey(hit)}`;
    const before = best.get(key);
    if (before === undefined || RANK[hit.severity] > RANK[before.severity]) best.set(key, hit);
  }
  return [...best.values()];
}

function sourceKey({ place }: RuleHit): string {
  const flow = place as FlowFact;
  return flow.sources
    .map((source) => (source.type === "network" ? (source.url ?? "") : source.type))
    .join(" ");
}

const RANK: Readonly<Record<FindingSeverity, number>> = { info: 0, warn: 1, critical: 2 };
