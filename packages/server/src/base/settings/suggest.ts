// The known name that a misspelt one most likely means.

/** The nearest of `known` within two edits (one for short names), or undefined. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const limit = name.length < 8 ? 1 : 2;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, row by row. It stops above the limit, because each start compares every variable with every setting. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...b].entries()) {
      const substitution = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(substitution, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    if (Math.min(...current) > limit) return Number.POSITIVE_INFINITY;
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
