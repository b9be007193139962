import type { ShellWord } from "./shell-act.ts";

/** How a program that starts another is called. */
export interface Wrapper {
  /** Whether it adds nothing of its own: no rights, no variables, no place. */
  readonly isTransparent: boolean;
  /** Options without a value; anything else that starts with a dash is not understood. */
  readonly flags?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Options that hold their value. */
  readonly attached?: RegExp;
  /** Words between the options and the command: a duration, say. */
  readonly operands?: number;
  readonly takesAssignments?: true;
}

/** Programs that start the command in their arguments. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["nohup", { isTransparent: true }],
  ["time", { isTransparent: true, flags: /^-p$/ }],
  ["command", { isTransparent: true, flags: /^-p$/ }],
  ["builtin", { isTransparent: true }],
  ["exec", { isTransparent: true }],
  [
    "nice",
    { isTransparent: true, valued: /^(?:-n|--adjustment)$/, attached: /^(?:-n?-?\d+|--adjustment=-?\d+)$/ },
  ],
  [
    "timeout",
    {
      isTransparent: true,
      flags: /^(?:--preserve-status|--foreground|-v|--verbose)$/,
      valued: /^(?:-[ks]|--kill-after|--signal)$/,
      attached: /^(?:-[ks]\w+|--(?:kill-after|signal)=\w+)$/,
      operands: 1,
    },
  ],
  ["stdbuf", { isTransparent: true, attached: /^-[ioe][0L]$/ }],
  ["env", { isTransparent: true, takesAssignments: true }],
  // Other rights are another thing than the command alone, so these need a rule that names them.
  ["sudo", { isTransparent: false, flags: /^-[nH]$/, takesAssignments: true }],
  ["doas", { isTransparent: false, flags: /^-n$/ }],
]);

/** Starts its command with what it reads behind it. */
export const XARGS: Wrapper = {
  isTransparent: false,
  flags: /^(?:-[0rtx]+|--null|--no-run-if-empty|--verbose)$/,
  valued: /^(?:-[nLPsd]|--max-args|--max-procs|--delimiter)$/,
  attached: /^(?:-[nLPs]\d+|-d.+|--(?:max-args|max-procs|delimiter)=.+)$/,
};

/** Where the words behind a wrapper's options and operands begin, or why that cannot be said. */
export function skipOptions(
  wrapper: Wrapper,
  words: readonly ShellWord[],
): { readonly next: number; readonly problem?: string } {
  let next = 1;
  for (; next < words.length; next += 1) {
    const word = words[next];
    if (word?.kind !== "known") break;
    const { value } = word;
    if (value === "--") {
      next += 1;
      break;
    }
    if (!value.startsWith("-")) break;
    if (wrapper.valued?.test(value)) {
      // A value that is not known may be several words, the last of them a program.
      next += 1;
      if (words[next]?.kind !== "known") return { next, problem: `the value of ${value} is not known` };
    } else if (!wrapper.flags?.test(value) && !wrapper.attached?.test(value))
      return { next, problem: `${value} is not judged` };
  }
  const operands = words.slice(next, next + (wrapper.operands ?? 0));
  const isPlain = operands.every((word) => word.kind === "known" && /^[\w.]+$/.test(word.value));
  if (!isPlain) return { next, problem: "an operand is not judged" };
  return { next: next + operands.length };
}
