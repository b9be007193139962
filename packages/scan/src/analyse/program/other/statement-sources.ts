import type { DataSource } from "../../../fact/data-source.ts";
import { hostOf } from "../../../host/classify-host.ts";
import { classifyPath } from "../../../secret/classify-path.ts";
import { classifyVariable } from "../../../secret/classify-variable.ts";
import { CONNECTS, DECODES, ENVIRONMENT, FETCHES, READS, RUNS, UNPACKS, VARIABLE } from "./other-signs.ts";
import type { OtherStatement } from "./split-statements.ts";

/** Where the data of one statement comes from; `texts` are its strings and those of the names in it. */
export function sourcesOf(
  statement: OtherStatement,
  texts: readonly string[],
  url: string | undefined,
): readonly DataSource[] {
  const { code } = statement;
  const sources: DataSource[] = [];
  if (CONNECTS.test(code)) {
    const host = connectedHost(texts) ?? "*";
    sources.push({ type: "network", url: `tcp:${host}`, host });
  } else if (FETCHES.test(code) && (url !== undefined || CERTAIN.test(code)))
    sources.push({ type: "network", url: url ?? "*", host: hostOf(url ?? "") ?? "*" });
  sources.push(...capturedSources(statement), ...secretFiles(code, texts));
  if (ENVIRONMENT.test(code))
    sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
  sources.push(...variables(statement));
  const decoder = DECODES.exec(code);
  const isUnpacked = statement.literals.some((text) => /^(?:[hH]\*|m0?|u\*?)$/.test(text));
  const encoding = decoder?.[1] ?? (isUnpacked ? UNPACKS.exec(code)?.[1] : undefined);
  if (encoding !== undefined) sources.push({ type: "decoded", encoding });
  return sources;
}

/** The first address among texts. */
export function urlIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const url = /(?:https?|ftp):\/\/[^\s"'`)<>|]{1,400}/.exec(text)?.[0];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** Asks somebody, wherever that is. */
const CERTAIN = /\b(?:Net::HTTP\.(?:get|post)|URI\.open|http\.Get|DownloadString|curl_exec)\b/;

/** The host among the arguments of what opens a connection. */
export function connectedHost(texts: readonly string[]): string | undefined {
  const address = texts.find((text) =>
    /^(?:tcp:\/\/)?(?:[\w-]{1,63}\.){1,8}[\w-]{1,63}(?::\d{1,5})?$/.test(text),
  );
  return address === undefined ? undefined : hostOf(`tcp://${address.replace(/^tcp:\/\//, "")}`);
}

/** What a command gives out: the page that `curl` fetches, the file that `cat` shows. */
function capturedSources({ code, literals, commands }: OtherStatement): readonly DataSource[] {
  if (commands.length === 0 && !CAPTURES.test(code)) return [];
  const sources: DataSource[] = [];
  for (const command of [...commands, ...literals]) {
    const url = /\b(?:curl|wget|fetch|http|irm|iwr)\b[^|]{0,300}?(https?:\/\/[^\s"'`|]{1,400})/.exec(
      command,
    )?.[1];
    if (url !== undefined) sources.push({ type: "network", url, host: hostOf(url) ?? "*" });
    if (/^\s{0,4}(?:env|printenv|set)\s{0,4}$/.test(command))
      sources.push({ type: "secret", secret: "whole-environment", name: "environment" });
    if (RUNS.test(code) && /^\s{0,4}(?:cat|type|head|tail|tar|base64|zip|less)\b/.test(command))
      sources.push(...command.split(/\s+/).slice(0, 40).flatMap(secretAt));
  }
  return sources;
}

const CAPTURES =
  /\b(?:popen\w{0,3}|shell_exec|capture\w{0,4}|check_output|Output|CombinedOutput|output|getRuntime|pipe|system2?)\b|%x|\bqx/;

function secretFiles(code: string, texts: readonly string[]): readonly DataSource[] {
  if (!READS.test(code)) return [];
  const single = texts.flatMap(secretAt);
  // Paths are joined from their parts: `Join(home, ".ssh", "id_ed25519")`.
  return single.length > 0 || texts.length < 2 ? single : secretAt(texts.slice(0, 8).join("/"));
}

function secretAt(text: string): readonly DataSource[] {
  if (/^\w+:\/\//.test(text) || /\s/.test(text.trim())) return [];
  const secret = classifyPath(text);
  return secret === undefined ? [] : [{ type: "secret", secret, name: text }];
}

function variables({ code, literals }: OtherStatement): readonly DataSource[] {
  const names = VARIABLE.test(code) ? literals.filter((text) => /^[A-Za-z]\w{2,80}$/.test(text)) : [];
  const bare = Array.from(code.matchAll(/\bENV\{(\w{1,80})\}/g), ([, name = ""]) => name);
  return [...names, ...bare].flatMap((name): readonly DataSource[] => {
    const secret = classifyVariable(name);
    return secret === undefined ? [] : [{ type: "secret", secret, name }];
  });
}
