import type { FaultList } from "./fault-list.ts";
import type { Manifest } from "./manifest.ts";

const MAX_BODY_LINES = 500;
const MAX_BODY_TOKENS = 5_000;
const CHARACTERS_PER_TOKEN = 4;

/** Notes for those who write skills, about what is valid but serves some clients or all models badly; strict only. */
export function addAuthorNotes(manifest: Manifest, body: string, faults: FaultList): void {
  const { name, description, tools } = manifest;
  const reserved = /anthropic|claude/i.exec(name)?.[0];
  if (reserved !== undefined) {
    const message = `The name has the word ${reserved} in it, which Anthropic's clients reserve.`;
    const hint = "Choose a name without it if the skill is meant for those clients.";
    faults.addAtKey({ code: "name-reserved-word", severity: "info", message, hint }, "name");
  }
  const tag = /<\/?[A-Za-z][^<>]{0,200}>/.exec(description)?.[0];
  if (tag !== undefined) {
    const message = `The description has a tag in it, ${JSON.stringify(tag)}, which some clients refuse and others put into their prompts as it is.`;
    const hint = "Write it without angle brackets.";
    faults.addAtKey({ code: "description-tags", severity: "info", message, hint }, "description");
  }
  if (tools.allowed.includes("Bash")) {
    const message = "allowed-tools has Bash without a pattern, which matches every command.";
    const hint = "Name the commands that the skill needs, such as Bash(git log:*).";
    faults.addAtKey({ code: "allowed-tools-broad", severity: "info", message, hint }, "allowed-tools");
  }
  const lines = body.trimEnd().split("\n").length;
  const tokens = Math.ceil(body.length / CHARACTERS_PER_TOKEN);
  if (lines <= MAX_BODY_LINES && tokens <= MAX_BODY_TOKENS) return;
  const message = `The instructions have ${lines} lines and about ${tokens} tokens, all of which a model gets at once; ${MAX_BODY_LINES} lines and ${MAX_BODY_TOKENS} tokens are plenty.`;
  const hint = "Move details into files in references/ and say when to read which.";
  faults.add({ code: "body-long", severity: "info", message, hint }, faults.headerLine, 1);
}
