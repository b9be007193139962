import { runMutations } from "../../packages/scan/src/testing/mutations/run-mutations.ts";
import { renderMutations } from "./scan/render-mutations.ts";

console.log(renderMutations(await runMutations()));
