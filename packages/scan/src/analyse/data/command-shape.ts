/** Whether a value under a key for commands is one: its first line begins with a program and goes on as command lines do. */
export function isCommandLine(text: string): boolean {
  const line = firstLine(text);
  const program = PROGRAM.exec(line)?.[1];
  if (program === undefined) return false;
  return (KNOWN.test(program) && /\s/.test(line.trim())) || OPERATOR.test(line);
}

/**
 * The command in a text that is one wherever it stands: an interpreter with code, or programs that feed one another.
 * All of the text where it begins as one, else the part that fetches and runs.
 */
export function sureCommandIn(text: string): string | undefined {
  const line = firstLine(text);
  if (!RISKY.test(line)) return undefined;
  if (INTERPRETED.test(line) || PIPED.test(line)) return text;
  const piped = fetchedAndRun(line);
  return piped !== undefined && KNOWN.test(PROGRAM.exec(line)?.[1] ?? "") ? text : piped;
}

/** Whether a list of words is one command: a program that runs others, and what it is given. */
export function isArgumentVector(words: readonly string[]): boolean {
  const [first, second] = words;
  if (first === undefined || second === undefined || /\s/.test(first.trim())) return false;
  const program = first.slice(first.lastIndexOf("/") + 1);
  return INTERPRETER_NAME.test(program) && (second.startsWith("-") || second.startsWith("/"));
}

/** The part of a line that fetches something and hands it to an interpreter. */
export function fetchedAndRun(line: string): string | undefined {
  let from = 0;
  for (let count = 0; count < MAX_FETCHERS; count++) {
    const at = line.slice(from).search(FETCHER);
    if (at === -1) return undefined;
    // Within a window and for a few fetchers alone: all of them with all pipes behind would be quadratic.
    const window = line.slice(from + at, from + at + MAX_PIPE_CHARACTERS);
    const run = INTO_INTERPRETER.exec(window);
    if (run !== null) return window.slice(0, run.index + run[0].length);
    from += at + 4;
  }
  return undefined;
}

const MAX_FETCHERS = 10;
const MAX_PIPE_CHARACTERS = 600;
const MAX_LINE_CHARACTERS = 4_000;

function firstLine(text: string): string {
  const head = text.slice(0, MAX_LINE_CHARACTERS);
  for (const line of head.split("\n", MAX_LEADING_LINES)) {
    const plain = line.trim();
    if (plain !== "" && !plain.startsWith("#") && !/^(?:set -|echo )/.test(plain)) return plain;
  }
  return "";
}

const MAX_LEADING_LINES = 20;
const LEAD = "^[!@]?(?:(?:sudo|env|nohup|exec|command|time|eval)\\s{1,4}){0,3}(?:[\\w.~$/{}-]{0,80}/)?";
const PROGRAM = new RegExp(`${LEAD}([a-z][\\w.+-]{1,40})(?=\\s|$)`);
const KNOWN =
  /^(?:curl|wget|bash|sh|zsh|dash|ksh|fish|python[\d.]*|node|npx|npm|pnpm|yarn|bun|bunx|deno|ruby|perl|php|powershell|pwsh|cmd|nc|ncat|netcat|socat|osascript|base64|openssl|source|ssh|scp|rsync|tar|unzip|rm|dd|chmod|cat|printf|cp|mv|git|docker|pip3?|uvx?|pipx|go|cargo|gem|java|launchctl|crontab|systemctl|defaults|security|find|xargs|tee|export)(?:\.exe)?$/;
const OPERATOR = /\s--?[A-Za-z][\w-]*(?:[\s=]|$)|\s\|\s|&&|\|\||\s>{1,2}\s|\$\(/;
/** One look before the patterns: most values are numbers, names and sentences. */
const RISKY =
  /\b(?:curl|wget|iwr|irm|invoke-|bash|sh|zsh|dash|python|node|perl|ruby|php|powershell|pwsh|osascript|nc|ncat|cmd)/i;
const FETCHER = /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b/i;
const INTO_INTERPRETER =
  /\|\s{0,4}(?:(?:sudo|env|nohup|exec)\s{1,4}){0,3}(?:[\w/]{0,40}\/)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|iex|invoke-expression|osascript)(?![\w.-])/i;
const INTERPRETED = new RegExp(
  `${LEAD}(?:(?:ba|z|da|k)?sh|python[\\d.]*|node|perl|ruby|php|powershell|pwsh|cmd|osascript)(?:\\.exe)?\\s{1,4}(?:-\\w{1,20}\\s{1,4}(?:\\w{1,20}\\s{1,4})?){0,4}(?:-[a-z]{0,4}[ce]|-enc\\w{0,12}|-command|--eval|/c|-r)\\s{1,4}\\S`,
  "i",
);
const PIPED = new RegExp(
  `${LEAD}(?:cat|tar|env|printenv|echo|printf|base64|openssl|dd|gzip|find|security|history)\\b[^\\n]{0,600}\\|\\s{0,4}(?:curl|nc|ncat|netcat|socat|(?:ba|z|da|k)?sh|python[\\d.]*|openssl)\\b|${LEAD}(?:curl|wget|nc|ncat)\\s{1,4}(?:-\\S|https?:|['"])`,
);
const INTERPRETER_NAME =
  /^(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|powershell|pwsh|cmd|osascript|curl|wget|nc|ncat|socat|env|sudo|busybox)(?:\.exe)?$/i;
