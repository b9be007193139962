import type { Program, Shell } from "../model/call.ts";
import { named } from "../model/call.ts";
import { hostOf } from "../model/effect.ts";
import { EMPTY, tellingSources, UNKNOWN, unknown, type Value } from "../model/value.ts";
import { isShellName } from "../table/programs.ts";
import { readOptions } from "../table/split-options.ts";
import { deliver, fromNetwork } from "./fetchers.ts";

/** `scp a b host:c`, and the other way round. */
const copy: Program = ({ words, texts }, shell) => {
  const paths = words.filter(
    (_word, index) => !/^-/.test(texts[index] ?? "") && !/^-[iPpoFeScl]$/.test(texts[index - 1] ?? ""),
  );
  const target = paths.at(-1);
  if (target === undefined || paths.length < 2) return EMPTY;
  const host = remoteHost(target.text);
  const rest = paths.slice(0, -1);
  if (host !== undefined) {
    shell.effect({ type: "send", url: target.text, host });
    shell.flow(tellingSources(rest.map((path) => shell.readFile(path))), {
      type: "network",
      how: "copy",
      url: target.text,
      host,
    });
    return EMPTY;
  }
  for (const path of rest) {
    const from = remoteHost(path.text);
    if (from === undefined) shell.writeFile(target, shell.readFile(path), { append: false });
    else {
      shell.effect({ type: "fetch", url: path.text, host: from, to: target.text });
      shell.writeFile(target, unknown([{ type: "network", url: path.text, host: from }]), { append: false });
    }
  }
  return EMPTY;
};

function remoteHost(path: string): string | undefined {
  const url = /^(?:rsync|scp|sftp|ssh):\/\/(?:[^@/]{1,100}@)?([^/:]{1,200})/.exec(path)?.[1];
  return url ?? /^(?:[\w.-]{1,100}@)?([\w.*-]{2,200}):(?!\\)/.exec(path)?.[1];
}

/** Clients of object stores: `aws s3 cp file s3://bucket`. */
const bucket: Program = ({ words, texts, input }, shell) => {
  const target = words.findLast(({ text }) =>
    /^(?:s3|gs|az|r2|oss|cos|b2):\/\/|^https?:\/\/|^[\w-]{2,60}:[^\\]/.test(text),
  );
  noteCloudDeletion(texts, shell);
  if (
    target === undefined ||
    !texts.some((text) => /^(?:cp|copy|sync|mv|move|upload|put|rsync|copyto|pipe|rcat|cat|get)$/.test(text))
  )
    return credentialsOf(texts);
  const last = words.findLast(({ text }) => text === "-" || !text.startsWith("-"));
  const isUpload = target === last && !texts.some((text) => /^(?:cat|get)$/.test(text));
  const others = words.filter(
    (word) => word !== target && /[./~*]/.test(word.text) && !word.text.startsWith("-"),
  );
  const address = { ...target, text: bucketAddress(target.text) };
  if (!isUpload)
    return deliver(
      address,
      fromNetwork(address),
      last === target || last?.text === "-" ? undefined : last,
      shell,
    );
  const host = hostOf(address.text) ?? target.text;
  shell.effect({ type: "send", url: target.text, host });
  shell.flow(tellingSources([input, ...others.map((path) => shell.readFile(path))]), {
    type: "network",
    how: "bucket",
    url: address.text,
    host,
  });
  return EMPTY;
};

// The name of a bucket is a name at its store, not of a machine next door.
function bucketAddress(text: string): string {
  const [, scheme = "", bucket = "", path = ""] =
    /^(s3|gs|oss|r2|b2|az|cos):\/\/([^/]{1,200})([^\n]{0,1000})$/.exec(text) ?? [];
  const store = STORES.get(scheme);
  return store === undefined ? text : `https://${bucket}.${store}${path}`;
}

const STORES: ReadonlyMap<string, string> = new Map([
  ["s3", "s3.amazonaws.com"],
  ["gs", "storage.googleapis.com"],
  ["r2", "r2.dev"],
  ["az", "blob.core.windows.net"],
  ["oss", "oss.aliyuncs.com"],
  ["b2", "backblazeb2.com"],
  ["cos", "cos.myqcloud.com"],
]);

function noteCloudDeletion(texts: readonly string[], shell: Shell): void {
  const joined = texts.join(" ").slice(0, 300);
  if (
    /\b(?:rb|rm) [^|]{0,200}--(?:force|recursive)|\bdelete-(?:bucket|stack|db-instance|cluster|table|db-cluster)\b|\bprojects delete\b|\bterminate-instances\b|\b(?:instances|clusters|sql instances) delete\b|\bgroup delete\b/.test(
      joined,
    )
  )
    shell.effect({ type: "destroy", what: "cloud", detail: joined });
}

// `aws configure get`, `gcloud auth print-access-token`, `gh auth token`.
function credentialsOf(texts: readonly string[]): Value {
  const joined = texts.slice(0, 6).join(" ");
  const isSecret =
    /^configure (?:get|export-credentials)|^sts get-session-token|^secretsmanager get-secret|^ssm get-parameter|^auth (?:print-access-token|application-default print|token)|^account get-access-token|^secrets versions access|^keyvault secret show/;
  return isSecret.test(joined) ? unknown([{ type: "secret", secret: "cloud", name: joined }]) : UNKNOWN;
}

