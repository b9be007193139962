import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../fact-writer.ts";
import { namedLanguage } from "../markdown/analyse-markdown.ts";
import {
  type DataNode,
  type DataScalar,
  DataWriter,
  firstScalar,
  scalarAt,
  scalarsOf,
  valueAt,
} from "./data-node.ts";
import { readJson } from "./value-scanner.ts";

/** Reads a Jupyter notebook: code cells as code, others as documents, and outputs as text, which models read too. */
export function analyseNotebook(source: SourceText): Analysis {
  const writer = new DataWriter(source);
  const { root, fault } = readJson(source.text);
  const cells = valueAt(root, "cells") ?? valueAt(root, "worksheets");
  const kernel = scalarAt(root, "metadata", "kernelspec", "language")?.text ?? "python";
  for (const cell of cells?.kind === "list" ? cells.items : []) readCell(writer, cell, kernel);
  if (cells === undefined) writer.texts.push({ ...source, language: "text" });
  if (fault !== undefined || cells === undefined) writer.unread("it is no whole notebook");
  return writer.analysis;
}

function readCell(writer: DataWriter, cell: DataNode, kernel: string): void {
  const type = scalarAt(cell, "cell_type")?.text;
  const sources = scalarsOf(valueAt(cell, "source") ?? valueAt(cell, "input"));
  const [first] = sources;
  if (first !== undefined) {
    const text = sources.map((scalar) => scalar.text).join("");
    if (type === "code") addCode(writer, first, text, kernel);
    else writer.text("markdown", first, { text });
  }
  const outputs = valueAt(cell, "outputs");
  for (const output of outputs?.kind === "list" ? outputs.items : []) readOutput(writer, output);
}

function addCode(writer: DataWriter, place: DataScalar, text: string, kernel: string): void {
  const magic = /^%%(?:bash|sh|script|system)\b[^\n]*\n/.exec(text);
  if (magic !== null) {
    writer.text("shell", place, { text: text.slice(magic[0].length) });
    return;
  }
  const lines = text.split("\n");
  const commands = lines.filter((line) => /^\s*[!%]/.test(line));
  const shell = commands.map((line) =>
    line.replace(/^\s*(?:!+|%(?:sx|system|pip|conda)?\s?)/, (bang) =>
      /pip|conda/.test(bang) ? bang.trim().slice(1).concat(" ") : "",
    ),
  );
  if (shell.length > 0) writer.text("shell", place, { text: shell.join("\n") });
  const code = lines.map((line) => (/^\s*[!%]/.test(line) ? "" : line)).join("\n");
  writer.text(namedLanguage(kernel) ?? "code", place, { text: code });
}

function readOutput(writer: DataWriter, output: DataNode): void {
  const kinds = ["text/plain", "text/html", "text/markdown"].map((kind) => valueAt(output, "data", kind));
  const texts = [valueAt(output, "text"), ...kinds].flatMap(scalarsOf);
  const first = texts[0] ?? (valueAt(output, "data") === undefined ? undefined : firstScalar(output));
  if (first === undefined || texts.length === 0) return;
  writer.text("text", first, { text: texts.map((scalar) => scalar.text).join("") });
}
