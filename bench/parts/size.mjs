/** Whether this is the short form, which proves that a benchmark still runs and measures nothing: `--smoke`. */
export const isSmoke = process.argv.includes('--smoke')

/** How often or how much of something: `whole`, in the short form `short`. */
export function sized(whole, short = 1) {
  return isSmoke ? short : whole
}
