import type { Fact } from "../../fact/fact.ts";
import { findSecrets } from "../../secret/find-secrets.ts";
import type { SourceText } from "../../text/source-text.ts";
import type { Analysis } from "../analyser.ts";
import { DataWriter } from "./data-writer.ts";

/** Finds literal secrets in a text of any language. */
export function analyseSecrets(source: SourceText): Analysis {
  const secrets = findSecrets(source.text);
  if (secrets.length === 0) return NOTHING;
  const writer = new DataWriter(source);
  for (const { start, end, provider, isPlaceholder, isPrivateKey } of secrets) {
    writer.addAct({ type: "literal-secret", provider, isPlaceholder, isPrivateKey }, start, end);
  }
  return writer.finish();
}

const NOTHING: Analysis = { facts: [] as readonly Fact[], texts: [] };
