import { SkilletError } from "@skillet/kit/errors";

const ACTIVATION_SOURCES = ["preload", "model", "user", "parent"] as const;

/** Who asked for an activation. */
export type ActivationSource = (typeof ACTIVATION_SOURCES)[number];

/** Refuses a source that does not exist; taken for another, it could have more than it may. */
export function checkSource(source: ActivationSource): ActivationSource {
  if (ACTIVATION_SOURCES.includes(source)) return source;
  throw new SkilletError(
    "invalid-source",
    `Nobody is called ${JSON.stringify(source)}; pass one of ${ACTIVATION_SOURCES.join(", ")}.`,
    { data: { source } },
  );
}
