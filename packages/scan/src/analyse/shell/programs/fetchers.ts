import { hostOf } from "../../../host/classify-host.ts";
import { hasFlag, optionOf, optionsOf, readOptions } from "../read-options.ts";
import type { Call, Program, Shell } from "../shell-call.ts";
import { nameOf } from "../shell-files.ts";
import { EMPTY, known, UNKNOWN, unknown, type Value } from "../value.ts";
import { routeOf, wordsOfConfig } from "./curl-route.ts";
import { noteGitConfig } from "./note-git-config.ts";
import { tellingSources } from "./telling-sources.ts";

const CURL_LONG = new Set(
  "--output --data --data-binary --data-raw --data-ascii --data-urlencode --json --form --form-string --header --request --user --user-agent --cookie --cookie-jar --referer --upload-file --proxy --max-time --config --range --write-out --connect-timeout --retry --retry-delay --retry-max-time --url --cacert --cert --key --resolve --interface --output-dir --limit-rate --connect-to --proxy-user --oauth2-bearer --max-redirs --dump-header --ciphers --tlsv1 --unix-socket --preproxy --socks5 --socks5-hostname --max-filesize --speed-limit --speed-time --keepalive-time --doh-url --url-query".split(
    " ",
  ),
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

const WGET_LONG = new Set(
  "--output-document --post-data --post-file --body-data --body-file --method --header --user-agent --directory-prefix --tries --timeout --user --password --referer --input-file --wait --level".split(
    " ",
  ),
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

const gitClone: Program = ({ words, texts }, shell) => {
  const url = words.find(({ text }, index) => index > 0 && isAddress(text));
  if (texts[0] !== "clone" || url === undefined) return UNKNOWN;
  const after = words.slice(words.indexOf(url) + 1).find(({ text }) => !text.startsWith("-"));
  const folder = after?.text ?? nameOf(url.text.replace(/\/$/, "").replace(/\.git$/, ""));
  shell.act({ type: "fetch", url: url.text, host: hostOf(url.text) ?? "*", to: folder });
  shell.unpack(folder, fromNetwork(url));
  return EMPTY;
};

/** Whether a word is something that a fetcher fetches. */
export function isAddress(text: string): boolean {
  if (/^(?:h(?:tt|xx)ps?|ftp|tftp|git|ssh):\/\//i.test(text) || text === "*") return true;
  return (
    /^(?:\*|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}|localhost|\[[0-9a-f:]+\])(?::\d{1,5})?(?:[/?]|$)/i.test(text) ||
    /^[\w.-]+@[\w.-]+:/.test(text)
  );
}

/** Records a request, and what goes out with it. */
export function request(
  url: Value,
  { sends, telling }: { readonly sends: boolean; readonly telling: readonly Value[] },
  shell: Shell,
): void {
  const host = hostOf(url.text) ?? "*";
  if (sends) shell.act({ type: "send", url: url.text, host });
  shell.flow(tellingSources(telling), { type: "network", how: "http", url: url.text, host });
}

export function fromNetwork(url: Value): Value {
  return unknown([{ type: "network", url: url.text, host: hostOf(url.text) ?? "*" }]);
}

/** Records where what was fetched goes: to a file, or to whoever reads it. */
export function deliver(url: Value, fetched: Value, to: Value | undefined, shell: Shell): Value {
  const host = hostOf(url.text) ?? "*";
  const isStream = to === undefined || to.text === "-" || to.text === "/dev/stdout";
  shell.act({ type: "fetch", url: url.text, host, ...(isStream ? {} : { to: to.text }) });
  if (isStream) return fetched;
  shell.writeFile(to, fetched, { append: false });
  return EMPTY;
}

export function lastPart(url: string): string {
  const name = nameOf(url.replace(/[?#].*$/, "").replace(/\/$/, ""));
  return name === "" ? "index.html" : name;
}

function noteUncheckedCertificate(detail: string, urls: readonly Value[], shell: Shell): void {
  shell.act({
    type: "disable-protection",
    what: "certificate-check",
    detail: `${detail} ${urls.map(({ text }) => text).join(" ")}`.slice(0, 200),
  });
}

const git: Program = (call: Call, shell) => {
  const { words, texts } = call;
  const at = skipGlobal(texts);
  const verb = texts[at] ?? "";
  const rest = { ...call, words: words.slice(at), texts: texts.slice(at) };
  if (
    texts.some((text) => /^http\.sslverify=(?:false|0)$/i.test(text)) ||
    (verb === "config" && /http\.sslverify\s+(?:false|0)/i.test(texts.join(" ")))
  )
    shell.act({ type: "disable-protection", what: "certificate-check", detail: "git http.sslVerify=false" });
  if (/^(?:commit|push|merge|rebase)$/.test(verb) && texts.includes("--no-verify"))
    shell.act({ type: "disable-protection", what: "hooks", detail: `git ${verb} --no-verify` });
  if (verb === "push") notePush(rest.texts, shell);
  if (verb === "config") noteGitConfig(rest.texts, shell);
  if (verb === "clone") return gitClone(rest, shell);
  return EMPTY;
};

function skipGlobal(texts: readonly string[]): number {
  let at = 0;
  while (texts[at]?.startsWith("-")) at += /^-[cC]$/.test(texts[at] ?? "") ? 2 : 1;
  return at;
}

function notePush(texts: readonly string[], shell: Shell): void {
  const url = texts.find((text) => /:\/\/|@[\w.-]+:/.test(text));
  if (url !== undefined) {
    const host = hostOf(url.replace(/^[\w.-]+@/, "")) ?? "*";
    shell.act({ type: "send", url, host });
    // What the script itself copied into the folder goes with it.
    const copied = tellingSources(shell.folderContent()).filter(({ type }) => type === "secret");
    shell.flow([{ type: "file", path: "." }, ...copied], { type: "network", how: "git", url, host });
  }
  if (texts.some((text) => /^(?:--force|-f|--mirror|--delete)$/.test(text) || /^\+\w/.test(text)))
    shell.act({ type: "destroy", what: "repository", detail: `git ${texts.join(" ")}`.slice(0, 200) });
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
  ["git", git],
];
