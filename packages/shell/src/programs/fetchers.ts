import type { Call, Program, Shell } from "../model/call.ts";
import { type Destination, type Effect, hostOf, type Source } from "../model/effect.ts";
import { nameOf } from "../model/files.ts";
import { EMPTY, known, tellingSources, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { type Column, words } from "../table/program-row.ts";
import { Options, splitArguments } from "../table/split-options.ts";

/** The options of a program that fetches URLs; each field lists options with their dashes. */
interface Fetcher {
  /** All options that take a value. */
  readonly valued: string;
  /** Their values are sent; a value of `data` or `forms` may name a file, a value of `files` does. */
  readonly data?: string;
  readonly bodies?: string;
  readonly forms?: string;
  readonly files?: string;
  readonly outputs: string;
  /** Each URL has its own output, in the same order. */
  readonly hasOutputEach?: true;
  /** With one of them, or always, the result is saved to a file named after the end of the URL. */
  readonly saves?: string | true;
  readonly folder?: string;
  readonly unchecked?: string;
  readonly readsInput?: true;
  readonly config?: string;
  /** Accepts options that send a request to a host other than the URL's. */
  readonly reroutes?: true;
}

const CURL: Fetcher = {
  valued:
    "-o -d -F -H -X -u -A -b -c -e -T -x -m -K -r -w -C -E -P -Q -t -Y -y -z -D --output --data --data-binary --data-raw --data-ascii --data-urlencode --json --form --form-string --header --request --user --user-agent --cookie --cookie-jar --referer --upload-file --proxy --max-time --config --range --write-out --connect-timeout --retry --retry-delay --retry-max-time --url --cacert --cert --key --resolve --interface --output-dir --limit-rate --connect-to --proxy-user --oauth2-bearer --max-redirs --dump-header --ciphers --tlsv1 --unix-socket --preproxy --socks5 --socks5-hostname --max-filesize --speed-limit --speed-time --keepalive-time --doh-url --url-query",
  data: "-d --data --data-binary --data-ascii --data-urlencode --json",
  bodies: "--data-raw --form-string --url-query",
  forms: "-F --form",
  files: "-T --upload-file",
  outputs: "-o --output",
  hasOutputEach: true,
  saves: "-O --remote-name -J",
  unchecked: "-k --insecure",
  config: "-K --config",
  reroutes: true,
};

const WGET: Fetcher = {
  valued:
    "-O -P -U -t -T -i -o -l -w -a -e -A -B -D -I -Q -R -X --output-document --post-data --post-file --body-data --body-file --method --header --user-agent --directory-prefix --tries --timeout --user --password --referer --input-file --wait --level --append-output --output-file --execute --base --quota --limit-rate --waitretry --dns-timeout --connect-timeout --read-timeout --bind-address --load-cookies --save-cookies --ca-certificate --ca-directory --certificate --private-key --accept --reject --domains --exclude-domains --include-directories --exclude-directories --http-user --http-password --default-page --cut-dirs --restrict-file-names --secure-protocol --prefer-family --progress --report-speed",
  bodies: "--post-data --body-data",
  files: "--post-file --body-file",
  outputs: "-O --output-document",
  saves: true,
  folder: "-P --directory-prefix",
  unchecked: "--no-check-certificate",
};

const PRINTING: Fetcher = { valued: "-o -O -d", outputs: "-o" };
const SAVING: Fetcher = { ...PRINTING, valued: "-o -O -d --cookies --download-archive", saves: true };

function fetcher(row: Fetcher): Program {
  const valued = words(row.valued);
  return (call, shell) => {
    const given = new Options(call.words, valued);
    const further = given.all(row.config).flatMap((path) => wordsOfConfig(call.read(path, shell)));
    const options = further.length === 0 ? given : new Options([...call.words, ...further], valued);
    const urls = [...options.operands, ...options.all("--url")].filter(({ text }) => isAddress(text));
    if (options.has(row.unchecked)) {
      const detail = [call.program, row.unchecked?.split(" ")[0], ...urls.map(({ text }) => text)].join(" ");
      shell.effect({ type: "disable-protection", what: "certificate-check", detail: detail.slice(0, 200) });
    }
    const bodies = bodiesOf(row, options, call, shell);
    const method = options.get("-X --request --method")?.text ?? "";
    const sends = bodies.length > 0 || /^(?:POST|PUT|PATCH|DELETE)$/i.test(method);
    const outputs = options.all(row.outputs);
    const plain = row === WGET ? splitArguments(call.words, { valued }).options : [];
    const isProbe = plain.some(({ name }) => name === "--spider");
    let printed: Value = EMPTY;
    for (const [index, url] of urls.entries()) {
      request(url, { sends, telling: [...bodies, ...call.words] }, shell);
      const fetched = fromNetwork(row.reroutes ? routeOf(url, options) : url);
      const output = (row.hasOutputEach ? outputs[index] : undefined) ?? outputs.at(-1);
      const target = isProbe ? known("/dev/null") : (output ?? savedAs(url, row, options));
      printed = deliver(url, fetched, target, shell);
    }
    return printed;
  };
}

function bodiesOf(row: Fetcher, options: Options, call: Call, shell: Shell): readonly Value[] {
  return [
    ...options.all(row.data).map((value) => bodyOf(value, call, shell)),
    ...options.all(row.bodies),
    ...options.all(row.forms).map((value) => formOf(value, call, shell)),
    ...options.all(row.files).map((path) => call.read(path, shell)),
    ...(row.readsInput && call.input !== undefined ? [call.input] : []),
  ];
}

function savedAs(url: Value, { saves, folder }: Fetcher, options: Options): Value | undefined {
  if (saves !== true && !options.has(saves)) return undefined;
  const name = lastPart(url.text);
  const place = options.get(folder);
  return known(place === undefined ? name : `${place.text}/${name}`);
}

/** `@file`, `@-`, or the text itself. */
function bodyOf(value: Value, call: Call, shell: Shell): Value {
  const { text } = value;
  const at = text.indexOf("@");
  if (at === -1 || (at > 0 && !/^[\w-]{1,40}@/.test(text)) || /^[\w.+-]+@[\w-]+\.[\w.]+$/.test(text))
    return value;
  return call.read({ ...value, text: text.slice(at + 1) }, shell);
}

function formOf(value: Value, call: Call, shell: Shell): Value {
  const path = /^[^=]{0,100}=[@<]([^;]{1,1000})/.exec(value.text)?.[1];
  return path === undefined ? value : call.read({ ...value, text: path }, shell);
}

/** `http POST url key=value`. */
const httpie: Program = ({ words, texts, input }, shell) => {
  const method = texts.find((text) => /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(text));
  const url = words.find(({ text }) => isAddress(text));
  if (url === undefined) return UNKNOWN;
  const items = words.filter(({ text }) => text !== url.text && /[=@]/.test(text));
  const bodies = items.map((item) => {
    const path = /[=:]?@(.{1,500})$/.exec(item.text)?.[1];
    return path === undefined ? item : shell.readFile({ ...item, text: path });
  });
  const sends = method === undefined ? items.length > 0 || input !== undefined : method !== "GET";
  request(url, { sends, telling: [...bodies, url, ...(input === undefined ? [] : [input])] }, shell);
  return fromNetwork(url);
};

export function isAddress(text: string): boolean {
  if (
    /^(?:h(?:tt|xx)ps?|s?ftps?|tftp|git|ssh|scp|smtps?|imaps?|ldaps?|mqtt|gopher|dict|telnet|rtsp):\/\//i.test(
      text,
    ) ||
    text === "*"
  )
    return true;
  return (
    /^(?:\*|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|localhost|\[[0-9a-f:]+\])(?::\d{1,5})?(?:[/?]|$)/i.test(text) ||
    /^[\w.-]+@[\w.-]+:/.test(text)
  );
}

