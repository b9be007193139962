import fc from "fast-check";

const SIGNS = [
  ..."ab05:#-?,[]{}\"'|>&*!%@`\\ \t\r\n~=.",
  ": ",
  " #",
  "- ",
  "\n  ",
  "\n    ",
  "\n- ",
  "|\n  ",
  ">-\n  ",
  "''",
  '\\"',
  "---",
  "...",
  "é",
  "🎬",
  "\u00a0",
  "\u0085",
  "\u2028",
  "\uFEFF",
  "{a: b}",
  '{"a":["b"]}',
  "key: ",
  "__proto__: ",
  "true",
  "1.10",
];

/** Random sequences of characters that are significant in YAML. */
export function jumbles(): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...SIGNS), maxLength: 24 });
}

const KEYS = [
  "name",
  "description",
  "metadata",
  "license",
  "allowed-tools",
  "user_invocable",
  "a",
  "b1",
  "__proto__",
];

/** Headers in the patterns that skills use, and in some that they should not. */
export function headers(): fc.Arbitrary<string> {
  const key = fc.constantFrom(...KEYS);
  const words = fc.string({
    unit: fc.constantFrom(
      "use",
      "when",
      " ",
      "it's",
      ",",
      ".",
      "(a)",
      "é",
      "🎬",
      "x:y",
      "#1",
      "1",
      '"',
      "-",
      "/",
    ),
    maxLength: 8,
  });
  const scalar = fc.oneof(
    words,
    words.map((text) => `Use ${text}`),
    words.map((text) => `Use this: ${text}`),
    words.map((text) => JSON.stringify(text)),
    words.map((text) => `'${text.replaceAll("'", "''")}'`),
    fc.constantFrom("true", "no", "1.10", "5", "~", "", "# note", "text # note", "[a, b]", "{}", "|", "- x"),
  );
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
  const flow = fc.oneof(
    json,
    json.map((text) => text.replaceAll(",", ", ").replaceAll(":", ": ")),
  );
  const block = fc
    .tuple(
      fc.constantFrom("|", ">", "|-", ">-"),
      fc.array(fc.oneof(words, fc.constant("")), { maxLength: 4 }),
    )
    .map(([style, lines]) => `${style}\n${lines.map((line) => `  ${line}`).join("\n")}`);
  const list = fc
    .array(scalar, { maxLength: 3 })
    .map((items) => items.map((item) => `\n  - ${item}`).join(""));
  const map = fc
    .array(fc.tuple(key, fc.oneof(scalar, flow)), { maxLength: 3 })
    .map((entries) => entries.map(([name, value]) => `\n  ${name}: ${value}`).join(""));
  const nested = map.map((text) => `\n  inner:${text.replaceAll("\n", "\n  ")}`);
  const items = map.map((text) => text.replace("\n  ", "\n- "));
  const value = fc.oneof(
    { weight: 4, arbitrary: scalar.map((text) => ` ${text}`) },
    flow.map((text) => ` ${text}`),
    block.map((text) => ` ${text}`),
    list,
    map,
    nested,
    items,
  );
  const comment = fc.constantFrom("", "", "", "# note\n", "  # note\n", "\n");
  return fc
    .tuple(fc.shuffledSubarray(KEYS, { maxLength: 5 }), fc.infiniteStream(fc.tuple(value, comment)))
    .map(([keys, stream]) => keys.map((name) => [name, stream.next().value] as const))
    .map((lines) => lines.map(([name, [text, note]]) => `${name}:${text}\n${note}`).join(""));
}

/** Headers with a few characters inserted or removed. */
export function damagedHeaders(): fc.Arbitrary<string> {
  const damage = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...SIGNS));
  return fc.tuple(headers(), fc.array(damage, { minLength: 1, maxLength: 3 })).map(([header, damages]) =>
    damages.reduce((text, [place, cut, sign]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + sign + text.slice(at + cut);
    }, header),
  );
}

/** Whole files with any of these headers, and all kinds of fences. */
export function files(): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom("", "", "", "\uFEFF", "\n", " \n\n", "<!-- note -->\n"),
      fc.constantFrom(
        "---\n",
        "---\n",
        "---\n",
        "---\n",
        "--- \n",
        "---\r\n",
        "----\n",
        "---yaml\n",
        "---js\n",
        "",
      ),
      fc.oneof(headers(), headers(), damagedHeaders(), jumbles()),
      fc.constantFrom(
        "---\n",
        "---\n",
        "---\n",
        "---\n",
        "---",
        "--- \n",
        "---\r\n",
        "...\n",
        "\n----\n",
        "",
      ),
      fc.constantFrom(
        "",
        "é",
        "\n# Title\n\nA paragraph ✓ 🎬.\n",
        "body\n---\nmore\n",
        "\n\n  indented\n \n",
      ),
      fc.boolean(),
    )
    .map(([lead, opening, header, closing, body, crlf]) => {
      const text = lead + opening + header + closing + body;
      return crlf ? text.replaceAll(/\r?\n/g, "\r\n") : text;
    });
}
