/** Makes a thing when it is first asked for, once; a failure is not remembered. */
export function lazily<Thing>(make: () => Promise<Thing>): Lazy<Thing> {
  let made: Promise<Thing> | null = null
  return {
    get() {
      made ??= make().catch((error: unknown) => {
        made = null
        throw error
      })
      return made
    },
    made: () => made,
  }
}

export type Lazy<Thing> = {
  get(): Promise<Thing>
  /** What was made so far, if anything. */
  made(): Promise<Thing> | null
}
