/** What a prompt costs with so many skills, in tokens. */
export interface TokenRow {
  readonly skills: number;
  /** Every SKILL.md in the prompt. */
  readonly everything: number;
  /** Every name and description in the prompt. */
  readonly descriptions: number;
  /** What Skillet puts there: the catalogue and its tools. */
  readonly rest: number;
  /** The part of it that is tools. */
  readonly tools: number;
  /** With the instructions of one skill. */
  readonly loaded: number;
}

const SERIES = [
  { key: "everything", label: "every SKILL.md", colour: "#b8bfc9", left: 10 },
  { key: "descriptions", label: "every name and description", colour: "#7d8ba1", left: 150 },
  { key: "loaded", label: "Skillet, one skill loaded", colour: "#f0a35e", left: 355 },
  { key: "rest", label: "Skillet at rest", colour: "#d9601a", left: 545 },
] as const;
const WIDTH = 760;
const LEFT = 110;
const RIGHT = 90;
const BAR = 14;
const GROUP = SERIES.length * (BAR + 3) + 18;
const TOP = 44;

/** The rows as a bar chart, in SVG; every step of its scale is ten times the one before. */
export function drawTokens(rows: readonly TokenRow[]): string {
  const most = Math.max(...rows.map(({ everything }) => everything));
  const decades = Math.ceil(Math.log10(most)) - 2;
  const scale = (tokens: number): number =>
    Math.max(2, ((Math.log10(Math.max(100, tokens)) - 2) / decades) * (WIDTH - LEFT - RIGHT));
  const height = TOP + rows.length * GROUP + 30;
  const bottom = height - 26;
  const text = (x: number, y: number, words: string, rest = ""): string =>
    `<text x="${x}" y="${y}"${rest}>${words}</text>`;
  const lines = Array.from({ length: decades + 1 }, (_, step) => {
    const x = LEFT + scale(10 ** (step + 2)) - (step === 0 ? 2 : 0);
    return (
      `<path d="M${x} ${TOP - 8}V${bottom}" stroke="#e3e6ea"/>` +
      text(x, bottom + 16, (10 ** (step + 2)).toLocaleString("en"), ' text-anchor="middle" fill="#57606a"')
    );
  });
  const legend = SERIES.map(
    ({ label, colour, left }) =>
      `<rect x="${left}" y="12" width="12" height="12" fill="${colour}"/>${text(left + 18, 22, label)}`,
  );
  const bars = rows.map((row, index) => {
    const y = TOP + index * GROUP;
    const group = SERIES.map(({ key, colour }, at) => {
      const top = y + at * (BAR + 3);
      const width = scale(row[key]);
      return (
        `<rect x="${LEFT}" y="${top}" width="${width.toFixed(1)}" height="${BAR}" fill="${colour}"/>` +
        text(LEFT + width + 6, top + BAR - 3, row[key].toLocaleString("en"), ' fill="#57606a"')
      );
    });
    const label = text(
      LEFT - 10,
      y + GROUP / 2 - 8,
      `${row.skills.toLocaleString("en")} skills`,
      ' text-anchor="end"',
    );
    return label + group.join("");
  });
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12" fill="#1f2328">`,
    "<title>Tokens in the prompt, by how many skills there are</title>",
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...lines,
    ...legend,
    ...bars,
    "</svg>",
  ].join("\n")}\n`;
}
