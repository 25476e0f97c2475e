import leven from 'leven'
import type { ConfigProblem } from './config-error.ts'

/**
 * What an environment holds under names that begin like settings and are none: a slip of one is a problem, because the
 * limit it was to set would be the default; a name far from all is told of and let be, for other programs may read it.
 */
export function unknownSettings(given: readonly string[], names: readonly string[]): UnknownSettings {
  const known = new Set(names)
  const unknown = given.filter((name) => name.startsWith(prefix) && !known.has(name) && !name.startsWith(perChain))
  const problems: ConfigProblem[] = []
  const strangers: ConfigProblem[] = []
  for (const name of unknown) {
    const meant = names.find((other) => leven(name, other) <= slipsAllowed(other))
    const found = { code: 'SETTING_UNKNOWN', setting: name, message: 'There is no such setting.' } as const
    if (meant === undefined) strangers.push({ ...found, fix: 'Remove it, unless another program reads it.' })
    else problems.push({ ...found, fix: `Did you mean ${meant}?` })
  }
  return { problems, strangers }
}

export type UnknownSettings = {
  readonly problems: readonly ConfigProblem[]
  readonly strangers: readonly ConfigProblem[]
}

const prefix = 'SVC_'
/** Read, and checked, by a reader of their own. */
const perChain = 'SVC_RPC_URL_'

/** Letters added, left out or changed: few enough that no setting of another program is taken for a slip of a short name. */
function slipsAllowed(name: string): number {
  return Math.max(1, Math.floor((name.length - prefix.length) / 6))
}
