// Linux reads 256 bytes of a file to find its interpreter; what does not fit would be cut silently.
const MAX_SHEBANG_BYTES = 255;

/** What the first line of a script asks for. */
export interface Shebang {
  /** The program's name without its folder: where it lies is for the sandbox to say. */
  readonly command: string;
  readonly words: readonly string[];
}

/**
 * Reads the first line of a script; nothing when it is no shebang, and a fault when it asks for what is not given.
 *
 * Words are split at spaces, with `env -S` or without, as some systems do and others do not: each word is judged anyway.
 */
export function readShebang(head: Uint8Array): Shebang | { readonly fault: string } | undefined {
  if (head[0] !== 0x23 || head[1] !== 0x21) return undefined;
  const end = head.indexOf(0x0a);
  const line = head.subarray(2, end < 0 ? head.length : end);
  if (line.length + 2 > MAX_SHEBANG_BYTES)
    return { fault: `its first line is longer than ${MAX_SHEBANG_BYTES} bytes` };
  const text = Buffer.from(line).toString("latin1").trim();
  if (!/^[\x20-\x7e\t]*$/.test(text))
    return { fault: "its first line holds characters that are not plain text" };
  const [program = "", ...words] = text.split(/[ \t]+/);
  if (!program.startsWith("/")) return { fault: "its first line names no interpreter by an absolute path" };
  const command = nameOf(program);
  return command === "env" ? readEnv(words) : named(command, words);
}

// What perl passes over at the beginning of a file.
const PASSED_OVER = /^(?:\xef\xbb\xbf)?[ \t\v\f\r]*:?[ \t\v\f\r]*(?=#!)/;

/** Reads a first line that stands behind a byte order mark or spaces, where no system looks for one. */
export function readHiddenShebang(head: Uint8Array): ReturnType<typeof readShebang> {
  const end = head.indexOf(0x0a);
  const line = Buffer.from(head.subarray(0, end < 0 ? head.length : end)).toString("latin1");
  const [before] = PASSED_OVER.exec(line) ?? [];
  return before === undefined ? undefined : readShebang(head.subarray(before.length));
}

function readEnv(words: readonly string[]): Shebang | { readonly fault: string } {
  const [first = "", ...rest] = words;
  const split = /^(?:-S|--split-string=?)(.*)$/.exec(first);
  const [command = "", ...flags] = split === null ? words : [...(split[1] ? [split[1]] : []), ...rest];
  // Quotes, escapes and variables mean something to `env -S`, and nothing here.
  if (words.some((word) => /["'\\$#]/.test(word)))
    return { fault: "its first line has quotes, escapes or variables" };
  if (command.startsWith("-")) return { fault: `its first line gives env the flag ${command}` };
  if (command.includes("=")) return { fault: "its first line sets a variable through env" };
  return named(nameOf(command), flags);
}

function named(command: string, words: readonly string[]): Shebang | { readonly fault: string } {
  return command === "" ? { fault: "its first line names no interpreter" } : { command, words };
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1);
}
