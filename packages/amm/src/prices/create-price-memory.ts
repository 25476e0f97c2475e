import type { PriceMemory, Sighting } from '../ports.ts'

/** Where sightings are kept for good: the store's, or nothing. */
export type SightingStore = {
  /** What was kept of these subjects on a chain within the last day, oldest first. */
  recall(chain: { readonly id: number }, subjects: readonly string[]): Promise<readonly Sighting[]>
  keep(chain: { readonly id: number }, sightings: readonly Sighting[]): Promise<void>
}

/**
 * Remembers the sightings of a day, at most one of each subject in five minutes: in the process, and in a store where there is
 * one. The store is asked once for each subject. If it fails, it counts as empty and is asked again the next time.
 *
 * @param store gives the store; `null` as long as there is none
 */
export function createPriceMemory({ store, now, onError = () => {} }: PriceMemoryOptions): PriceMemory {
  const rememberedOf = createSubjects()
  const add = (remembered: Remembered | undefined, sighting: Sighting) =>
    remembered !== undefined && addTo(remembered, sighting, Math.floor(now() / 1000) - keptSeconds)

  async function load(id: number, subjects: readonly string[], from: SightingStore): Promise<void> {
    const remembered = new Map(subjects.map((subject) => [subject, rememberedOf(id, subject)]))
    const ask = async (): Promise<void> => {
      try {
        for (const sighting of await from.recall({ id }, subjects)) add(remembered.get(sighting.subject), sighting)
      } catch (error) {
        onError(error)
        for (const one of remembered.values()) one.asked = null
      }
    }
    const asked = ask()
    for (const one of remembered.values()) one.asked = asked
    await asked
  }

  return {
    async recall({ id }, subjects) {
      const from = store()
      const unasked = subjects.filter((subject) => rememberedOf(id, subject).asked === null)
      if (from !== null && unasked.length > 0) await load(id, unasked, from)
      const remembered = subjects.map((subject) => rememberedOf(id, subject))
      await Promise.all(remembered.flatMap(({ asked }) => asked ?? []))
      return remembered.flatMap(({ sightings }) => sightings)
    },
    keep({ id }, sightings) {
      const added = sightings.filter((sighting) => add(rememberedOf(id, sighting.subject), sighting))
      if (added.length > 0) void store()?.keep({ id }, added).catch(onError)
    },
  }
}

export type PriceMemoryOptions = {
  readonly store: () => SightingStore | null
  /** Unix milliseconds. */
  readonly now: () => number
  readonly onError?: (error: unknown) => void
}

type Remembered = {
  /** Oldest first. */
  sightings: readonly Sighting[]
  /** When the store has said what it has; `null` before it was asked. */
  asked: Promise<void> | null
}

const keptSeconds = 86_400
const slotSeconds = 300
/** More than the tokens and pools of all shipped rows; the store bounds what it keeps itself. */
const mostSubjects = 2_000

function slotOf({ atSeconds }: Sighting): number {
  return Math.floor(atSeconds / slotSeconds)
}

/** By chain and subject. Where there are too many, those asked for least lately are forgotten; a store still has them. */
function createSubjects(): (id: number, subject: string) => Remembered {
  const chains = new Map<number, Map<string, Remembered>>()
  return (id, subject) => {
    const subjects = chains.get(id) ?? new Map<string, Remembered>()
    chains.set(id, subjects)
    const known = subjects.get(subject) ?? { sightings: [], asked: null }
    subjects.delete(subject)
    subjects.set(subject, known)
    const [oldest] = subjects.keys()
    if (subjects.size > mostSubjects && oldest !== undefined) subjects.delete(oldest)
    return known
  }
}

/** Whether it is new: the first of its five minutes. What is older than `since` is forgotten. */
function addTo(remembered: Remembered, sighting: Sighting, since: number): boolean {
  const slot = slotOf(sighting)
  if (remembered.sightings.some((one) => slotOf(one) === slot)) return false
  const kept = remembered.sightings.filter(({ atSeconds }) => atSeconds >= since)
  remembered.sightings = [...kept, sighting].toSorted((one, other) => one.atSeconds - other.atSeconds)
  return true
}
