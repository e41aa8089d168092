// Which of the wanted rows are drawn next: those that are drawn already, and a few more from the middle outwards.
export function nextDrawn(
  drawn: readonly number[],
  wanted: readonly number[],
  pinned: number,
  most: number,
): number[] {
  const kept = new Set(drawn);
  const middle = wanted[wanted.length >> 1] ?? 0;
  const added = wanted
    .filter((place) => !kept.has(place) && place !== pinned)
    .sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))
    .slice(0, most);
  for (const place of [pinned, ...added]) kept.add(place);
  return wanted.filter((place) => kept.has(place));
}
