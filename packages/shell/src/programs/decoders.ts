import type { Program, Shell } from "../model/call.ts";
import { EMPTY, mergeSources, unknown, type Value } from "../model/value.ts";
import { type Column, words } from "../table/program-row.ts";
import { Options } from "../table/split-options.ts";
import { decodeValue } from "./decode-text.ts";

const base64: Program = (call, shell) => {
  const options = new Options(call.words, words("-w -i -o --wrap --input --output"));
  const [file] = options.operands;
  const inputFile = options.get("-i --input");
  const hasInputFile = inputFile !== undefined && !/^(?:$|-)/.test(inputFile.text);
  const path = file === undefined || file.text === "-" ? (hasInputFile ? inputFile : undefined) : file;
  const given = call.read(path, shell);
  const decodes = options.has("-d -D --decode --d");
  const encoding = call.program === "base32" ? "base32" : "base64";
  const result = decodes ? decodeValue(given, encoding) : unknown(given.sources);
  return writeOrPrint(options.get("-o --output"), result, shell);
};

function writeOrPrint(path: Value | undefined, result: Value, shell: Shell): Value {
  if (path === undefined) return result;
  shell.writeFile(path, result, { append: false });
  return EMPTY;
}

const basenc: Program = (call, shell) => {
  if (!call.has(/^-\w*d|^--decode/)) return unknown(call.input?.sources ?? []);
  const { texts } = call;
  const encoding = texts.includes("--base32") ? "base32" : texts.includes("--base16") ? "hex" : "base64";
  return decodeValue(call.read(call.operands[0], shell), encoding);
};

const xxd: Program = (call, shell) => {
  const file = call.operands.find(({ text }) => !/^\d+$/.test(text));
  const given = call.read(file, shell);
  return call.has(/^-[a-z]*r/) ? decodeValue(given, "hex") : unknown(given.sources);
};

/** `gunzip file.gz` writes `file`; with `-c`, as `zcat` or in a pipe it prints. */
const gunzip: Program = (call, shell) => {
  const { program } = call;
  const [file] = call.operands;
  const given = call.read(file, shell);
  const unpacks = /^(?:gun|un|bun|zlib-flate)|cat$/.test(program);
  if (!unpacks && !call.has(/^-\w*d|^--decompress|^--uncompress/)) return unknown(given.sources);
  const prints = file === undefined || program.endsWith("cat") || call.has(/^-\w*c|^--stdout/);
  const target = prints ? undefined : { ...file, text: file.text.replace(/\.\w{2,4}$/, "") };
  return writeOrPrint(target, decodeValue(given, "gzip"), shell);
};

const openssl: Program = (call, shell) => {
  const { texts, input } = call;
  const options = new Options(call.words, words("-in -out -k -pass -K -iv -connect -md -iter"));
  if (texts[0] === "s_client") {
    const host = (options.get("-connect")?.text ?? "*").replace(/:\d+$/, "");
    if (input?.isShell) shell.effect({ type: "remote-shell", host, how: "openssl s_client" });
    else if (input !== undefined) shell.flow(input.sources, { type: "network", how: "socket", host });
    return unknown([{ type: "network", url: `ssl://${host}`, host }]);
  }
  const given = call.read(options.get("-in"), shell);
  const isPlainBase64 =
    texts[0] === "base64" || (texts[0] === "enc" && texts.includes("-base64") && texts.length < 6);
  const result = !call.has(/^-(?:d|decrypt)$/)
    ? unknown(given.sources)
    : isPlainBase64
      ? decodeValue(given, "base64")
      : unknown(mergeSources(given.sources, [{ type: "decoded", encoding: "openssl" }]));
  return writeOrPrint(options.get("-out"), result, shell);
};

const gpg: Program = (call, shell) => {
  if (call.has(/^--export-secret/))
    return unknown([{ type: "secret", secret: "gpg", name: "gpg --export-secret-keys" }]);
  const options = new Options(
    call.words,
    words("-o -r -u -R -i --output --recipient --passphrase --local-user"),
  );
  const file = options.operands[0];
  const { sources } = call.read(file, shell);
  const decodes = options.has("-d --decrypt");
  const result = unknown(decodes ? mergeSources(sources, [{ type: "decoded", encoding: "gpg" }]) : sources);
  const target = options.get("-o --output");
  // `gpg -c file` writes `file.gpg`.
  const beside = file === undefined || decodes ? undefined : { ...file, text: `${file.text}.gpg` };
  return writeOrPrint(target?.text === "-" ? undefined : (target ?? beside), result, shell);
};

export const DECODERS: Column<Program> = {
  "base64 base32 gbase64": base64,
  basenc,
  xxd,
  uudecode: (call, shell) => decodeValue(call.read(call.operands[0], shell), "ascii85"),
  "gunzip zcat gzcat gzip bunzip2 bzcat bzip2 xz unxz xzcat zstd unzstd zstdcat unlzma zlib-flate": gunzip,
  openssl,
  "gpg gpg2 age rage": gpg,
};
