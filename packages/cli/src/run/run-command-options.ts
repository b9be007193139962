/** Which script, called how, and what it is given; lists are as they were typed. */
export interface RunCommandOptions {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly allow?: readonly string[];
  readonly profile?: string;
  readonly network?: readonly string[];
  readonly writable?: readonly string[];
  readonly secret?: readonly string[];
  readonly timeout?: number;
  readonly sandbox?: string;
  readonly cwd?: "workspace" | "skill";
  readonly records?: string;
  readonly yes?: boolean;
}
