import { existsSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import {
  canonicalPath,
  inHeldFolder,
  isInside,
  makeFolders,
  readBoundedFile,
  writeAtomic,
} from "@skillet/kit/files";
import { cutText } from "@skillet/kit/text";
import { type Tool, tool } from "ai";
import { checkedInput } from "./checked-input.ts";
import { guardOf, type Permissions } from "./permissions.ts";

/** Where the agent works, and who approves what it writes. */
export interface ToolContext {
  /** Canonical. These tools read and write nothing outside it. */
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

/** Named like the tools of other agents, so that the `allowed-tools` of skills cover them. */
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
  // Rules and users are asked about the real file: `docs/link/x` may not be one that `Write(docs/**)` means.
  const settle = <Input extends { readonly file_path: string }>(input: Input): Input => ({
    ...input,
    file_path: place(input.file_path),
  });
  const unmoved = (path: string): string => {
    if (place(path) === path) return path;
    throw new Error(`${path} was changed into a link meanwhile; nothing was done.`);
  };
  const read = async (path: string): Promise<string> => {
    const none = `There is no file ${path}.`;
    if (!existsSync(dirname(unmoved(path)))) throw new Error(none);
    const how = { maxBytes: MAX_FILE_BYTES, links: "refuse" } as const;
    const bytes = await inHeldFolder(path, (held) => readBoundedFile(held, how));
    if (bytes === undefined) throw new Error(none);
    return new TextDecoder().decode(bytes);
  };
  const write = async (path: string, content: string): Promise<void> => {
    makeFolders(dirname(unmoved(path)));
    await inHeldFolder(unmoved(path), (held) => writeAtomic(held, content, { links: "refuse" }));
  };
  const permit = async (
    name: string,
    input: ReadInput | WriteInput | EditInput,
    signal?: AbortSignal,
  ): Promise<void> => {
    const reason = `it ${name === "Read" ? "reads" : "changes"} ${relative(workspace, input.file_path)}`;
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
        settle,
      ),
      execute: async (input, { abortSignal }) => {
        const { file_path: path, offset = 1, limit = DEFAULT_LINES } = input;
        if (guardOf({ tool: "Read", input }, workspace) !== undefined)
          await permit("Read", input, abortSignal);
        const lines = (await read(path)).split("\n");
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
        settle,
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
        settle,
      ),
      execute: async (input, { abortSignal }) => {
        const { file_path: path, old_string: old, new_string: replacement } = input;
        const times = old === "" ? 0 : (await read(path)).split(old).length - 1;
        if (times !== 1)
          throw new Error(`The text occurs ${times} times in ${path}, not once; nothing was changed.`);
        await permit("Edit", input, abortSignal);
        // Read again: the user may have changed the file while the question was open.
        const now = await read(path);
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
