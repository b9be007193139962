import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { LAUNCHER, type Sandbox } from "../cli/sandbox.ts";

/** Whether there is a tmux to be the terminal. */
export const HAS_TMUX: boolean = spawnSync("tmux", ["-V"]).status === 0;
if (!HAS_TMUX) console.warn("Skipped without tmux: the journeys on a terminal. apt-get install tmux");

/** The width of the terminals: 80 columns, or as `npm run try:terminal` says. */
const COLUMNS: number = Number(process.env.TERMINAL_COLUMNS ?? 80);

/** What to type, each when the screen shows its words since the last ones were typed. */
type Answers = readonly (readonly [words: string, keys: string])[];

/** What a command left on the terminal. */
interface Shown {
  readonly exitCode: number;
  /** Every line, with those that the terminal itself broke joined again: they are wider than it is. */
  readonly lines: readonly string[];
  /** The same as one line, so that words can be looked for however they were wrapped. */
  readonly text: string;
}

/** A shell in a real terminal of 24 rows. */
export interface Terminal {
  readonly columns: number;
  /** Types a line, then answers what is asked, and gives what is shown when the shell asks for the next. */
  run(line: string, answers?: Answers): Promise<Shown>;
}

// For what hangs; a slow machine must not fail.
const TIMEOUT_MS = 120_000;

// The number of a prompt tells it from those before, and the code is what the command ended with. Each command begins
// on an empty screen, without what was typed.
const BASHRC = "PS1='(\\#:$?) '\nPS0='\\e[H\\e[2J\\e[3J'\nunset HISTFILE\n";

/**
 * Opens a terminal in a sandbox's project, closed when the test ends. tmux is spoken to in its control mode: it tells of
 * every change of the screen, so that nothing here waits for time to pass.
 */
export async function openTerminal(
  sandbox: Sandbox,
  options: { readonly columns?: number; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<Terminal> {
  const { columns = COLUMNS } = options;
  const bin = join(sandbox.root, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(LAUNCHER, join(bin, "skillet"));
  const shell = `bash --rcfile '${sandbox.write("bashrc", BASHRC)}'`;
  const tmux = spawn(
    "tmux",
    ["-u", "-C", "-f", "/dev/null", "-S", join(sandbox.root, "tmux"), "new-session", shell],
    {
      cwd: sandbox.project,
      env: {
        HOME: sandbox.home,
        PATH: [bin, dirname(process.execPath), process.env.PATH].join(":"),
        LC_ALL: "C.UTF-8",
        ...options.environment,
      },
    },
  );
  const replies: ((lines: readonly string[]) => void)[] = [];
  let reply: string[] | undefined;
  let whenChanged: (() => void) | undefined;
  createInterface({ input: tmux.stdout }).on("line", (line) => {
    if (line.startsWith("%begin ")) reply = [];
    else if (/^%(?:end|error) /.test(line)) {
      replies.shift()?.(reply ?? []);
      reply = undefined;
    } else if (reply !== undefined) reply.push(line);
    else if (line.startsWith("%output ")) whenChanged?.();
  });
  const ask = (command: string): Promise<readonly string[]> =>
    new Promise((resolve) => {
      replies.push(resolve);
      tmux.stdin.write(`${command}\n`);
    });
  const type = (keys: string) =>
    ask(`send-keys -H ${[...Buffer.from(keys)].map((byte) => byte.toString(16)).join(" ")}`);
  const screen = async (): Promise<readonly string[]> =>
    (await ask("capture-pane -p -J -S -")).map((line) => line.trimEnd());
  /** Waits until what is shown is as wanted; tmux says when to look again. */
  const waitFor = async <Found>(what: string, find: (lines: readonly string[]) => Found | undefined) => {
    let isLate = false;
    const timeout = setTimeout(() => {
      isLate = true;
      whenChanged?.();
    }, TIMEOUT_MS);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          whenChanged = resolve;
        });
        const lines = await screen();
        const found = find(lines);
        if (found !== undefined) return found;
        if (isLate) throw new Error(`The terminal never showed ${what}. It shows:\n${lines.join("\n")}`);
        await changed;
      }
    } finally {
      clearTimeout(timeout);
    }
  };
  const prompt = (number: number) => (lines: readonly string[]) => {
    const last = lines.findLastIndex((line) => line !== "");
    const [, code] = new RegExp(`^\\(${number}:(\\d+)\\)$`).exec(lines[last] ?? "") ?? [];
    return code === undefined ? undefined : { exitCode: Number(code), lines: lines.slice(0, last) };
  };
  // The reply to new-session itself.
  await new Promise<readonly string[]>((resolve) => replies.push(resolve));
  onTestFinished(async () => {
    await ask("kill-server");
  });
  await ask(`refresh-client -C ${columns}x24`);
  let number = 1;
  await waitFor("a shell", prompt(number));
  return {
    columns,
    run: async (line, answers = []) => {
      await type(`${line}\r`);
      const typed = `(${number}:`;
      await waitFor(
        "the command's start",
        (lines) => !lines.some((one) => one.startsWith(typed)) || undefined,
      );
      let seen = "";
      for (const [words, keys] of answers) {
        seen = await waitFor(`"${words}"`, (lines) => {
          const text = flat(lines);
          const rest = text.startsWith(seen) ? text.slice(seen.length) : text;
          return rest.includes(words) ? text : undefined;
        });
        await type(keys);
      }
      number += 1;
      const { exitCode, lines } = await waitFor("the next prompt", prompt(number));
      return { exitCode, lines, text: flat(lines) };
    },
  };
}

const flat = (lines: readonly string[]): string => lines.join(" ").replace(/\s+/g, " ").trim();
