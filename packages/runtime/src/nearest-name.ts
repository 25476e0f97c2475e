import leven from 'leven'

/** The name that most likely was meant: the one fewest slips away, if few enough. */
export function nearestName(written: string, names: readonly string[]): string | null {
  const text = written.slice(0, longest).toLowerCase()
  const ranked = names
    .map((name) => ({ name, slips: slipsBetween(text, name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)
  const [best] = ranked
  return best !== undefined && best.slips <= Math.max(1, best.name.length / 3) ? best.name : null
}

/** Letters added, left out or changed, and two neighbours in each other's place once. Beyond `most` it is not counted exactly. */
export function slipsBetween(written: string, name: string, most = Infinity): number {
  const difference = Math.abs(written.length - name.length)
  if (difference > most) return difference
  const plain = leven(written, name)
  // Neighbours put right save one slip.
  if (plain < 2 || plain > most + 1 || written.length > longest) return plain
  const swapped = Array.from({ length: Math.max(0, written.length - 1) }, (_, at) => {
    const [one = '', other = ''] = written.slice(at, at + 2)
    return 1 + leven(`${written.slice(0, at)}${other}${one}${written.slice(at + 2)}`, name)
  })
  return Math.min(plain, ...swapped)
}

const longest = 64
