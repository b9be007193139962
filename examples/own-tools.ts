import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";

/** A tool that the agent has anyway. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  /** Answers with a text for the model, also where its input does not fit or the file is not there. */
  run(input: unknown): Promise<string>;
}

function ownTool<Schema extends z.ZodObject>(
  tool: Omit<OwnTool, "run"> & { inputSchema: Schema; run(input: z.infer<Schema>): Promise<string> },
): OwnTool {
  const { run, ...rest } = tool;
  const runChecked = async (input: unknown): Promise<string> => run(rest.inputSchema.parse(input));
  return { ...rest, run: (input) => runChecked(input).catch((error: unknown) => `Failed: ${String(error)}`) };
}

/** The same in every example: Skillet only decides whether a call of one of them may go ahead. */
export const ownTools: readonly OwnTool[] = [
  ownTool({
    name: "read",
    description: "Reads a text file.",
    inputSchema: z.object({ file_path: z.string() }),
    run: ({ file_path }) => readFile(file_path, "utf8"),
  }),
  ownTool({
    name: "write",
    description: "Writes a text file.",
    inputSchema: z.object({ file_path: z.string(), content: z.string() }),
    run: async ({ file_path, content }) => {
      await writeFile(file_path, content);
      return `Wrote ${file_path}.`;
    },
  }),
];
