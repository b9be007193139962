import type * as Unbash from "unbash";

/** Receives the parts of a script; a stream is what one command passes to the next. */
export interface TreeClient<Stream> {
  join(printed: readonly Stream[]): Stream;
  /** Whether a further statement may run. */
  mayGoOn?(): boolean;
  pipeline(node: Unbash.PipelineNode, run: () => Stream): Stream;
  command(node: Unbash.Command, input: Stream | undefined, isBackground: boolean): Stream;
  redirected(
    redirections: readonly Unbash.Redirection[],
    input: Stream | undefined,
    run: (input: Stream | undefined) => Stream,
  ): Stream;
  /** A part that may not run: a branch, the body of a loop. */
  branch?(run: () => Stream): Stream;
  /** A part that changes nothing around it. */
  subshell?<Result>(run: () => Result, options: { readonly isPiped: boolean }): Result;
  loop(node: Loop, run: () => Stream): Stream;
  define(node: Unbash.Function, run: () => Stream): Stream;
  coproc(node: Unbash.Coproc, run: () => Stream): Stream;
  test(node: Unbash.TestCommand | Unbash.ArithmeticCommand): Stream;
  /** A word of a `case`. */
  word(word: Unbash.Word): void;
}

export type Loop =
  | Unbash.For
  | Unbash.Select
  | Unbash.ArithmeticFor
  | Extract<Unbash.CommandNode, { readonly type: "While" }>;

/** Walks the tree of a script in execution order; the only code that does. */
export class TreeWalk<Stream> {
  readonly #client: TreeClient<Stream>;

  constructor(client: TreeClient<Stream>) {
    this.#client = client;
  }

  statements(statements: readonly Unbash.Statement[], input: Stream | undefined): Stream {
    const printed: Stream[] = [];
    for (const { command, background } of statements) {
      if (this.#client.mayGoOn?.() === false) break;
      const isBackground = background === true;
      const run = (): readonly Stream[] =>
        command.type === "AndOr"
          ? this.#chain(command, input, isBackground)
          : [this.#pipeline(command, input, isBackground)];
      // A background command runs in its own subshell, and the shell does not wait for it.
      const streams = isBackground ? this.#subshell(run) : run();
      for (const stream of streams) printed.push(stream);
    }
    return this.#client.join(printed);
  }

  node(
    node: Unbash.CommandNode | Unbash.CompoundList,
    input: Stream | undefined,
    isBackground: boolean = false,
  ): Stream {
    const client = this.#client;
    const list = ({ commands }: Unbash.CompoundList): Stream => this.statements(commands, input);
    switch (node.type) {
      case "Command":
        return client.command(node, input, isBackground);
      case "CompoundList":
        return list(node);
      case "BraceGroup":
        return list(node.body);
      case "Subshell":
        return this.#subshell(() => list(node.body));
      case "Redirected":
        return client.redirected(node.redirects, input, (opened) =>
          this.node(node.command, opened, isBackground),
        );
      case "If": {
        const branches = [node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then])];
        if (node.else !== undefined) branches.push(node.else);
        const asked = list(node.clause);
        return client.join([asked, this.#branch(() => client.join(branches.map(list)))]);
      }
      case "While":
        return client.loop(node, () => {
          list(node.clause);
          return this.#branch(() => list(node.body));
        });
      case "ArithmeticFor":
        return client.loop(node, () => this.#branch(() => list(node.body)));
      case "For":
      case "Select":
        return client.loop(node, () => list(node.body));
      case "Case":
        client.word(node.word);
        for (const { pattern } of node.items) for (const word of pattern) client.word(word);
        return this.#branch(() => client.join(node.items.map(({ body }) => list(body))));
      case "Function":
        return client.define(node, () => this.node(node.body, input));
      case "Coproc":
        return client.coproc(node, () => this.node(node.body, input, true));
      case "TestCommand":
      case "ArithmeticCommand":
        return client.test(node);
    }
  }

  // `a && b` is often just a sequence; after a condition and after `||`, the command is a branch.
  #chain(
    { commands, operators }: Unbash.AndOr,
    input: Stream | undefined,
    isBackground: boolean,
  ): readonly Stream[] {
    let isBranch = false;
    return commands.map((command, place) => {
      const before = commands[place - 1];
      isBranch ||= operators[place - 1] === "||" || (before !== undefined && isCondition(before));
      const run = (): Stream => this.#pipeline(command, input, isBackground);
      return isBranch ? this.#branch(run) : run();
    });
  }

  #branch(run: () => Stream): Stream {
    return this.#client.branch === undefined ? run() : this.#client.branch(run);
  }

  #subshell<Result>(run: () => Result, options = { isPiped: false }): Result {
    return this.#client.subshell === undefined ? run() : this.#client.subshell(run, options);
  }

  #pipeline(node: Unbash.PipelineNode, input: Stream | undefined, isBackground: boolean): Stream {
    return this.#client.pipeline(node, () => {
      if (node.type !== "Pipeline") return this.node(node, input, isBackground);
      const [only, ...others] = node.commands;
      if (only !== undefined && others.length === 0) return this.node(only, input, isBackground);
      let stream = input;
      for (const command of node.commands)
        stream = this.#subshell(() => this.node(command, stream, isBackground), { isPiped: true });
      return stream ?? this.#client.join([]);
    });
  }
}

/** Whether a command is a condition, so that what follows may not run. */
function isCondition(node: Unbash.PipelineNode): boolean {
  if (node.type === "Pipeline" && node.prefixes.some(({ type }) => type === "Negation")) return true;
  const last = node.type === "Pipeline" ? node.commands.at(-1) : node;
  if (last?.type === "Command") return /^(?:\[|exit|false|return|test)$/.test(last.name?.value ?? "");
  return last?.type === "TestCommand" || last?.type === "ArithmeticCommand";
}
