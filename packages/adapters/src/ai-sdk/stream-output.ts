import { removeHidden } from "@skillet/kit/text";

// A screen or two; the whole is in the result.
const MAX_SHOWN_CHARACTERS = 16_000;

/** What a tool shows while it works. */
interface Running {
  readonly text: string;
  readonly isError: false;
  readonly isRunning: true;
}

/**
 * Yields what a script has written so far, whenever there is more, and last its result. A reader who is slower than the
 * script misses steps between, never the end.
 */
export async function* streamOutput<Result>(
  start: (listener: (stream: "stdout" | "stderr", bytes: Uint8Array) => void) => Promise<Result>,
): AsyncGenerator<Result | Running> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let text = "";
  let shown = "";
  let wake = (): void => undefined;
  let isDone = false;
  const running = start((stream, bytes) => {
    const more = removeHidden(decoders[stream].decode(bytes, { stream: true }));
    // Not half a character first.
    text = `${text}${more}`.slice(-MAX_SHOWN_CHARACTERS).replace(/^[\udc00-\udfff]/, "");
    wake();
  });
  const settled = (): void => {
    isDone = true;
    wake();
  };
  running.then(settled, settled);
  while (!isDone) {
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (isDone || text !== shown) resolve();
    });
    if (text !== shown && !isDone) {
      shown = text;
      yield { text, isError: false, isRunning: true };
    }
  }
  yield await running;
}
