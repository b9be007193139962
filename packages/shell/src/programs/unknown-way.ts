import type { Call, Shell } from "../model/call.ts";
import { addressIn, hostOf, type Source } from "../model/effect.ts";
import { mergeSources, sourcesOf, unknown, type Value } from "../model/value.ts";

const MAX_WORDS = 64;
const MAX_TEXT_CHARACTERS = 4_096;

/**
 * Reports that a program may send private data away, judging only by its words: no table lists them all.
 *
 * Such words are a secret, or a file with one, together with an address or with a word for sending.
 */
export function noteUnknownWay(call: Call, shell: Shell): void {
  const sources = privateSources(call, shell);
  if (SERVES.test(verbsOf(call))) {
    const served = mergeSources(sources, shell.peek(shell.files.directory));
    shell.files.set(SERVED, unknown(served), { append: true });
    return;
  }
  if (sources.length === 0) return;
  const searched = [...call.texts.slice(0, MAX_WORDS), call.input?.text ?? ""];
  const url = searched.map(addressIn).find((address) => address !== undefined);
  if (url !== undefined)
    shell.flow(sources, { type: "network", how: "unknown", url, host: hostOf(url) ?? "*" });
  else if (SENDS.test(verbsOf(call))) shell.flow(sources, { type: "network", how: "unknown" });
}

/** An unknown program's output: its input, the files that it names, and secrets if its words mention them. */
export function printedByWords(call: Call, shell: Shell, others: readonly Value[] = []): Value {
  const { words, input } = call;
  const given = sourcesOf([...words, ...(input === undefined ? [] : [input]), ...others]);
  const verbs = verbsOf(call);
  const named: readonly Source[] = SECRET_WORDS.test(verbs)
    ? [{ type: "secret", secret: "generic", name: verbs.slice(0, 80) }]
    : [];
  return unknown(mergeSources(mergeSources(given, privateSources(call, shell)), named));
}

/** The secrets in a call's words and piped input, and in the files that they name. */
function privateSources(call: Call, shell: Shell): readonly Source[] {
  let sources: readonly Source[] = [];
  const { words, texts, input } = call;
  const isLogin = /ssh|sftp|scp|mosh|ansible/.test(call.program);
  for (const [index, word] of words.slice(0, MAX_WORDS).entries()) {
    // A key that opens the other machine is not sent to it.
    if (isLogin && texts[index - 1] === "-i") continue;
    if (STAYS.test(texts[index - 1] ?? "") || STAYS.test(word.text.split("=", 1)[0] ?? "")) continue;
    sources = mergeSources(sources, word.sources);
    for (const path of pathsIn(word.text)) sources = mergeSources(sources, shell.peek(path));
  }
  // A package is made from the script's current folder.
  if (/\s(?:publish|deploy)\b/.test(verbsOf(call)))
    sources = mergeSources(sources, sourcesOf(shell.files.below(shell.files.directory || ".")));
  if (input !== undefined) {
    sources = mergeSources(sources, input.sources);
    for (const path of input.text.split("\n", MAX_WORDS).flatMap(pathsIn))
      sources = mergeSources(sources, shell.peek(path));
  }
  return sources.filter(
    ({ type, ...source }) =>
      type === "capture" || (type === "secret" && "secret" in source && source.secret !== "own-key"),
  );
}

const SERVES = /(?:^|[\s-])(?:http\.server|https?-server|live-server|file-server|serve|httpd)(?:$|\s)/;
/** Stands for the folders that a server exposes to whoever reaches it. */
export const SERVED = "/served";

// Credentials for a login are not sent, and excluded files are not read.
const STAYS =
  /^-(?:[a-z-]*(?:ident|private-?key|ssh-?key|key-?file|keypair|cert|ca-?file|cred|config|pass|auth|profile|env-?file|token-?file|netrc|exclude)[a-z-]*)$/i;

/** `--file=~/x`, `@~/x`, `FILE:~/x`, `~/x:/y`, `put ~/x`: the parts of a word that are paths. */
function pathsIn(text: string): readonly string[] {
  // A text with a path and an address is a message about them, or a command for another reader.
  if (/\s/.test(text) && addressIn(text) !== undefined) return [];
  // Without the look-behinds, a long word would be searched again from each of its letters.
  return (
    text
      .slice(0, MAX_TEXT_CHARACTERS)
      .replaceAll(/(?<!\w)\w+:\/\/\S*|(?<![\w.+-])[\w.+-]+@[\w.-]+:\S*/g, " ")
      .match(
        /(?:~|\$HOME)?(?:\/[\w.*+-]+)+|(?<![\w.*+-])[\w.*+-]+(?:\/[\w.*+-]+)+|(?:^|[\s=@:,"'(])(?:~|\.[a-z][\w.-]+)(?=$|[\s:,"')])/gi,
      )
      ?.map((path) => path.replace(/^[\s=@:,"'(]/, ""))
      .slice(0, MAX_WORDS) ?? []
  );
}

/** The program and the words that say what it should do. */
function verbsOf({ program, texts }: Call): string {
  const verbs = texts.filter((text) => /^\w[\w:.-]{1,40}$/.test(text)).slice(0, 4);
  return [program, ...verbs]
    .join(" ")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}

const SENDS =
  /(?:^|[\s:_-])(?:send|upload|push|publish|share|post|transfer|put|deploy|backup|paste|beam|ship|submit|transmit|rcat|gists?)(?:$|[\s:_.-])/;
const SECRET_WORDS =
  /(?:^|[\s:_.-])(?:secrets?|tokens?|auth-?token|passwords?|passwd|credentials?|creds|vault|keyring|kwallet|keychain|keystore|psk)(?:$|[\s:_.-])|\benv(?::\w+|\s(?:pull|list|ls|export|get))\b|\s(?:variables|export)$/;
