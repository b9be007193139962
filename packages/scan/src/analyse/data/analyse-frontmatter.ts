import { parseSkill } from "@skillet/core";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import type { DataNode } from "./data-node.ts";
import { DataWriter } from "./data-writer.ts";
import { declareManifest } from "./declare-manifest.ts";
import { readAgentSetting } from "./read-agent-settings.ts";
import { readClaims } from "./read-claims.ts";
import { readCommands } from "./read-commands.ts";
import { isMcpServers, readMcpServers } from "./read-mcp-servers.ts";
import { readProseValues } from "./read-prose-values.ts";
import { readYaml } from "./read-yaml.ts";
import { walkData } from "./walk-data.ts";

/** Reads the header of a document: what a skill declares, whichever dialect it is in, and what it would have run. */
export function analyseFrontmatter(source: SourceText): Analysis {
  const writer = new DataWriter(source);
  const header = withoutFences(source.text);
  const { root } = readYaml(header);
  if (isSkillFile(source.file)) {
    const { manifest } = parseSkill(`---\n${header.trim()}\n---\n`);
    if (manifest !== undefined) declareManifest(writer, manifest);
    readClaims(writer, root);
  }
  readShapes(writer, root);
  return writer.finish();
}

function isSkillFile(file: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(file);
}

// Blanks instead, so that every offset stays where it is.
function withoutFences(text: string): string {
  return text.replaceAll(/^(?:---|\+\+\+)[ \t]*$/gm, (fence) => " ".repeat(fence.length));
}

function readShapes(writer: DataWriter, root: DataNode): void {
  walkData(root, {
    entry: (entry, path) => {
      if (isMcpServers(entry, writer.source.file, path.length)) readMcpServers(writer, entry);
      readAgentSetting(writer, entry, path);
      readCommands(writer, entry, path);
    },
    scalar: (scalar) => {
      if (isJsonText(scalar.text)) writer.addText("json", scalar);
      else if (CLAIM.test(scalar.text)) writer.addText("markdown", scalar);
    },
  });
  readProseValues(writer, root);
}

// OpenClaw's block is often one line of JSON in quotes.
function isJsonText(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith("{") && trimmed.endsWith("}");
}

// A tag is too short to be prose, but `admin_override` is read by a model all the same.
const CLAIM = /^\w{0,40}(?:override|bypass|backdoor)\w{0,40}$/i;
