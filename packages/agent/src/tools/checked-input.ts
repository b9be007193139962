import { asObject } from "@skillet/kit/json";
import { jsonSchema, type Schema } from "ai";

interface Field {
  readonly type: "string" | "integer" | "array";
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: { readonly type: "string" };
}

/**
 * The schema of a tool's input, with validation: the SDK has none of its own, and models write anything.
 *
 * @param settle Normalises an input for rules, questions and the tool itself; throws if it is wrong.
 */
export function checkedInput<Input>(
  properties: Readonly<Record<string, Field>>,
  required: readonly string[],
  settle: (input: Input) => Input = (input) => input,
): Schema<Input> {
  const validate = (given: unknown) => {
    const input = asObject(given) ?? {};
    const wrong = Object.entries(properties).find(([name, field]) =>
      input[name] === undefined ? required.includes(name) : !fits(input[name], field),
    );
    // Unknown properties are dropped: a rule or a user could think that the call is about them.
    const known = Object.entries(input).filter(([name]) => Object.hasOwn(properties, name));
    if (wrong === undefined) return settled(() => settle(Object.fromEntries(known) as Input));
    const [name, { type, minimum, maximum }] = wrong;
    const bounds = maximum === undefined ? minimum : `${minimum} to ${maximum}`;
    const error = new Error(`${name} must be ${type}${bounds === undefined ? "" : `, from ${bounds}`}.`);
    return { success: false as const, error };
  };
  return jsonSchema<Input>({ type: "object", properties, required: [...required] } as never, { validate });
}

function settled<Input>(settle: () => Input) {
  try {
    return { success: true as const, value: settle() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { success: false as const, error };
  }
}

function fits(value: unknown, { type, minimum = -Infinity, maximum = Infinity }: Field): boolean {
  if (type === "array") return Array.isArray(value) && value.every((item) => typeof item === "string");
  if (type === "string") return typeof value === "string";
  return Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}
