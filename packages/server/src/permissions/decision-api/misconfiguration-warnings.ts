// Warns the operator of a gateway or service that is configured wrongly. Each warning is limited to once a minute, because
// every request of the caller causes it.

const quietMilliseconds = 60_000;

export function createMisconfigurationWarnings(
  tell: (text: string) => void,
  now: () => number,
): (text: string) => void {
  const warnedAt = new Map<string, number>();
  return (text) => {
    const before = warnedAt.get(text);
    if (before !== undefined && now() - before < quietMilliseconds) return;
    warnedAt.set(text, now());
    tell(text);
  };
}
