import { type AgentEvent, createUseDetector, type Skill } from "@skillet/core";
import { createCatalog } from "@skillet/core/internal";
import type { OfferedTool } from "@skillet/kit/chat";
import { parseJson } from "@skillet/kit/json";

export interface SkillDesk {
  readonly system: string;
  readonly tools: readonly OfferedTool[];
  answer(call: { readonly name: string; readonly arguments: string }): Promise<DeskAnswer>;
}

interface DeskAnswer {
  readonly loaded: readonly Skill[];
  readonly text: string;
}

/** Reads a skill's instructions for a model that loads the skill. */
export type ReadInstructions = (skill: Skill) => Promise<string | undefined> | string | undefined;

const MAX_INSTRUCTION_CHARACTERS = 20_000;
/** A call names one file or skill; a model that invents more gets no lookups or reads for the rest. */
const MAX_TEXTS = 8;
const MAX_LOADED = 8;
const CATALOG_BUDGET = { characters: 24_000 };
/** With more skills, descriptions would be cut down to names, and a model could not choose by them. */
const MAX_LISTED = 100;

export function createSkillDesk(
  skill: Skill,
  skills: readonly Skill[],
  readInstructions: ReadInstructions,
): SkillDesk {
  const company = skills.filter(
    (one, index) => index < MAX_LISTED || one.qualifiedName === skill.qualifiedName,
  );
  const { text } = createCatalog(company, {
    budget: CATALOG_BUDGET,
    guidance: "none",
    unlisted: skills.length - company.length,
    // Must be listed whatever else does not fit: the result says nothing about a skill that the model did not see.
    rank: { preferred: [skill.qualifiedName] },
  });
  const byName = new Map([
    ...skills.map((one) => [one.name, one] as const),
    ...skills.map((one) => [one.qualifiedName, one] as const),
    [skill.name, skill] as const,
  ]);
  // Paths are compared as the catalogue writes them; no file is read.
  const detector = createUseDetector(skills, { canonical: (path) => path });
  const load = async (found: readonly Skill[], otherwise: string): Promise<DeskAnswer> => {
    const loaded = [...new Set(found)].slice(0, MAX_LOADED);
    const texts: string[] = [];
    for (const one of loaded) texts.push((await readInstructions(one)) ?? one.manifest.description);
    return { loaded, text: (texts.join("\n\n") || otherwise).slice(0, MAX_INSTRUCTION_CHARACTERS) };
  };
  const used = (event: AgentEvent): readonly Skill[] =>
    detector
      .detect(event)
      .filter(({ how, certainty }) => certainty === "sure" && (how === "instructions" || how === "script"))
      .map((use) => use.skill);
  return {
    system: `${SYSTEM}\n\n${text}`,
    tools: TOOLS,
    answer: async ({ name, arguments: given }) => {
      const words = readTexts(given);
      if (name === "load_skill") {
        const found = words.flatMap((word) => byName.get(word.replace(/^[/$]/, "")) ?? []);
        return load(found.slice(0, 1), "There is no skill of that name.");
      }
      const uses = words.flatMap((word) =>
        used(name === "read_file" ? { kind: "read", path: word } : { kind: "command", command: word }),
      );
      if (name === "read_file") return load(uses, "There is no such file.");
      if (name === "run_command") return load(uses, "It printed nothing.");
      return { loaded: [], text: `There is no tool ${JSON.stringify(name.slice(0, 64))}.` };
    },
  };
}

const SYSTEM = `You are an agent that works for the user in a terminal, with tools. Skills are instructions for tasks of a kind. Where a skill of the list fits what the user asks for, load it with load_skill before you do anything else about it; where none fits, answer without one.`;

const TOOLS: readonly OfferedTool[] = [
  tool("load_skill", "Load the instructions of a skill.", { name: "The skill's name, as in the list." }),
  tool("read_file", "Read a file.", { path: "The path of the file." }),
  tool("run_command", "Run a command in a shell.", { command: "The command." }),
];

function tool(name: string, description: string, parameters: Readonly<Record<string, string>>): OfferedTool {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, meaning]) => [key, { type: "string", description: meaning }]),
  );
  const schema = { type: "object", properties, required: Object.keys(parameters) };
  return { type: "function", function: { name, description, parameters: schema } };
}

// Models name the argument as they like, so only the values count.
function readTexts(given: string): readonly string[] {
  const value = parseJson(given);
  if (value === undefined) return [given.trim()];
  const values = typeof value === "object" && value !== null ? Object.values(value) : [value];
  const texts = values.filter((one): one is string => typeof one === "string").map((one) => one.trim());
  return [...new Set(texts)].slice(0, MAX_TEXTS);
}
