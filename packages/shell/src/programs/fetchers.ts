import type { Program, Shell } from "../model/call.ts";
import { hostOf } from "../model/effect.ts";
import { nameOf } from "../model/files.ts";
import { EMPTY, known, tellingSources, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { words } from "../table/program-row.ts";
import { hasFlag, type Options, optionOf, optionsOf, readOptions } from "../table/split-options.ts";

const CURL_LONG = words(
  "--output --data --data-binary --data-raw --data-ascii --data-urlencode --json --form --form-string --header --request --user --user-agent --cookie --cookie-jar --referer --upload-file --proxy --max-time --config --range --write-out --connect-timeout --retry --retry-delay --retry-max-time --url --cacert --cert --key --resolve --interface --output-dir --limit-rate --connect-to --proxy-user --oauth2-bearer --max-redirs --dump-header --ciphers --tlsv1 --unix-socket --preproxy --socks5 --socks5-hostname --max-filesize --speed-limit --speed-time --keepalive-time --doh-url --url-query",
);

const CURL_SHAPE = { short: "odFHXuAbceTxmKrwCEPQtYyzD", long: CURL_LONG };

const curl: Program = ({ words, input }, shell) => {
  const given = readOptions(words, CURL_SHAPE);
  const configured = wordsOfConfig(given, input, shell);
  const options = configured.length === 0 ? given : readOptions([...words, ...configured], CURL_SHAPE);
  const urls = [...options.operands, ...optionsOf(options, "--url")].filter(({ text }) => isAddress(text));
  if (hasFlag(options, "-k", "--insecure")) noteUncheckedCertificate("curl -k", urls, shell);
  const bodies = [
    ...optionsOf(options, "-d", "--data", "--data-binary", "--data-ascii", "--data-urlencode", "--json").map(
      (value) => bodyOf(value, input, shell),
    ),
    ...optionsOf(options, "--data-raw", "--form-string", "--url-query"),
    ...optionsOf(options, "-F", "--form").map((value) => formOf(value, input, shell)),
    ...optionsOf(options, "-T", "--upload-file").map((value) =>
      value.text === "-" ? (input ?? UNKNOWN) : shell.readFile(value),
    ),
  ];
  const method = optionOf(options, "-X", "--request")?.text.toUpperCase();
  const sends = bodies.length > 0 || method === "POST" || method === "PUT" || method === "PATCH";
  const others = optionsOf(
    options,
    "-H",
    "--header",
    "-u",
    "--user",
    "-b",
    "--cookie",
    "-A",
    "--user-agent",
    "-e",
    "--referer",
    "--oauth2-bearer",
  );
  const outputs = optionsOf(options, "-o", "--output");
  const printed: Value[] = [];
  for (const [index, url] of urls.entries()) {
    request(url, { sends, telling: [...bodies, ...others, url] }, shell);
    const fetched = fromNetwork(routeOf(url, options));
    const output =
      outputs[index] ??
      outputs.at(-1) ??
      (hasFlag(options, "-O", "--remote-name", "-J") ? known(lastPart(url.text)) : undefined);
    printed.push(deliver(url, fetched, output, shell));
  }
  return printed.at(-1) ?? EMPTY;
};

/** `@file`, `@-`, or the text itself. */
function bodyOf(value: Value, input: Value | undefined, shell: Shell): Value {
  const at = value.text.indexOf("@");
  if (
    at === -1 ||
    (at > 0 && !/^[\w-]{1,40}@/.test(value.text)) ||
    /^[\w.+-]+@[\w-]+\.[\w.]+$/.test(value.text)
  )
    return value;
  const path = value.text.slice(at + 1);
  return path === "-" ? (input ?? UNKNOWN) : shell.readFile({ ...value, text: path });
}

function formOf(value: Value, input: Value | undefined, shell: Shell): Value {
  const match = /^[^=]{0,100}=[@<]([^;]{1,1000})/.exec(value.text);
  if (match?.[1] === undefined) return value;
  return match[1] === "-" ? (input ?? UNKNOWN) : shell.readFile({ ...value, text: match[1] });
}

const WGET_LONG = words(
  "--output-document --post-data --post-file --body-data --body-file --method --header --user-agent --directory-prefix --tries --timeout --user --password --referer --input-file --wait --level",
);

const wget: Program = ({ words, input }, shell) => {
  const options = readOptions(words, { short: "OPUtTiolw", long: WGET_LONG });
  const urls = options.operands.filter(({ text }) => isAddress(text));
  if (hasFlag(options, "--no-check-certificate"))
    noteUncheckedCertificate("wget --no-check-certificate", urls, shell);
  const bodies = [
    ...optionsOf(options, "--post-data", "--body-data"),
    ...optionsOf(options, "--post-file", "--body-file").map((file) =>
      file.text === "-" ? (input ?? UNKNOWN) : shell.readFile(file),
    ),
  ];
  const output = optionOf(options, "-O", "--output-document");
  const folder = optionOf(options, "-P", "--directory-prefix")?.text;
  let printed: Value = EMPTY;
  for (const url of urls) {
    request(
      url,
      { sends: bodies.length > 0, telling: [...bodies, ...optionsOf(options, "--header"), url] },
      shell,
    );
    const name = folder === undefined ? lastPart(url.text) : `${folder}/${lastPart(url.text)}`;
    const target = hasFlag(options, "--spider") ? known("/dev/null") : (output ?? known(name));
    printed = deliver(url, fromNetwork(url), target.text === "-" ? undefined : target, shell);
  }
  return printed;
};

/** Fetchers with an output option and addresses, and nothing else of interest. */
function simpleFetcher(outputs: readonly string[], whenNone: "print" | "save"): Program {
  return ({ words }, shell) => {
    const options = readOptions(words, { short: "oOd", long: new Set(outputs) });
    const output = optionOf(options, ...outputs, "-o");
    let printed: Value = EMPTY;
    for (const url of options.operands.filter(({ text }) => isAddress(text))) {
      request(url, { sends: false, telling: [url] }, shell);
      const target = output ?? (whenNone === "save" ? known(lastPart(url.text)) : undefined);
      printed = deliver(url, fromNetwork(url), target?.text === "-" ? undefined : target, shell);
    }
    return printed;
  };
}

/** `http POST url key=value`. */
const httpie: Program = ({ words, texts, input }, shell) => {
  const method = texts.find((text) => /^(?:GET|POST|PUT|PATCH|DELETE)$/.test(text));
  const url = words.find(({ text }) => isAddress(text));
  if (url === undefined) return UNKNOWN;
  const items = words.filter(({ text }) => text !== url.text && /[=@]/.test(text));
  const files = items.flatMap((item) => {
    const path = /[=:]?@(.{1,500})$/.exec(item.text)?.[1];
    return path === undefined ? [item] : [shell.readFile({ ...item, text: path })];
  });
  const sends =
    method === "POST" ||
    method === "PUT" ||
    (method === undefined && (items.length > 0 || input !== undefined));
  request(url, { sends, telling: [...files, url, ...(input === undefined ? [] : [input])] }, shell);
  return fromNetwork(url);
};

/** Whether a word is something that a fetcher fetches. */
export function isAddress(text: string): boolean {
  if (/^(?:h(?:tt|xx)ps?|ftp|tftp|git|ssh):\/\//i.test(text) || text === "*") return true;
  return (
    /^(?:\*|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|localhost|\[[0-9a-f:]+\])(?::\d{1,5})?(?:[/?]|$)/i.test(text) ||
    /^[\w.-]+@[\w.-]+:/.test(text)
  );
}

/** Reports a request, and the data that goes out with it. */
export function request(
  url: Value,
  { sends, telling }: { readonly sends: boolean; readonly telling: readonly Value[] },
  shell: Shell,
): void {
  const host = hostOf(url.text) ?? "*";
  if (sends) shell.effect({ type: "send", url: url.text, host });
  shell.flow(tellingSources(telling), { type: "network", how: "http", url: url.text, host });
}

export function fromNetwork(url: Value): Value {
  return unknown([{ type: "network", url: url.text, host: hostOf(url.text) ?? "*" }]);
}

/** Reports where a download goes: to a file, or to the reader of the pipe. */
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

function noteUncheckedCertificate(detail: string, urls: readonly Value[], shell: Shell): void {
  shell.effect({
    type: "disable-protection",
    what: "certificate-check",
    detail: `${detail} ${urls.map(({ text }) => text).join(" ")}`.slice(0, 200),
  });
}

/** Programs that get something from elsewhere. */
export const FETCHERS: readonly (readonly [string, Program])[] = [
  ["curl", curl],
  ["curlie", curl],
  ["wget", wget],
  ["wget2", wget],
  ["aria2c", simpleFetcher(["--out"], "save")],
  ["axel", simpleFetcher(["--output"], "save")],
  ["fetch", simpleFetcher([], "save")],
  ["lwp-download", simpleFetcher([], "save")],
  ["lwp-request", simpleFetcher([], "print")],
  ["get", simpleFetcher([], "print")],
  ["lynx", simpleFetcher([], "print")],
  ["w3m", simpleFetcher([], "print")],
  ["links", simpleFetcher([], "print")],
  ["elinks", simpleFetcher([], "print")],
  ["youtube-dl", simpleFetcher([], "save")],
  ["yt-dlp", simpleFetcher([], "save")],
  ["http", httpie],
  ["https", httpie],
  ["xh", httpie],
];

/**
 * Where a request really goes: `--resolve` and `--connect-to` send it elsewhere under the same name, and so does a proxy
 * whose certificate is not checked.
 */
function routeOf(url: Value, options: Options): Value {
  const resolved = optionOf(options, "--resolve")?.text ?? "";
  const address = /^\+?[^:]{1,200}:(?:\d{1,5}|\*):(\[[^\]]{1,60}\]|[^,]{1,100})/.exec(resolved)?.[1];
  const target = address ?? connectTarget(optionOf(options, "--connect-to")?.text) ?? proxyOf(options);
  return target === undefined
    ? url
    : { ...url, text: url.text.replace(/^(\w+:\/\/)?[^/?#]*/, `$1${target}`) };
}

// `HOST1:PORT1:HOST2:PORT2`; each may be empty.
function connectTarget(text: string | undefined): string | undefined {
  const target = /^[^:]{0,200}:\d{0,5}:([^:]{1,200})(?::|$)/.exec(text ?? "")?.[1];
  return target === undefined || target === "" ? undefined : target;
}

function proxyOf(options: Options): string | undefined {
  const proxy = optionOf(options, "-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname");
  if (proxy === undefined || !hasFlag(options, "-k", "--insecure", "--proxy-insecure")) return undefined;
  return proxy.text.replace(/^\w+:\/\//, "").replace(/[/?#].*$/, "");
}

/** The words that a configuration file stands for: `url = "…"` is `--url …`. */
function wordsOfConfig(options: Options, input: Value | undefined, shell: Shell): readonly Value[] {
  return optionsOf(options, "-K", "--config").flatMap((path) => {
    const content = path.text === "-" ? input : shell.readFile(path);
    if (content === undefined) return [];
    return content.text
      .slice(0, MAX_CONFIG_CHARACTERS)
      .split("\n")
      .flatMap((line) => {
        const match =
          /^\s{0,20}-{0,2}([a-z][a-z0-9-]{1,40})\s{0,5}[=:\s]\s{0,5}"?([^"\n]{1,2000})"?\s{0,20}$/i.exec(
            line,
          );
        if (match?.[1] === undefined || match[2] === undefined) return [];
        return [known(`--${match[1].toLowerCase()}`), known(match[2].trim(), content.sources)];
      });
  });
}

const MAX_CONFIG_CHARACTERS = 16 * 1024;
