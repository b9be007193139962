import type { Language } from "../file/file-kind.ts";
import { analyseData } from "./data/analyse-data.ts";
import {
  analysePromises,
  analyseRequirements,
  analyseSecrets,
  analyseTable,
} from "./data/analyse-listings.ts";
import { analyseNotebook } from "./data/analyse-notebook.ts";
import { analyseToolCalls } from "./data/analyse-tool-calls.ts";
import { analyseEmbeddedCommands } from "./data/command-shape.ts";
import type { Analyser } from "./fact-writer.ts";
import { analyseMarkdown } from "./markdown/analyse-markdown.ts";
import { analyseMarkup } from "./markdown/analyse-markup.ts";
import { analyseProgram } from "./program/analyse-program.ts";
import { analyseDockerfile, analyseMakefile } from "./shell/analyse-command-files.ts";
import { analyseBatch, analysePowershell, analyseShell } from "./shell/analyse-shell.ts";

export function analysersFor(language: Language): readonly Analyser[] {
  return ANALYSERS[language];
}

const ANALYSERS: Readonly<Record<Language, readonly Analyser[]>> = {
  markdown: [analyseMarkdown, analyseSecrets],
  // A text without a known language is read as a user would read it.
  text: [analyseMarkdown, analyseRequirements, analyseToolCalls, analyseEmbeddedCommands, analyseSecrets],
  shell: [analyseShell, analysePromises, analyseSecrets],
  powershell: [analysePowershell, analyseSecrets],
  batch: [analyseBatch, analyseSecrets],
  python: [analyseProgram, analyseToolCalls, analysePromises, analyseSecrets],
  javascript: [analyseProgram, analysePromises, analyseSecrets],
  typescript: [analyseProgram, analysePromises, analyseSecrets],
  json: [analyseData, analyseSecrets],
  yaml: [analyseData, analyseSecrets],
  toml: [analyseData, analyseSecrets],
  ini: [analyseData, analyseSecrets],
  html: [analyseMarkup, analyseEmbeddedCommands, analyseSecrets],
  svg: [analyseMarkup, analyseSecrets],
  xml: [analyseMarkup, analyseEmbeddedCommands, analyseSecrets],
  notebook: [analyseNotebook, analyseSecrets],
  dockerfile: [analyseDockerfile, analyseSecrets],
  makefile: [analyseMakefile, analyseSecrets],
  css: [analyseMarkup, analyseSecrets],
  csv: [analyseTable, analyseEmbeddedCommands, analyseSecrets],
  code: [analyseProgram, analyseEmbeddedCommands, analyseSecrets],
};

export const LANGUAGES: readonly Language[] = Object.keys(ANALYSERS) as Language[];
