import { expect, test } from "vitest";
import { JAVASCRIPT_API } from "./javascript-api.ts";
import { EFFECTS } from "./perform-effect.ts";
import { PYTHON_API } from "./python-api.ts";

test("whatever a table says that a function does is known how to do", () => {
  for (const { effects, methods } of [PYTHON_API, JAVASCRIPT_API])
    for (const { does } of [...effects.values(), ...methods.values()])
      expect([...EFFECTS.keys()]).toContain(does);
});
