import { readBoolean, readList, readPhrases, readText, reportType, toText } from "./coerce-values.ts";
import { DEFAULT_EXECUTION, DEFAULT_INVOCATION, EMPTY_LIST, NO_ARGUMENTS } from "./default-manifest.ts";
import type { FaultList } from "./fault-list.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { Execution, Invocation, Manifest } from "./manifest.ts";

/** Who may invoke a skill and where it is offered. */
export function readInvocation(fields: HeaderFields, internal: boolean, faults: FaultList): Invocation {
  let { model, user, paths } = DEFAULT_INVOCATION;
  fields.with("disable-model-invocation", (value, path) => {
    model = !(readBoolean(value, faults, path) ?? false);
  });
  fields.with("user-invocable", (value, path) => {
    user = readBoolean(value, faults, path) ?? true;
  });
  fields.with("paths", (value, path) => {
    paths = readPhrases(value, faults, path);
  });
  return { model, user, paths, products: EMPTY_LIST, internal };
}

/** The arguments a skill takes. */
export function readArguments(fields: HeaderFields, faults: FaultList): Manifest["args"] {
  let hint: string | undefined;
  let { names } = NO_ARGUMENTS;
  fields.with("argument-hint", (value, path) => {
    hint = readText(value, faults, path);
  });
  fields.with("arguments", (value, path) => {
    names = readList(value, faults, path);
  });
  return hint === undefined ? (names.length === 0 ? NO_ARGUMENTS : { names }) : { hint, names };
}

/** How an activation is carried out. */
export function readExecution(fields: HeaderFields, faults: FaultList): Execution {
  let context: Execution["context"] = "inline";
  let background: boolean | undefined;
  fields.with("context", (value, path) => {
    const text = toText(value);
    if (text === "fork") context = "fork";
    else if (text !== undefined && text !== "inline") reportType(faults, path, "inline or fork");
  });
  fields.with("background", (value, path) => {
    background = readBoolean(value, faults, path);
  });
  const agent = toText(fields.value("agent"));
  const model = toText(fields.value("model"));
  const effort = toText(fields.value("effort"));
  const shell = toText(fields.value("shell"));
  const execution: Execution = {
    context,
    ...(agent !== undefined && { agent }),
    ...(background !== undefined && { background }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(shell !== undefined && { shell }),
  };
  return context === "inline" && Object.keys(execution).length === 1 ? DEFAULT_EXECUTION : execution;
}
