import type { Program, QuietProgram } from "../model/call.ts";
import { hostOf } from "../model/effect.ts";
import { EMPTY, UNKNOWN, unknown } from "../model/value.ts";
import { type Column, words } from "../table/program-row.ts";
import { isShellName } from "../table/programs.ts";
import { Options } from "../table/split-options.ts";
import { wideTarget } from "./destroyers.ts";
import { deliver, fromNetwork, sendTo } from "./fetchers.ts";

/** `scp a b host:c`, and in the other direction. */
const copy: QuietProgram = ({ words, texts }, shell) => {
  const paths = words.filter(
    ({ text }, index) => !text.startsWith("-") && !/^-[iPpoFeScl]$/.test(texts[index - 1] ?? ""),
  );
  const target = paths.at(-1);
  if (target === undefined || paths.length < 2) return;
  const host = remoteHost(target.text);
  const from = paths.slice(0, -1);
  if (host !== undefined) {
    const url = target.text;
    shell.effect({ type: "send", url, host });
    const files = from.map((path) => shell.readFile(path));
    sendTo({ how: "copy", url, host }, files, shell);
    return;
  }
  const what = texts.includes("--delete") ? wideTarget(target.text) : undefined;
  if (what !== undefined) shell.effect({ type: "destroy", what, detail: texts.join(" ").slice(0, 200) });
  for (const path of from) {
    const remote = remoteHost(path.text);
    if (remote !== undefined) shell.effect({ type: "fetch", url: path.text, host: remote, to: target.text });
    const content =
      remote === undefined
        ? shell.readFile(path)
        : unknown([{ type: "network", url: path.text, host: remote }]);
    shell.writeFile(target, content, { append: false });
  }
};

function remoteHost(path: string): string | undefined {
  const url = /^(?:rsync|scp|sftp|ssh):\/\/(?:[^@/]{1,100}@)?([^/:]{1,200})/.exec(path)?.[1];
  return url ?? /^(?:[\w.-]{1,100}@)?([\w.*-]{2,200}):(?!\\)/.exec(path)?.[1];
}

/** Clients of object stores: `aws s3 cp file s3://bucket`. */
const bucket: Program = (call, shell) => {
  const { words, input } = call;
  const joined = call.joined.slice(0, 300);
  if (DELETES_CLOUD.test(joined)) shell.effect({ type: "destroy", what: "cloud", detail: joined });
  const target = words.findLast(({ text }) => BUCKET.test(text));
  if (target === undefined || !call.has(TRANSFER)) return UNKNOWN;
  const last = words.findLast(({ text }) => text === "-" || !text.startsWith("-"));
  const address = { ...target, text: bucketAddress(target.text) };
  if (target !== last || call.has(/^(?:cat|get)$/))
    return deliver(address, fromNetwork(address), last === target ? undefined : last, shell);
  // In `rclone copy file remote:folder`, only the user's configuration knows the remote.
  const host = /^[\w-]+:(?!\/\/)/.test(target.text) ? "*" : (hostOf(address.text) ?? target.text);
  shell.effect({ type: "send", url: target.text, host });
  const files = words.filter(
    (word) => word !== target && /[./~*]/.test(word.text) && !word.text.startsWith("-"),
  );
  const sent = [input, ...files.map((path) => shell.readFile(path))];
  sendTo({ how: "bucket", ...(host === "*" ? {} : { url: address.text }), host }, sent, shell);
  return EMPTY;
};

const BUCKET = /^(?:s3|gs|az|r2|oss|cos|b2):\/\/|^https?:\/\/|^[\w-]{2,60}:[^\\]/;
const TRANSFER = /^(?:cp|copy|sync|mv|move|upload|put|rsync|copyto|pipe|rcat|cat|get)$/;
const DELETES_CLOUD =
  /\b(?:rb|rm) [^|]{0,200}--(?:force|recursive)|\bdelete-(?:bucket|stack|db-instance|cluster|table|db-cluster)\b|\bprojects delete\b|\bterminate-instances\b|\b(?:instances|clusters|sql instances) delete\b|\bgroup delete\b/;

// A bucket's name belongs to its store; it is not the name of a nearby machine.
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

const mail: QuietProgram = (call, shell) => {
  const address = call.texts.find((text) => /@[\w-]+\./.test(text));
  const attached = call.after(/^(?:-a|-A|--attach|--attachment)$/).map((path) => shell.readFile(path));
  const host = address?.replace(/^.*@/, "") ?? "*";
  sendTo({ how: "mail", host }, [call.input, ...call.words, ...attached], shell);
};

/** Looking up a name reveals its contents to the name server. */
const lookUp: Program = ({ words, texts }, shell) => {
  const name = texts.find((text) => text.includes(".") && !/^[@-]/.test(text)) ?? "*";
  const host = name.replace(/^.*\*\.?/, "");
  sendTo({ how: "dns", host: host === "" ? "*" : host }, words, shell);
  return unknown([{ type: "network", url: `dns:${name}`, host: name }]);
};

const netcat: Program = (call, shell) => {
  const { program, input } = call;
  const options = new Options(call.words, NETCAT_VALUED);
  const listens = call.has(/^-[a-z]*l|^--listen$/);
  const host = listens ? "0.0.0.0" : (options.operands[0]?.text ?? "*");
  const started = options.all("-e -c --exec --sh-exec");
  if (started.some(({ text }) => text.split(/\s+/, 3).some(isShellName)) || input?.isShell)
    shell.effect({ type: "remote-shell", host, how: program });
  if (listens) shell.effect({ type: "listen", address: options.operands.map(({ text }) => text).join(" ") });
  // With `-z` it only checks whether a port is open.
  if (call.has(/^-[a-z]*z/)) return EMPTY;
  sendTo({ how: "socket", host }, [input], shell);
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

const NETCAT_VALUED = words("-e -c -p -s -w -i -q -X -x -o --exec --sh-exec --lua-exec --source-port");

const socat: Program = ({ joined, input }, shell) => {
  const listens = /(?:tcp|udp|openssl|ssl|sctp)[46]?-l(?:isten)?:/i.test(joined);
  const peer = /(?:tcp|udp|openssl|ssl)[46]?(?:-connect)?:([^:,\s]{1,200})/i.exec(joined)?.[1];
  const host = listens ? "0.0.0.0" : (peer ?? "*");
  const hasNetwork = /(?:tcp|udp|openssl|ssl|sctp)[46]?(?:-listen|-connect|-l)?:/i.test(joined);
  const runsShell =
    /\b(?:exec|system):["']?[^\s,]{0,60}?(?:ba|z|da|k)?sh\b|\b(?:exec|system):["']?(?:cmd|powershell)/i.test(
      joined,
    );
  if (hasNetwork && (runsShell || input?.isShell)) shell.effect({ type: "remote-shell", host, how: "socat" });
  if (/-listen:/i.test(joined)) shell.effect({ type: "listen", address: joined.slice(0, 100) });
  sendTo({ how: "socket", host }, [input], shell);
  return unknown([{ type: "network", url: `tcp://${host}`, host }]);
};

export const SENDERS: Column<Program | QuietProgram> = {
  "scp rsync sftp pscp rcp": copy,
  "aws gsutil gcloud az rclone s3cmd mc doctl": bucket,
  "mail mailx mutt sendmail swaks msmtp ssmtp s-nail": mail,
  "dig nslookup host ping drill getent resolvectl": lookUp,
  "nc ncat netcat nc.traditional nc.openbsd telnet": netcat,
  socat,
};
