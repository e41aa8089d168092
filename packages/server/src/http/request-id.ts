// Request ids: unique across all instances, and cheap to create.
export function createRequestIds(randomBytes: (size: number) => Buffer): () => string {
  const start = randomBytes(8).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}