const mail: Program = ({ words, texts, input }, shell) => {
  const address = texts.find((text) => /@[\w-]+\./.test(text));
  const attached = words.filter((_word, index) =>
    /^(?:-a|-A|--attach|--attachment)$/.test(texts[index - 1] ?? ""),
  );
  const host = address?.replace(/^.*@/, "") ?? "*";
  shell.flow(tellingSources([input, ...words, ...attached.map((path) => shell.readFile(path))]), {
    type: "network",
    how: "mail",
    host,
  });
  return EMPTY;
};

/** A name that is looked up tells the name server what is in it. */
const lookUp: Program = ({ words, texts }, shell) => {
  const sources = tellingSources(words);
  const name =
    texts.find((text) => text.includes(".") && !text.startsWith("@") && !text.startsWith("-")) ?? "*";
  const host = name.replace(/^.*\*\.?/, "");
  shell.flow(sources, { type: "network", how: "dns", host: host === "" ? "*" : host });
  return unknown([{ type: "network", url: `dns:${name}`, host: name }]);
};

const security: Program = ({ texts }, shell) => {
  if (/^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(texts[0] ?? ""))
    return unknown([{ type: "secret", secret: "keychain", name: texts.slice(0, 3).join(" ") }]);
  if (texts[0] === "add-trusted-cert")
    shell.effect({
      type: "disable-protection",
      what: "certificate-check",
      detail: "security add-trusted-cert",
    });
  return UNKNOWN;
};

/** Programs that take data elsewhere, and the stores of credentials that they come with. */
export const SENDERS: readonly (readonly [string, Program])[] = [
  ...named("scp rsync sftp pscp rcp", copy),
  ...named("aws gsutil gcloud az rclone s3cmd mc doctl", bucket),
  ...named("mail mailx mutt sendmail swaks msmtp ssmtp s-nail", mail),
  ...named("dig nslookup host ping drill getent resolvectl", lookUp),
  ["security", security],
];

const netcat: Program = ({ program, words, texts, input }, shell) => {
  const options = readOptions(words, {
    short: "ecpswiqXxo",
    long: new Set(["--exec", "--sh-exec", "--lua-exec", "--source-port"]),
  });
  const listens = texts.some((text) => /^-[a-z]*l|^--listen$/.test(text));
  const host = listens ? "0.0.0.0" : (options.operands[0]?.text ?? "*");
  const runs = [
    ...(options.values.get("-e") ?? []),
    ...(options.values.get("-c") ?? []),
    ...(options.values.get("--exec") ?? []),
    ...(options.values.get("--sh-exec") ?? []),
  ];
  if (runs.some(({ text }) => text.split(/\s+/, 3).some(isShellName)) || input?.isShell === true)
    shell.effect({ type: "remote-shell", host, how: program });
  if (listens) shell.effect({ type: "listen", address: options.operands.map(({ text }) => text).join(" ") });
  const isProbe = texts.some((text) => /^-[a-z]*z/.test(text));
  if (isProbe) return EMPTY;
  shell.flow(tellingSources([input]), { type: "network", how: "socket", host });
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

const socat: Program = ({ texts, input }, shell) => {
  const joined = texts.join(" ");
  const listens = /(?:tcp|udp|openssl|ssl|sctp)[46]?-l(?:isten)?:/i.test(joined);
  const host = listens
    ? "0.0.0.0"
    : (/(?:tcp|udp|openssl|ssl)[46]?(?:-connect)?:([^:,\s]{1,200})/i.exec(joined)?.[1] ?? "*");
  const hasNetwork = /(?:tcp|udp|openssl|ssl|sctp)[46]?(?:-listen|-connect|-l)?:/i.test(joined);
  const runsShell =
    /\b(?:exec|system):["']?[^\s,]{0,60}?(?:ba|z|da|k)?sh\b|\b(?:exec|system):["']?(?:cmd|powershell)/i.test(
      joined,
    );
  if (hasNetwork && (runsShell || input?.isShell === true))
    shell.effect({ type: "remote-shell", host, how: "socat" });
  if (/-listen:/i.test(joined)) shell.effect({ type: "listen", address: joined.slice(0, 100) });
  shell.flow(tellingSources([input]), { type: "network", how: "socket", host });
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

const tunnel: Program = ({ program, texts }, shell) => {
  if (/^(?:http|tcp|tunnel|start|tls|--url|share|serve|funnel)/.test(texts[0] ?? ""))
    shell.effect({ type: "listen", address: `${program} ${texts.slice(0, 3).join(" ")}` });
  return EMPTY;
};

/** Programs that open a connection for whatever is piped to them. */
export const SOCKET_TOOLS: readonly (readonly [string, Program])[] = [
  ...named("nc ncat netcat nc.traditional nc.openbsd telnet", netcat),
  ["socat", socat],
  ...named("ngrok cloudflared lt localtunnel bore frpc tailscale", tunnel),
];
