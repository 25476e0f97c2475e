import leven from 'leven'

/** The name that most likely was meant: the one fewest slips away (letters added, left out, changed), if few enough. */
export function nearestName(written: string, names: readonly string[]): string | null {
  const text = written.slice(0, longest).toLowerCase()
  const ranked = names
    .map((name) => ({ name, slips: leven(text, name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)
  const [best] = ranked
  return best !== undefined && best.slips <= Math.max(1, best.name.length / 3) ? best.name : null
}

const longest = 64