export function request(
  url: Value,
  { sends, telling }: { readonly sends: boolean; readonly telling: readonly Value[] },
  shell: Shell,
): void {
  const host = hostOf(url.text) ?? "*";
  if (sends)
    for (const effect of [{ type: "send", url: url.text, host } as const, ...forgeEffects(url.text)])
      shell.effect(effect);
  sendTo({ how: "http", url: url.text, host }, telling, shell);
}

/** The effects of a write to a forge's API: access to a repository or an account, or weaker review. */
export function forgeEffects(address: string): readonly Effect[] {
  const [, access, guard] = FORGE_API.exec(address) ?? [];
  if (access !== undefined) return [{ type: "privilege", how: "shared-access", detail: address }];
  return guard === undefined ? [] : [{ type: "disable-protection", what: "review", detail: address }];
}

// GitHub, GitLab and Gitea; `gh api` gets only the path.
const FORGE_API =
  /(?:^|api\.github\.com|\/api\/v\d)\/?(?:(?:repos|orgs|groups|projects|teams)\/[^?#]{1,300}|user)\/(?:(collaborators|memberships|members|invitations|deploy_keys|keys|gpg_keys)|(protection|protected_branches|branch_protections|rulesets))(?:[/?]|$)/;

/** Reports that data leaves, if any of it matters. */
export function sendTo(
  to: Omit<Extract<Destination, { type: "network" }>, "type">,
  values: readonly (Value | undefined)[],
  shell: Shell,
): void {
  shell.flow(tellingSources(values), { type: "network", ...to });
}

export function fromNetwork(url: Value): Value {
  const host = hostOf(url.text) ?? "*";
  const source: Source = { type: "network", url: url.text, host };
  // The metadata addresses at which a cloud gives a machine its own keys.
  return unknown(
    METADATA.test(host) ? [source, { type: "secret", secret: "cloud", name: url.text }] : [source],
  );
}

const METADATA =
  /^(?:169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|100\.100\.100\.200|\[fd00:ec2::254\])$/;

export function deliver(url: Value, fetched: Value, to: Value | undefined, shell: Shell): Value {
  const host = hostOf(url.text) ?? "*";
  const isStream = to === undefined || to.text === "-" || to.text === "/dev/stdout";
  shell.effect({ type: "fetch", url: url.text, host, ...(isStream ? {} : { to: to.text }) });
  if (isStream) return fetched;
  shell.writeFile(to, fetched, { append: false });
  return EMPTY;
}

export function lastPart(url: string): string {
  const name = nameOf(url.replace(/[?#].*$/, "").replace(/\/$/, ""));
  return name === "" ? "index.html" : name;
}

export const FETCHERS: Column<Program> = {
  "curl curlie": fetcher(CURL),
  "wget wget2": fetcher(WGET),
  aria2c: fetcher({ valued: "-o -O -d --out", outputs: "-o --out", saves: true }),
  axel: fetcher({ valued: "-o -O -d --output", outputs: "-o --output", saves: true }),
  "fetch lwp-download youtube-dl yt-dlp": fetcher(SAVING),
  "lwp-request get lynx w3m links elinks": fetcher({ ...PRINTING, readsInput: true }),
  "http https xh httpie": httpie,
};

/**
 * Where a request really goes: `--resolve` and `--connect-to` send it elsewhere under the same name, as does
 * a proxy whose certificate is not checked.
 */
function routeOf(url: Value, options: Options): Value {
  const resolved = options.get("--resolve")?.text ?? "";
  const address = /^\+?[^:]{1,200}:(?:\d{1,5}|\*):(\[[^\]]{1,60}\]|[^,]{1,100})/.exec(resolved)?.[1];
  const target = address ?? connectTarget(options.get("--connect-to")?.text) ?? proxyOf(options);
  return target === undefined
    ? url
    : { ...url, text: url.text.replace(/^(\w+:\/\/)?[^/?#]*/, `$1${target}`) };
}

// `HOST1:PORT1:HOST2:PORT2`; each may be empty.
function connectTarget(text: string | undefined): string | undefined {
  return /^[^:]{0,200}:\d{0,5}:([^:]{1,200})(?::|$)/.exec(text ?? "")?.[1];
}

function proxyOf(options: Options): string | undefined {
  const proxy = options.get("-x --proxy --preproxy --socks5 --socks5-hostname");
  if (proxy === undefined || !options.has("-k --insecure --proxy-insecure")) return undefined;
  return proxy.text.replace(/^\w+:\/\//, "").replace(/[/?#].*$/, "");
}

/** The options in a configuration file: `url = "…"` is `--url …`. */
function wordsOfConfig({ text, sources }: Value): readonly Value[] {
  return text
    .slice(0, MAX_CONFIG_CHARACTERS)
    .split("\n")
    .flatMap((line) => {
      const [, name, value] = CONFIG_LINE.exec(line) ?? [];
      return name === undefined || value === undefined
        ? []
        : [known(`--${name.toLowerCase()}`), known(value.trim(), sources)];
    });
}

const MAX_CONFIG_CHARACTERS = 16 * 1024;
const CONFIG_LINE = /^\s{0,20}-{0,2}([a-z][a-z0-9-]{1,40})\s{0,5}[=:\s]\s{0,5}"?([^"\n]{1,2000})"?\s{0,20}$/i;
