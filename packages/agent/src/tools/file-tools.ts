import { mkdir } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { canonicalPath, isInside, readBoundedFile, writeAtomic } from "@skillet/kit/files";
import { cutText } from "@skillet/kit/text";
import { type Tool, tool } from "ai";
import { checkedInput } from "./checked-input.ts";
import type { Permissions } from "./permissions.ts";

/** Where the agent works, and who says yes to what it writes. */
export interface ToolContext {
  /** Canonical. Nothing outside it is read or written by these tools. */
  readonly workspace: string;
  /** The folder that relative paths and commands start in; default: the workspace. */
  readonly start?: string | undefined;
  readonly permissions: Permissions;
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const MAX_SHOWN_CHARACTERS = 60_000;
const DEFAULT_LINES = 2000;

const text = (description: string) => ({ type: "string" as const, description });
const count = (description: string) => ({ type: "integer" as const, minimum: 1, description });

interface ReadInput {
  readonly file_path: string;
  readonly offset?: number;
  readonly limit?: number;
}
interface WriteInput {
  readonly file_path: string;
  readonly content: string;
}
interface EditInput {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
}

/** Named as the tools of other agents, so that `allowed-tools` of skills cover them. */
export function fileTools({ workspace, start = workspace, permissions }: ToolContext): {
  readonly Read: Tool<ReadInput, string>;
  readonly Write: Tool<WriteInput, string>;
  readonly Edit: Tool<EditInput, string>;
} {
  const place = (path: string): string => {
    const found = canonicalPath(resolve(start, path));
    // A link inside the workspace may lead out of it.
    if (!isInside(found, workspace)) throw new Error(`${path} is outside the workspace ${workspace}.`);
    return found;
  };
  const read = (path: string): string => {
    const bytes = readBoundedFile(place(path), { maxBytes: MAX_FILE_BYTES });
    if (bytes === undefined) throw new Error(`There is no file ${path}.`);
    return new TextDecoder().decode(bytes);
  };
  const write = async (path: string, content: string): Promise<void> => {
    const target = place(path);
    await mkdir(dirname(target), { recursive: true });
    await writeAtomic(target, content);
  };
  const permit = async (name: string, input: WriteInput | EditInput, signal?: AbortSignal): Promise<void> => {
    const reason = `it changes ${relative(workspace, place(input.file_path))}`;
    const refused = await permissions.permit({ tool: name, input, reason }, signal);
    if (refused !== undefined) throw new Error(refused);
  };
  return {
    Read: tool({
      description: "Reads a text file of the workspace, with line numbers.",
      inputSchema: checkedInput<ReadInput>(
        {
          file_path: text("Relative to the workspace, or absolute."),
          offset: count("The first line; default 1."),
          limit: count(`How many lines; default ${DEFAULT_LINES}.`),
        },
        ["file_path"],
      ),
      execute: ({ file_path: path, offset = 1, limit = DEFAULT_LINES }) => {
        const lines = read(path).split("\n");
        const shown = lines.slice(offset - 1, offset - 1 + limit);
        const numbered = shown.map((line, index) => `${offset + index}\t${line}`).join("\n");
        const rest = lines.length - (offset - 1 + shown.length);
        return `${cutText(numbered, MAX_SHOWN_CHARACTERS)}${rest > 0 ? `\n(${rest} more lines)` : ""}`;
      },
    }),
    Write: tool({
      description: "Writes a file of the workspace, whole; makes its folders.",
      inputSchema: checkedInput<WriteInput>(
        {
          file_path: text("Relative to the workspace, or absolute."),
          content: text("All of it."),
        },
        ["file_path", "content"],
      ),
      execute: async (input, { abortSignal }) => {
        await permit("Write", input, abortSignal);
        await write(input.file_path, input.content);
        return `Wrote ${input.file_path}.`;
      },
    }),
    Edit: tool({
      description: "Replaces a text that occurs exactly once in a file of the workspace.",
      inputSchema: checkedInput<EditInput>(
        {
          file_path: text("Relative to the workspace, or absolute."),
          old_string: text("Exactly as it is in the file, with enough around it to occur once."),
          new_string: text("What stands there afterwards."),
        },
        ["file_path", "old_string", "new_string"],
      ),
      execute: async (input, { abortSignal }) => {
        const { file_path: path, old_string: old, new_string: replacement } = input;
        const times = old === "" ? 0 : read(path).split(old).length - 1;
        if (times !== 1)
          throw new Error(`The text occurs ${times} times in ${path}, not once; nothing was changed.`);
        await permit("Edit", input, abortSignal);
        // Read again: the person may have changed the file while the question stood there.
        const now = read(path);
        if (now.split(old).length !== 2) throw new Error(`${path} was changed meanwhile; read it again.`);
        await write(
          path,
          now.replace(old, () => replacement),
        );
        return `Changed ${path}.`;
      },
    }),
  };
}
