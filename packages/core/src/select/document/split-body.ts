/** The parts of a skill's instructions that count differently. */
export interface BodyParts {
  readonly headings: string;
  readonly prose: string;
  readonly code: string;
  /** What stands below a heading such as "When to use this skill". */
  readonly occasions: string;
  /** Code blocks of shells alone, for the commands in them. */
  readonly shell: string;
}

/** Splits Markdown line by line: exact enough for counting words, and linear in whatever somebody wrote. */
export function splitBody(body: string): BodyParts {
  const headings: string[] = [];
  const prose: string[] = [];
  const code: string[] = [];
  const occasions: string[] = [];
  const shell: string[] = [];
  let fence = "";
  let isShell = false;
  let isOccasion = false;
  for (const line of body.split("\n")) {
    const start = line.trimStart();
    if (fence !== "") {
      if (start.startsWith(fence)) fence = "";
      else {
        code.push(line);
        if (isShell) shell.push(start);
      }
    } else if (start.startsWith("```") || start.startsWith("~~~")) {
      fence = start.slice(0, 3);
      isShell = SHELL.test(start.slice(3));
    } else if (line.startsWith("#")) {
      const heading = line.replace(/^#+/, "");
      headings.push(heading);
      isOccasion = OCCASION.test(heading) && !NOT_OCCASION.test(heading);
    } else {
      prose.push(line);
      if (isOccasion) occasions.push(start);
    }
  }
  return {
    headings: headings.join("\n"),
    prose: prose.join("\n"),
    code: code.join("\n"),
    occasions: occasions.join("\n"),
    shell: shell.join("\n"),
  };
}

const SHELL = /^\s*(?:(?:ba|z|fi)?sh|shell|console|terminal)?\s*$/i;
const OCCASION =
  /\bwhen\b.{0,12}\b(?:use|to use|apply|activate|invoke|trigger)|\btriggers?\b|\btrigger (?:phrases|words|conditions)|\buse cases?\b|\bactivat(?:e|ion)|quando us|cuándo|何时|何時|使用场景|適用|触发|适用/i;
const NOT_OCCASION = /\bnot\b|\bdon['’]?t\b|\bnever\b|不/i;
