// Reads a long list in pages by id: one statement for all rows would exceed the statement timeout.

const rowsInPage = 5000;

/** `read` returns at most `most` rows with ids greater than `after`, in the order of ids. */
export async function readAllById<Row extends { readonly id: number }>(
  read: (after: number, most: number) => Promise<{ readonly rows: readonly Row[] }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let after = 0; ; ) {
    const { rows } = await read(after, rowsInPage);
    all.push(...rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsInPage) return all;
    after = last.id;
  }
}
