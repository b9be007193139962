import type { ModelSettings } from "@skillet/kit/chat";
import { CliError } from "../context/cli-error.ts";
import type { CommandContext } from "../context/command-context.ts";
import { readModelSettings } from "../context/open-workspace.ts";

const PROVIDERS = [
  { protocol: "anthropic", prefix: "ANTHROPIC", endpoint: "https://api.anthropic.com/v1" },
  { protocol: "openai", prefix: "OPENAI", endpoint: "https://api.openai.com/v1" },
] as const;

/** The model of the user's own config, else that of the variables which other agents read too. */
export async function chooseModel(
  context: CommandContext,
): Promise<ModelSettings & { readonly protocol: "openai" | "anthropic" }> {
  const { environment } = context;
  const configured = await readModelSettings(context, "agent.model");
  if (configured !== undefined) return { protocol: "openai", ...configured };
  for (const { protocol, prefix, endpoint } of PROVIDERS) {
    const [apiKey, model] = [environment[`${prefix}_API_KEY`] ?? "", environment[`${prefix}_MODEL`] ?? ""];
    const base = environment[`${prefix}_BASE_URL`] ?? "";
    if (apiKey === "" && base === "") continue;
    if (model === "")
      throw new CliError(
        "agent-model-not-configured",
        `${prefix}_API_KEY is set, but not which model to ask.`,
        {
          hints: [`Set ${prefix}_MODEL to its name, or: skillet config set agent.model.model NAME`],
        },
      );
    return {
      protocol,
      model,
      endpoint: base === "" ? endpoint : withVersion(base),
      ...(apiKey !== "" && { apiKey }),
    };
  }
  throw new CliError("agent-model-not-configured", "The agent needs a model, and none is configured.", {
    hints: [
      "With a key: set ANTHROPIC_API_KEY and ANTHROPIC_MODEL, or OPENAI_API_KEY and OPENAI_MODEL.",
      "With a server of your own, for example:",
      "  skillet config set agent.model.endpoint http://127.0.0.1:11434/v1",
      "  skillet config set agent.model.model qwen3",
      "Without a model, a recorded conversation can be played again: --replay FILE",
    ],
  });
}

// These variables are mostly set without the version, as the vendors' own libraries want it.
function withVersion(base: string): string {
  return /\/v\d+\/?$/.test(base) ? base : `${base.replace(/\/$/, "")}/v1`;
}
