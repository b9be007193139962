import type { FileDifference } from "@skillet/hub";
import type { Layout } from "../ui/terminal.ts";
import { firstLines, showControl, stripControl, wrap } from "../ui/text.ts";

/** What one side did to the version that was installed: `here` a person on this disk, `there` another version. */
type Side = "here" | "there";

/** A person who is asked reads no more, and one who asked not much more; `--json` has all of it. */
const [MAX_SHORT, MAX_LINES] = [30, 2_000];

/** File by file, safe to print: what acts on a terminal is made visible, and long lines are broken, never cut. */
export function differenceLines(
  differences: readonly FileDifference[],
  side: Side,
  { colours, width, name }: Layout & { readonly name?: string },
): string[] {
  const shown = differences.filter((one) => one[side] !== "unchanged");
  const lines = shown.flatMap(({ path, [side]: change, [`${side}Diff` as const]: diff }) => [
    `    ${colours.bold(stripControl(path))}  ${change}`,
    ...(diff ?? NO_TEXT).split("\n").flatMap((line) => {
      const paint = line.startsWith("+") ? colours.green : line.startsWith("-") ? colours.red : colours.dim;
      const parts = wrap(showControl(line), { width: width - 6 });
      return (parts.length === 0 ? [""] : parts).map((part) => `      ${paint(part)}`.trimEnd());
    }),
  ]);
  const most = name === undefined ? MAX_LINES : MAX_SHORT;
  const more = name === undefined ? "--json has them" : `skillet diff ${stripControl(name)}`;
  return firstLines(lines, most, String, (rest) => `    ${rest} more lines: ${more}`);
}

const NO_TEXT = "only its mode changed, or it is not text that can be compared";
