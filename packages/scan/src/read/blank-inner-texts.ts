import type { SourceText } from "../text/source-text.ts";

/** Text encoded in a fence is decoded with the fence, which knows whether it is a specimen; the document around it does not. */
export function blankInnerTexts(source: SourceText, inner: readonly SourceText[]): SourceText {
  const whole = inner.filter(
    ({ keepsLines, medium, file, chain }) =>
      keepsLines && medium === "fence" && file === source.file && chain.length === source.chain.length,
  );
  if (whole.length === 0 || !source.keepsLines) return source;
  const lines = source.text.split("\n");
  for (const { firstLine, text } of whole) {
    const start = firstLine - source.firstLine;
    const end = start + text.split("\n").length;
    for (let line = Math.max(start, 0); line < end && line < lines.length; line++) lines[line] = "";
  }
  return { ...source, text: lines.join("\n") };
}
