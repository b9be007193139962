const INTERVAL_MS = 100;
const COLUMNS = 30;

/** A bar on standard error over so many steps, where somebody sees it. */
export function createProgress(total: number): { step(): void; end(): void } {
  let done = 0;
  let last = 0;
  const isShown = process.stderr.isTTY === true;
  return {
    step: () => {
      done += 1;
      if (!isShown || performance.now() - last < INTERVAL_MS) return;
      last = performance.now();
      const filled = Math.round((COLUMNS * done) / Math.max(1, total));
      process.stderr.write(`\r${"█".repeat(filled)}${"░".repeat(COLUMNS - filled)} ${done}/${total}`);
    },
    end: () => {
      if (isShown) process.stderr.write("\r\x1b[K");
    },
  };
}
