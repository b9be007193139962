import type { Diagnostic, Range } from "@skillet/kit/diagnostics";
import { FaultList } from "../../../format/fault-list.ts";

/** Gathers what is wrong with one toolset file. */
export class ToolsetFaults {
  readonly #list: FaultList;

  constructor(file: string) {
    this.#list = new FaultList(file, "lenient");
  }

  add(range: Range | undefined, fault: Parameters<FaultList["add"]>[0]): void {
    this.#list.add(fault, range?.line ?? 1, range?.column ?? 1);
  }

  finish(): readonly Diagnostic[] {
    return this.#list.finish();
  }
}
