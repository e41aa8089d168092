// Shows the progress of long work: in a terminal one line that is overwritten, elsewhere a line every few seconds.
const intervalMilliseconds = { terminal: 100, other: 5000 };

export interface Progress {
  /** @example progress.show('120,000 of 1,000,000 users'); */
  show(text: string): void;
  /** Removes the line. */
  end(): void;
}

export function createProgress(): Progress {
  const isTerminal = process.stderr.isTTY === true;
  const interval = isTerminal ? intervalMilliseconds.terminal : intervalMilliseconds.other;
  let shownAt = performance.now();
  let isShown = false;
  return {
    show(text) {
      if (performance.now() - shownAt < interval) return;
      shownAt = performance.now();
      isShown = isTerminal;
      process.stderr.write(isTerminal ? `\r\u001b[K${fit(`${text} ...`)}` : `${text} ...\n`);
    },
    end() {
      if (isShown) process.stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** Cuts the text to the width of the terminal: a wrapped line could not be overwritten. */
function fit(text: string): string {
  return text.slice(0, (process.stderr.columns || 80) - 1);
}

/**
 * For a wait without its own progress, or with progress in another text.
 *
 * @example await showWait('Waiting for every instance', barrier.pass(written));
 */
export async function showWait<T>(text: string | (() => string), waiting: Promise<T>): Promise<T> {
  const progress = createProgress();
  const beganAt = performance.now();
  const seconds = () => Math.round((performance.now() - beganAt) / 1000);
  const show = () => progress.show(`${typeof text === 'string' ? text : text()}, ${seconds()} s`);
  const timer = setInterval(show, intervalMilliseconds.terminal);
  return await waiting.finally(() => {
    clearInterval(timer);
    progress.end();
  });
}
