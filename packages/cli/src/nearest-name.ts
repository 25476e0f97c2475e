/** The name that most likely was meant: the one fewest slips away (letters added, left out, changed), if few enough. */
export function nearestName(written: string, names: readonly string[]): string | null {
  const text = written.slice(0, longest).toLowerCase()
  const ranked = names
    .map((name) => ({ name, slips: slipsBetween(text, name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)
  const [best] = ranked
  return best !== undefined && best.slips <= Math.max(1, best.name.length / 3) ? best.name : null
}

const longest = 64

/** Levenshtein's distance, row by row. */
function slipsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
