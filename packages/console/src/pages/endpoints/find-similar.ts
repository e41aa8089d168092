// Finds the endpoint for which a rule with a typing mistake was probably meant.
interface Pattern {
  readonly method: string;
  readonly path: string;
}

const mostEdits = 2;

export function findSimilar<Route extends Pattern>(
  rule: Pattern,
  routes: readonly Route[],
): Route | undefined {
  let best: Route | undefined;
  let fewest = mostEdits + 1;
  for (const route of routes) {
    if (rule.method !== '*' && rule.method.toUpperCase() !== route.method) continue;
    const edits = countEdits(rule.path, route.path, fewest - 1);
    if (edits >= fewest) continue;
    best = route;
    fewest = edits;
  }
  return best;
}

/** The edit distance (Levenshtein) of two texts, or a value above `limit` if it is larger. */
export function countEdits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let above = Array.from({ length: b.length + 1 }, (_, place) => place);
  for (const [row, character] of [...a].entries()) {
    const line = [row + 1];
    for (let place = 1; place <= b.length; place++)
      line.push(
        Math.min(
          (above[place] ?? 0) + 1,
          (line[place - 1] ?? 0) + 1,
          (above[place - 1] ?? 0) + (character === b[place - 1] ? 0 : 1),
        ),
      );
    if (Math.min(...line) > limit) return limit + 1;
    above = line;
  }
  return above.at(-1) ?? 0;
}
