import { named, operandOrInput, type Program } from "../model/call.ts";
import { EMPTY, mergeSources, UNKNOWN, unknown } from "../model/value.ts";
import { hasFlag, optionOf, readOptions } from "../table/split-options.ts";
import { decodeValue } from "./decode-text.ts";

const base64: Program = ({ program, words, input }, shell) => {
  const options = readOptions(words, { short: "wio", long: new Set(["--wrap", "--input", "--output"]) });
  const [file] = options.operands;
  const inputFile = optionOf(options, "-i", "--input");
  const given =
    file !== undefined && file.text !== "-"
      ? shell.readFile(file)
      : inputFile !== undefined && inputFile.text !== "" && !inputFile.text.startsWith("-")
        ? shell.readFile(inputFile)
        : (input ?? UNKNOWN);
  const decodes = hasFlag(options, "-d", "-D", "--decode", "--d");
  const encoding = program === "base32" ? "base32" : "base64";
  const result = decodes ? decodeValue(given, encoding) : unknown(given.sources);
  const output = optionOf(options, "-o", "--output");
  if (output === undefined) return result;
  shell.writeFile(output, result, { append: false });
  return EMPTY;
};

const basenc: Program = (call, shell) => {
  if (!call.texts.some((text) => /^-\w*d|^--decode/.test(text)))
    return unknown((call.input ?? UNKNOWN).sources);
  const encoding = call.texts.includes("--base32")
    ? "base32"
    : call.texts.includes("--base16")
      ? "hex"
      : "base64";
  return decodeValue(operandOrInput(call, shell), encoding);
};

const xxd: Program = (call, shell) => {
  const given = operandOrInput(
    { ...call, words: call.words.filter(({ text }) => !/^\d+$/.test(text)) },
    shell,
  );
  const isReverse = call.texts.some((text) => /^-[a-z]*r/.test(text));
  return isReverse ? decodeValue(given, "hex") : unknown(given.sources);
};

const gunzip: Program = (call, shell) => {
  const { program, texts } = call;
  const unpacks =
    /^(?:gunzip|zcat|gzcat|bunzip2|bzcat|unxz|xzcat|unzstd|zstdcat|unlzma|lzcat|uncompress|zlib-flate)$/.test(
      program,
    ) || texts.some((text) => /^-\w*d|^--decompress|^--uncompress/.test(text));
  const given = operandOrInput(call, shell);
  if (!unpacks) return unknown(given.sources);
  const file = call.words.find(({ text }) => !text.startsWith("-"));
  const result = decodeValue(given, "gzip");
  const isToOutput =
    file === undefined || /cat$/.test(program) || texts.some((text) => /^-\w*c|^--stdout/.test(text));
  if (isToOutput) return result;
  shell.writeFile({ ...file, text: file.text.replace(/\.\w{2,4}$/, "") }, result, { append: false });
  return EMPTY;
};

const openssl: Program = (call, shell) => {
  const { words, texts, input } = call;
  const options = readOptions(words, {
    long: new Set(["-in", "-out", "-k", "-pass", "-K", "-iv", "-connect", "-md", "-iter"]),
  });
  if (texts[0] === "s_client") {
    const host = (optionOf(options, "-connect")?.text ?? "*").replace(/:\d+$/, "");
    if (input?.isShell === true) shell.effect({ type: "remote-shell", host, how: "openssl s_client" });
    else if (input !== undefined) shell.flow(input.sources, { type: "network", how: "socket", host });
    return unknown([{ type: "network", url: `ssl://${host}`, host }]);
  }
  const file = optionOf(options, "-in");
  const given = file === undefined ? (input ?? UNKNOWN) : shell.readFile(file);
  const decodes = texts.includes("-d") || texts.includes("-decrypt");
  const isPlainBase64 =
    texts[0] === "base64" || (texts[0] === "enc" && texts.includes("-base64") && texts.length < 6);
  const result = !decodes
    ? unknown(given.sources)
    : isPlainBase64
      ? decodeValue(given, "base64")
      : unknown(mergeSources(given.sources, [{ type: "decoded", encoding: "openssl" }]));
  const out = optionOf(options, "-out");
  if (out === undefined) return result;
  shell.writeFile(out, result, { append: false });
  return EMPTY;
};

const gpg: Program = (call, shell) => {
  if (call.texts.some((text) => /^--export-secret/.test(text)))
    return unknown([{ type: "secret", secret: "gpg", name: "gpg --export-secret-keys" }]);
  const given = operandOrInput(call, shell);
  const decodes = call.texts.some((text) => /^(?:-d|--decrypt)$/.test(text));
  return unknown(
    decodes ? mergeSources(given.sources, [{ type: "decoded", encoding: "gpg" }]) : given.sources,
  );
};

/** Programs that encode and decode, pack and unpack. */
export const DECODERS: readonly (readonly [string, Program])[] = [
  ["base64", base64],
  ["base32", base64],
  ["gbase64", base64],
  ["basenc", basenc],
  ["xxd", xxd],
  ["uudecode", (call, shell) => decodeValue(operandOrInput(call, shell), "ascii85")],
  ...named(
    "gunzip zcat gzcat gzip bunzip2 bzcat bzip2 xz unxz xzcat zstd unzstd zstdcat unlzma zlib-flate",
    gunzip,
  ),
  ["openssl", openssl],
  ["gpg", gpg],
  ["gpg2", gpg],
];
