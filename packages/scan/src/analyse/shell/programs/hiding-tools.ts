import { optionOf, readOptions } from "../read-options.ts";
import type { Program } from "../shell-call.ts";
import { EMPTY, known, sourcesOf, unknown } from "../value.ts";

/** `steghide embed -ef secret -cf picture`: the picture carries the secret from then on. */
const hide: Program = ({ words, input }, shell) => {
  const options = readOptions(words, { long: VALUED });
  const secret = optionOf(options, "-f", "-ef", "--embedfile", "-mf", "--messagefile", "-d", "--data");
  const cover =
    optionOf(options, "-sf", "--stegofile") ??
    optionOf(options, "-cf", "--coverfile") ??
    options.operands.at(-1);
  if (secret === undefined || cover === undefined) return EMPTY;
  const hidden = secret.text === "-" ? input : shell.readFile(secret);
  shell.writeFile(cover, unknown(hidden?.sources ?? []), { append: true });
  return EMPTY;
};

// These programs write options of several letters with one dash.
const VALUED: ReadonlySet<string> = new Set([
  ...["-f", "-ef", "-cf", "-sf", "-mf", "-p", "-d", "-k"],
  ...["--embedfile", "--coverfile", "--stegofile", "--messagefile", "--passphrase", "--data", "--key"],
]);

/** `exiftool -Comment="$(cat secret)" picture`: what a tag is given stands in the picture, where nobody looks. */
const tag: Program = ({ words }, shell) => {
  const given = words.filter(({ text }) => /^-[\w:]{1,60}[-+]?<?=/.test(text));
  const carried = given.map((word) => {
    const path = /^-[\w:]{1,60}[-+]?<=(.{1,400})$/.exec(word.text)?.[1];
    return path === undefined ? word : shell.readFile(known(path));
  });
  const sources = sourcesOf(carried);
  if (sources.length === 0) return EMPTY;
  for (const picture of words.filter(({ text }) => !text.startsWith("-")))
    shell.writeFile(picture, unknown(sources), { append: true });
  return EMPTY;
};

/** `convert in.png -set comment "$(cat secret)" out.png`. */
const draw: Program = ({ words, texts }, shell) => {
  const given = words.filter(
    (_word, index) =>
      /^(?:-set|-comment|-label|-annotate)$/.test(texts[index - 2] ?? "") ||
      /^-(?:comment|label)$/.test(texts[index - 1] ?? ""),
  );
  const sources = sourcesOf(given);
  const picture = words.at(-1);
  if (sources.length > 0 && picture !== undefined)
    shell.writeFile(picture, unknown(sources), { append: true });
  return EMPTY;
};

/** Programs that put data into pictures and sounds. */
export const HIDING_TOOLS: readonly (readonly [string, Program])[] = [
  ...["steghide", "stegsnow", "openstego", "outguess", "stegosuite"].map((name) => [name, hide] as const),
  ["exiftool", tag],
  ...["convert", "magick", "mogrify"].map((name) => [name, draw] as const),
];
