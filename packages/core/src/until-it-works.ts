/** Makes something once, when it is first asked for; what failed, for want of memory or of a disk, is tried again. */
export function untilItWorks<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
