// Does the same thing many times, so many of them at once; the results in order.

export async function atOnce<T>(
  width: number,
  count: number,
  work: (index: number) => Promise<T>,
): Promise<T[]> {
  const results = new Array<T>(count);
  let next = 0;
  async function go(): Promise<void> {
    for (let index = next++; index < count; index = next++) results[index] = await work(index);
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, go));
  return results;
}
