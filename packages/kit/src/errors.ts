const BRAND = Symbol.for("skillet.error");

/**
 * A caller's mistake or a failure of the machine; faults of a skill are diagnostics instead.
 *
 * @example
 * try { await openSkills({ workspace }) } catch (error) {
 *   if (SkilletError.isInstance(error)) console.error(error.code, error.message);
 * }
 */
export class SkilletError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: Code,
    message: string,
    options: { data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SkilletError";
    this.code = code;
    this.data = options.data ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  // A global symbol instead of instanceof: two installed copies of the package must recognise each other's errors.
  static isInstance<Code extends string = string>(value: unknown): value is SkilletError<Code> {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** The errno name of a failed system call, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** For `catch`: returns undefined for a system error with one of these codes, and rethrows all others. */
export function undefinedOn(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCode(error) ?? "")) throw error;
  };
}

/** Passes a SkilletError to `recover`; rethrows everything else. */
export async function onRefusal<Result, Other>(
  action: Promise<Result>,
  recover: (error: SkilletError) => Other,
): Promise<Result | Other> {
  try {
    return await action;
  } catch (error) {
    if (SkilletError.isInstance(error)) return recover(error);
    throw error;
  }
}

/** Thrown when a JavaScript caller passes an argument of the wrong type. */
export function callInvalid(what: string, wanted: string): SkilletError {
  return new SkilletError("call-invalid", `${what} is invalid; pass ${wanted}.`, {
    data: { what },
  });
}
