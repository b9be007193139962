import type { Diagnostic } from "@skillet/kit/diagnostics";
import { drop, readBounded } from "./codex-field.ts";
import { type CodexTools, readCodexTools } from "./codex-tools.ts";
import { readBoolean, readList, readMap, toText } from "./coerce-values.ts";
import { FaultList } from "./fault-list.ts";
import { MAX_HEADER_CHARACTERS } from "./format-limits.ts";
import type { EnvironmentRequirement, Invocation, Manifest, Ui } from "./manifest.ts";
import type { RawHeader, RawMap, RawValue } from "./raw-header.ts";
import { isHeaderFault, readYamlHeader } from "./read-yaml-header.ts";

/**
 * Adds to a manifest what Codex's `agents/openai.yaml` beside the SKILL.md says.
 *
 * It fails open field by field: what cannot be used is left out with a warning, and the skill still loads.
 */
export function applyCodexInterface(
  manifest: Manifest,
  text: string,
  options: { readonly file: string },
): { readonly manifest: Manifest; readonly diagnostics: readonly Diagnostic[] } {
  const faults = new FaultList(options.file, "lenient");
  faults.header = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const header = readCompanion(faults);
  if (header === undefined) return { manifest, diagnostics: faults.finish() };
  const section = (key: string): RawMap =>
    readMap(header.values[header.keys.indexOf(key)], faults, key) ?? {};
  const tools = readCodexTools(section("dependencies"), faults);
  const applied: Manifest = {
    ...manifest,
    ui: { ...manifest.ui, ...readInterface(section("interface"), faults) },
    invocation: readPolicy(section("policy"), manifest.invocation, faults),
    gating: { ...manifest.gating, mcp: tools.mcp, env: mergeVariables(manifest.gating.env, tools) },
  };
  return { manifest: applied, diagnostics: faults.finish() };
}

function readCompanion(faults: FaultList): RawHeader | undefined {
  if (faults.header.length > MAX_HEADER_CHARACTERS) {
    faults.add(
      {
        code: "companion-too-large",
        severity: "warning",
        message: `The file has more than ${MAX_HEADER_CHARACTERS} characters, and is left out.`,
        hint: "Keep only interface, dependencies and policy in it.",
      },
      1,
      1,
    );
    return undefined;
  }
  const read = readYamlHeader(faults.header);
  if (!isHeaderFault(read)) return read;
  const { line, column, message, hint } = read;
  faults.add(
    { code: "companion-invalid", severity: "warning", message: `${message} The file is left out.`, hint },
    line,
    column,
  );
  return undefined;
}

const MAX_TITLE_CHARACTERS = 64;
const MAX_TEXT_CHARACTERS = 1024;

function readInterface(section: RawMap, faults: FaultList): Ui {
  const read = (key: string, limit: number): string | undefined =>
    readBounded(section[key], limit, faults, `interface.${key}`);
  const ui: { -readonly [Key in keyof Ui]: Ui[Key] } = {};
  const displayName = read("display_name", MAX_TITLE_CHARACTERS);
  const shortDescription = read("short_description", MAX_TEXT_CHARACTERS);
  const iconSmall = readIcon(section.icon_small, faults, "interface.icon_small");
  const iconLarge = readIcon(section.icon_large, faults, "interface.icon_large");
  const brandColor = readColor(section.brand_color, faults, "interface.brand_color");
  const defaultPrompt = read("default_prompt", MAX_TEXT_CHARACTERS);
  if (displayName !== undefined) ui.displayName = displayName;
  if (shortDescription !== undefined) ui.shortDescription = shortDescription;
  if (iconSmall !== undefined) ui.iconSmall = iconSmall;
  if (iconLarge !== undefined) ui.iconLarge = iconLarge;
  if (brandColor !== undefined) ui.brandColor = brandColor;
  if (defaultPrompt !== undefined) ui.defaultPrompt = defaultPrompt;
  return ui;
}

/** A path below `assets/` that leads nowhere else. */
function readIcon(value: RawValue | undefined, faults: FaultList, path: string): string | undefined {
  if (value === undefined) return undefined;
  const icon = toText(value)?.replace(/^\.\//, "") ?? "";
  const isInside = icon.startsWith("assets/") && !/[\\\0]/.test(icon) && !icon.split("/").some(isStep);
  if (isInside && icon.length <= MAX_TEXT_CHARACTERS) return icon;
  drop(faults, path, "is not a path inside assets/", "Put the icon into the skill's assets/ folder.");
  return undefined;
}

function isStep(segment: string): boolean {
  return segment === "" || segment === "." || segment === "..";
}

function readColor(value: RawValue | undefined, faults: FaultList, path: string): string | undefined {
  if (value === undefined) return undefined;
  const color = toText(value) ?? "";
  if (/^#[0-9A-Fa-f]{6}$/.test(color)) return color;
  drop(faults, path, "is not a colour", 'Write six hexadecimal digits in quotes, such as "#1A2B3C".');
  return undefined;
}

function readPolicy(section: RawMap, invocation: Invocation, faults: FaultList): Invocation {
  const allowed = readBoolean(section.allow_implicit_invocation, faults, "policy.allow_implicit_invocation");
  return {
    ...invocation,
    // Either file can take the skill away from the model; neither can give it back.
    model: invocation.model && allowed !== false,
    products: readList(section.products, faults, "policy.products"),
  };
}

function mergeVariables(
  present: readonly EnvironmentRequirement[],
  tools: CodexTools,
): readonly EnvironmentRequirement[] {
  if (tools.env.length === 0) return present;
  const names = new Set(present.map(({ name }) => name));
  return [...present, ...tools.env.filter(({ name }) => !names.has(name))];
}
