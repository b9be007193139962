import { unknown, type Value } from "../value.ts";

/** What PowerShell's `-EncodedCommand` holds: base64 of UTF-16. */
export function decodePowershellArgument(argument: Value): Value {
  const source = { type: "decoded", encoding: "base64 of UTF-16" } as const;
  if (!/^[A-Za-z0-9+/=\s]{8,}$/.test(argument.text)) return unknown([...argument.sources, source]);
  const bytes = Buffer.from(argument.text, "base64");
  const isWide = bytes.length > 3 && bytes[1] === 0;
  const text = bytes.toString(isWide ? "utf16le" : "utf8");
  return { text, isKnown: true, sources: [...argument.sources, { ...source, text: text.slice(0, 4096) }] };
}
