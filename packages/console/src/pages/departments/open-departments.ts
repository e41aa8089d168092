// The open departments in the address: comma-separated ids. Invalid ids are ignored.
export function readOpen(text: unknown): number[] | undefined {
  if (typeof text !== 'string') return undefined;
  const ids = text.split(',').filter((part) => /^[1-9]\d{0,14}$/.test(part));
  return [...new Set(ids.map(Number))];
}

export function toggleOpen(open: readonly number[], id: number, isOpen: boolean): number[] {
  const others = open.filter((one) => one !== id);
  return isOpen ? [...others, id] : others;
}
