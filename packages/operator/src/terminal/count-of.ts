// Formats a number with its noun.

/** @example countOf(20000, 'rule') // 20,000 rules */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
}
