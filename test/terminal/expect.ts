// Ends a case with a reason.
export function expect(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Error(reason);
}
