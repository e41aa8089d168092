// Tells the operator that a gateway or service asks wrongly: each thing once a minute, because it does so with every request.

const quietMilliseconds = 60_000;

export function createMisconfigurationWarnings(
  tell: (text: string) => void,
  now: () => number,
): (text: string) => void {
  const toldAt = new Map<string, number>();
  return (text) => {
    const before = toldAt.get(text);
    if (before !== undefined && now() - before < quietMilliseconds) return;
    toldAt.set(text, now());
    tell(text);
  };
}
