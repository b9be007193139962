/** A command line of a skill, for a shell that the host starts: core starts no process. */
export interface ExecRequest {
  readonly shell: string;
  /** Refers to `arguments` as `"${1}"` and so on; run it as `shell -c command shell arguments…`. */
  readonly command: string;
  /** The shell's parameters, never to be put into the command's text. */
  readonly arguments: readonly string[];
  /** As the agent's tools see it. */
  readonly workingDirectory: string;
  readonly timeoutMs: number;
  readonly maxOutputCharacters: number;
}

/** What the command printed and how it ended. */
export interface ExecResult {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly timedOut: boolean;
}

/** Runs a command for dynamic context; the process package brings one. */
export type ExecCommand = (request: ExecRequest) => Promise<ExecResult>;
