/** Rows of text with every column as wide as its widest cell, two spaces between. */
export function table(
  rows: readonly (readonly string[])[],
  { alignRight }: { readonly alignRight: readonly number[] },
): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) =>
        alignRight.includes(column) ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      )
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}
