/** Looks at one value of a document and reports what is not as it should be. */
export type Shape = (value: unknown, check: ShapeCheck) => void;

// A document can be wrong in every one of its values; the first few show what is the matter.
const MAX_PROBLEMS = 20;
const MAX_SHOWN_CHARACTERS = 60;

/** Where in a document a check is, and what it has found. */
export class ShapeCheck {
  readonly problems: string[] = [];
  readonly #path: (string | number)[] = [];

  /** Whether looking on would find nothing more that is kept. */
  get isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  /** Looks at a part of the value. */
  inside(key: string | number, shape: Shape, value: unknown): void {
    if (this.isFull) return;
    this.#path.push(key);
    shape(value, this);
    this.#path.pop();
  }

  /** Reports the value, which is not what was expected. */
  refuse(value: unknown, expected: string): void {
    if (this.isFull) return;
    const found = value === undefined ? "is missing" : `is ${describe(value)}`;
    this.problems.push(`${this.#describePath()} ${found}, not ${expected}`);
  }

  #describePath(): string {
    const steps = this.#path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
    return steps.join("").replace(/^\./, "") || "the document";
  }
}

/** Text. */
export const text: Shape = (value, check) => {
  if (typeof value !== "string") check.refuse(value, "text");
};

/** True or false. */
export const flag: Shape = (value, check) => {
  if (typeof value !== "boolean") check.refuse(value, "true or false");
};

/** A whole number from `minimum` on. */
export function wholeFrom(minimum: number): Shape {
  return (value, check) => {
    if (!Number.isSafeInteger(value) || (value as number) < minimum)
      check.refuse(value, `a whole number from ${minimum} on`);
  };
}

/** One of a few texts; naming all of them keeps the list in step with the type. */
export function oneOf<Choice extends string>(choices: Readonly<Record<Choice, true>>): Shape {
  const names = Object.keys(choices);
  return (value, check) => {
    if (typeof value !== "string" || !names.includes(value))
      check.refuse(value, `one of ${names.join(", ")}`);
  };
}

/** A value that may be left out. */
export function optional(shape: Shape): Shape {
  return (value, check) => {
    if (value !== undefined) shape(value, check);
  };
}

/** A list whose items are all of one shape. */
export function listOf(shape: Shape): Shape {
  return (value, check) => {
    if (!Array.isArray(value)) {
      check.refuse(value, "a list");
      return;
    }
    for (let index = 0; index < value.length && !check.isFull; index += 1)
      check.inside(index, shape, value[index]);
  };
}

/** An object with a shape for every key of its type; keys that the type does not have are let be. */
export function objectOf<Value extends object>(
  fields: {
    readonly [Key in keyof Value]-?: Shape;
  },
): Shape {
  const shapes: readonly (readonly [string, Shape])[] = Object.entries<Shape>(fields);
  return (value, check) => {
    if (!isObject(value)) {
      check.refuse(value, "a map");
      return;
    }
    for (const [key, shape] of shapes) check.inside(key, shape, value[key]);
  };
}

/** Anything that JSON can hold, up to a depth. */
export function anything(maxDepth: number): Shape {
  return (value, check) => {
    if (!isShallow(value, maxDepth)) check.refuse(value, `a value of at most ${maxDepth} levels`);
  };
}

/** A map from any keys to any values, up to a depth. */
export function recordOf(maxDepth: number): Shape {
  const shallow = anything(maxDepth);
  return (value, check) => {
    if (isObject(value)) shallow(value, check);
    else check.refuse(value, "a map");
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map";
  const shown = JSON.stringify(value) ?? typeof value;
  return shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
}
