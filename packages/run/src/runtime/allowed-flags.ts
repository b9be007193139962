// The flags that a first line may give an interpreter. An allowlist, because a flag can name other code to
// run (-c, -m, -e, -r, --require, --import, --init-file), other files to read, or a port to listen on.

type Judge = (words: readonly string[]) => string | undefined;

const SHELL_OPTIONS = new Set(
  "allexport errexit errtrace functrace noclobber noglob nounset pipefail posix verbose xtrace".split(" "),
);

const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["bash", shell(/^-[aefhuvxBCEPTp]+$/, new Set(["--norc", "--noprofile", "--posix"]))],
  ["sh", shell(/^-[aefhuvxC]+$/, new Set())],
  ["ksh", shell(/^-[aefhuvxC]+$/, new Set())],
  ["zsh", shell(/^-[aefuvx]+$/, new Set())],
  ["python", python],
  [
    "node",
    eachOf(
      /^--(?:no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|enable-source-maps)$/,
      /^--(?:experimental-strip-types|experimental-transform-types|disable-warning=[A-Za-z0-9_]+)$/,
      /^--unhandled-rejections=(?:strict|warn|none|throw|warn-with-error-codes)$/,
      /^--(?:max-old-space-size|stack-trace-limit)=\d{1,6}$/,
    ),
  ],
  // Permissions are passed on unchanged, even all of them: deno cannot grant more than the sandbox, not even
  // to native code and child processes (--allow-ffi, --allow-run). Refused are flags that name other files
  // (--config, --import-map, --lock, --env-file, --preload), listen (--inspect), fetch again (--reload), run
  // install scripts (--allow-scripts) or change the engine (--v8-flags, --unstable-*).
  [
    "deno",
    eachOf(
      /^--(?:allow|deny)-(?:read|write|net|env|sys|run|ffi|import)(?:=[^\s]*)?$/,
      /^-[ARWNES](?:=[^\s]*)?$/,
      /^(?:-q|--(?:allow-all|quiet|no-prompt|no-check|check|cached-only|no-remote|no-npm|no-lock|no-config|no-code-cache))$/,
      /^--ext=(?:ts|tsx|js|jsx|mts|mjs|cts|cjs)$/,
    ),
  ],
  ["bun", eachOf(/^--(?:smol|silent|bun|no-install)$/, /^-b$/)],
  [
    "ruby",
    eachOf(
      /^-[wU]$/,
      /^-W[012]?$/,
      /^-W:no-[a-z]+$/,
      /^--disable[=-]gems?$/,
      /^--(?:yjit|encoding=[A-Za-z0-9-]+)$/,
    ),
  ],
  ["perl", eachOf(/^-[wWXTt]+$/, /^-C(?:[A-Za-z]{1,7}|\d{1,3})$/)],
  ["Rscript", eachOf(/^--vanilla$/)],
  ["fish", eachOf(/^(?:-N|--no-config)$/)],
  ["php", eachOf(/^-[nq]$/)],
]);

/** Why an interpreter may not be given these flags; undefined if it may. */
export function flagFault(runtime: string, words: readonly string[]): string | undefined {
  return (JUDGES.get(runtime) ?? eachOf())(words);
}

function eachOf(...allowed: readonly RegExp[]): Judge {
  return (words) => {
    const wrong = words.find((word) => !allowed.some((pattern) => pattern.test(word)));
    return wrong === undefined ? undefined : refused(wrong);
  };
}

// `-euo pipefail`: an `o` at the end of a cluster takes the next word.
function shell(cluster: RegExp, long: ReadonlySet<string>): Judge {
  return (words) => {
    for (let index = 0; index < words.length; index++) {
      const word = words[index] ?? "";
      const takesName = /^-[A-Za-z]*o$/.test(word);
      const letters = takesName ? word.slice(0, -1) : word;
      if (!(letters === "-" && takesName) && !cluster.test(letters) && !long.has(word)) return refused(word);
      if (!takesName) continue;
      const name = words[++index] ?? "";
      if (!SHELL_OPTIONS.has(name)) return refused(`${word} ${name}`);
    }
    return undefined;
  };
}

// Python would import a category in -W, so only the plain actions are allowed.
const PYTHON_WARNING = /^(?:ignore|default|error|always|module|once)$/;
const PYTHON_FEATURE = /^(?:utf8(?:=[01])?|dev|faulthandler)$/;

function python(words: readonly string[]): string | undefined {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (/^-[bBdEIOPqsSuv]+$/.test(word)) continue;
    const [, letter, attached] = /^-(W|X)(.*)$/.exec(word) ?? [];
    if (letter === undefined) return refused(word);
    const value = attached || (words[++index] ?? "");
    if (!(letter === "W" ? PYTHON_WARNING : PYTHON_FEATURE).test(value))
      return refused(`${word} ${value}`.trim());
  }
  return undefined;
}

function refused(flag: string): string {
  if (/^(?:npm|jsr|https?):/.test(flag))
    return `its first line makes the interpreter run ${JSON.stringify(flag.slice(0, 80))} instead`;
  return `its first line gives the interpreter ${JSON.stringify(flag.slice(0, 80))}, which is not among the allowed flags`;
}
