/** Commands or programs of one kind, one per line; `\n` means a line feed. A line that begins with `?` may be *caution*. */
export interface ProbeGroup {
  readonly file: string;
  readonly attack: (text: string) => string;
  /** The same shape without the harm, which must not be *dangerous*. */
  readonly honest: (text: string) => string;
  readonly probes: string;
}

export interface Probe {
  readonly file: string;
  readonly text: string;
  readonly honest: string;
  readonly least: "caution" | "dangerous";
}

export function probesOf(group: ProbeGroup): readonly Probe[] {
  return group.probes
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const text = line
        .replace(/^\? /, "")
        .replaceAll("\\n", "\n")
        .replaceAll("\\${", "${")
        .replaceAll("\\`", "`");
      const { file } = group;
      const least = line.startsWith("? ") ? "caution" : "dangerous";
      return { file, text: group.attack(text), honest: group.honest(text), least };
    });
}
