/**
 * A check of an object: no unknown member, and each known one by its own check. `name` is what the object itself is
 * called in a refusal.
 */
export function shape(members: Members, name: string): Check {
  return (value, field, fields) => {
    if (!isRecord(value)) {
      fields.push({ field: field || name, accepted: 'an object' })
      return
    }
    const path = (member: string) => (field === '' ? member : `${field}.${member}`)
    for (const member of Object.keys(value)) {
      if (!Object.hasOwn(members, member)) {
        const known = Object.keys(members)
        const meant = known.find((name) => isSlip(member, name)) ?? null
        fields.push({
          field: path(shown(member)),
          accepted: `only ${known.join(', ')}`,
          meant: meant && path(meant),
        })
      }
    }
    for (const [member, check] of Object.entries(members)) check(value[member], path(member), fields)
  }
}

/** The same members, each of which may be missing or `undefined`. */
export function optional(members: Members): Members {
  const passing = (check: Check): Check => {
    return (value, field, fields) => {
      if (value !== undefined) check(value, field, fields)
    }
  }
  return Object.fromEntries(Object.entries(members).map(([name, check]) => [name, passing(check)]))
}

/** A check of a list, item by item; `what` says which items. */
export function list(most: number, check: Check, what = ''): Check {
  return (value, field, fields) => {
    if (!Array.isArray(value) || value.length > most) {
      fields.push({ field, accepted: `a list of at most ${most}${what}` })
      return
    }
    value.forEach((item: unknown, index) => check(item, `${field}[${index}]`, fields))
  }
}

/** A check by one question; `accepted` says what would have passed. */
export function only(accepted: string, isAccepted: (value: unknown) => boolean): Check {
  return (value, field, fields) => {
    if (!isAccepted(value)) fields.push({ field, accepted })
  }
}

export function oneOf(...words: readonly string[]): Check {
  return only(words.join(' or '), (value) => typeof value === 'string' && words.includes(value))
}

export const flag: Check = only('true or false', (value) => typeof value === 'boolean')

/** Adds to `fields` what it refuses; nothing is coerced. */
export type Check = (value: unknown, field: string, fields: RefusedField[]) => void

export type Members = Readonly<Record<string, Check>>

export type RefusedField = {
  readonly field: string
  readonly accepted: string
  /** Of a member that is not known: the one that is meant perhaps. */
  readonly meant?: string | null
}

/** Whether one word is another but for case, or one letter too many, too few, other or in the place of its neighbour. */
function isSlip(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()]
  if (a === b || Math.abs(a.length - b.length) > 1) return a === b
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const rest = (word: string, from: number) => word.slice(same + from)
  const isSwapped = a[same] === b[same + 1] && a[same + 1] === b[same] && rest(a, 2) === rest(b, 2)
  return isSwapped || rest(a, 1) === rest(b, 1) || rest(a, 1) === rest(b, 0) || rest(a, 0) === rest(b, 1)
}

/** A name that a stranger chose, as it may stand in a message. */
export function shown(name: string): string {
  return name.slice(0, 64).replace(/[^\w:. -]/g, '?')
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
