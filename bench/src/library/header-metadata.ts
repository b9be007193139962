import type { Random } from "./random.ts";
import { COMMANDS, EMOJI } from "./words.ts";

/** Metadata in the form most public skills use: one line of JSON under a client's key. */
export function writeFlowMetadata(random: Random, name: string): string {
  const metadata = { [random.pick(CLIENT_KEYS)]: writeClientMetadata(random, name) };
  const json = JSON.stringify(metadata);
  const form = random.next();
  if (form < 0.97) return `metadata: ${json}\n`;
  if (form < 0.985) return `metadata: ${json.replace(/"(\w+)":/g, "$1: ")}\n`;
  return `metadata:\n${indent(JSON.stringify(metadata, undefined, 2))}\n`;
}

/** Metadata as a block map, in the specification's spelling or nested under a client's key. */
export function writeBlockMetadata(random: Random, name: string): string {
  if (random.chance(0.6)) {
    return `metadata:\n  author: ${random.pick(CLIENT_KEYS)}-authors\n  version: "${random.between(0, 3)}.${random.between(0, 20)}"\n`;
  }
  const commands = [random.pick(COMMANDS), name].map((command) => `        - ${command}\n`).join("");
  return `metadata:\n  openclaw:\n    emoji: "${random.pick(EMOJI)}"\n    requires:\n      bins:\n${commands}`;
}

const CLIENT_KEYS: readonly string[] = ["openclaw", "clawdbot", "clawdbot", "clawdbot", "clawdis"];

function writeClientMetadata(random: Random, name: string): Record<string, unknown> {
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`;
  const command = random.chance(0.6) ? random.pick(COMMANDS) : name;
  const metadata: Record<string, unknown> = {};
  if (random.chance(0.82)) metadata.emoji = random.pick(EMOJI);
  if (random.chance(0.78)) metadata.requires = writeRequirements(random, { command, variable });
  if (random.chance(0.15)) metadata.primaryEnv = variable;
  if (random.chance(0.08)) metadata.os = random.pick([["darwin"], ["darwin", "linux"]]);
  if (random.chance(0.06)) metadata.homepage = `https://example.com/${name}`;
  if (random.chance(0.05)) metadata.always = true;
  if (random.chance(0.24)) {
    const kind = random.pick(["brew", "brew", "node", "go", "uv"]);
    metadata.install = [
      { id: kind, kind, package: command, bins: [command], label: `Install ${command} (${kind})` },
    ];
  }
  return metadata;
}

function writeRequirements(
  random: Random,
  names: { command: string; variable: string },
): Record<string, string[]> {
  const requirements: Record<string, string[]> = {};
  const form = random.next();
  if (form < 0.75) requirements.bins = random.chance(0.3) ? [names.command, "jq"] : [names.command];
  if (form > 0.62) requirements.env = [names.variable];
  return requirements;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
