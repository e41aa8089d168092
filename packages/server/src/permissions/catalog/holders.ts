// Bit set of the holders of a rule: roles, as small numbers with one bit each. Unions and intersections handle 32 roles at
// once.

export type Holders = Uint32Array;

export function createHolders(count: number): Holders {
  return new Uint32Array((count + 31) >>> 5);
}

export function hasHolder(holders: Holders, holder: number): boolean {
  return (((holders[holder >>> 5] ?? 0) >>> (holder & 31)) & 1) === 1;
}

export function addHolder(holders: Holders, holder: number): void {
  holders[holder >>> 5] = (holders[holder >>> 5] ?? 0) | (1 << (holder & 31));
}

export function addHolders(holders: Holders, others: Holders): void {
  for (let word = 0; word < holders.length; word++)
    holders[word] = (holders[word] ?? 0) | (others[word] ?? 0);
}

export function keepHolders(holders: Holders, others: Holders): void {
  for (let word = 0; word < holders.length; word++)
    holders[word] = (holders[word] ?? 0) & (others[word] ?? 0);
}

export function eachHolder(holders: Holders, tell: (holder: number) => void): void {
  for (let word = 0; word < holders.length; word++)
    for (let rest = holders[word] ?? 0; rest !== 0; rest &= rest - 1)
      tell(word * 32 + 31 - Math.clz32(rest & -rest));
}

export function areAmong(holders: Holders, others: Holders): boolean {
  for (let word = 0; word < holders.length; word++)
    if (((holders[word] ?? 0) & ~(others[word] ?? 0)) !== 0) return false;
  return true;
}
