/** One command of a terminal session and what the page says it prints. */
export interface TranscriptStep {
  readonly command: string;
  readonly expected: string;
}

/** Reads `$ command` lines, `> ` lines that continue them, and the output below each. */
export function parseTranscript(code: string): readonly TranscriptStep[] {
  const steps: { command: string[]; expected: string[] }[] = [];
  for (const line of code.replace(/\n$/, "").split("\n")) {
    const last = steps.at(-1);
    if (line.startsWith("$ ")) steps.push({ command: [line.slice(2)], expected: [] });
    else if (last === undefined) throw new SyntaxError(`There is output before the first command: ${line}`);
    else if (line.startsWith("> ") && last.expected.length === 0) last.command.push(line.slice(2));
    else last.expected.push(line);
  }
  return steps.map(({ command, expected }) => ({
    command: command.join("\n"),
    expected: expected.join("\n"),
  }));
}

/** Whether output is what a page shows; `…` stands for the rest of a line, alone on a line for any number of lines. */
export function matchesOutput(expected: string, actual: string): boolean {
  const wanted = lines(expected);
  const given = lines(actual);
  // reachable[i]: whether the first i lines of the output fit the lines of the page seen so far.
  let reachable: boolean[] = [true, ...given.map(() => false)];
  for (const line of wanted) {
    const isGap = line.trim() === "…";
    const pattern = lineBoundPattern(line);
    const next: boolean[] = [isGap && reachable[0] === true];
    for (const [index, text] of given.entries())
      next.push(
        isGap
          ? next[index] === true || reachable[index + 1] === true
          : reachable[index] === true && pattern.test(text),
      );
    reachable = next;
  }
  return reachable.at(-1) === true;
}

// What a skill costs depends on how long the path of the checkout is, so a real capture cannot hold everywhere.
const COST = / +~[\d.]+k? \/ ~[\d.]+k? tok$/;

function lines(text: string): string[] {
  const all = text.split("\n").map((line) => line.trimEnd().replace(COST, " ~N / ~N tok"));
  while (all.at(-1) === "") all.pop();
  return all;
}

function lineBoundPattern(line: string): RegExp {
  const literal = line.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join(".*")}$`);
}
