/** What the specification asks, in our words, with words of the title of a test that shows it and the file that holds the test. */
export type Specified = {
  readonly section: string
  readonly what: string
  readonly file: string
  readonly title: string
}

/** What is asked and not there yet, or rests on something outside of this repository, and why. */
export type Open = { readonly section: string; readonly what: string; readonly open: string }

/** Rows of one section. */
export function section(
  name: string,
  rows: readonly (readonly [what: string, file: string, title: string] | readonly [what: string, open: string])[],
): readonly (Specified | Open)[] {
  return rows.map(([what, file, title]) =>
    title === undefined ? { section: name, what, open: file } : { section: name, what, file, title },
  )
}
