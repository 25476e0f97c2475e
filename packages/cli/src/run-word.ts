import { nearestName } from './nearest-name.ts'
import { UsageError } from './usage-error.ts'

/**
 * Runs the word that follows a command, as `list` in `svc approvals list`. Throws `UsageError` for a word that there is not: with
 * `takes`, which says what there is, and with the word that most likely was meant.
 */
export async function runWord(
  [name = '', ...rest]: readonly string[],
  words: Readonly<Record<string, (rest: readonly string[]) => Promise<number>>>,
  takes: string,
): Promise<number> {
  const run = Object.hasOwn(words, name) ? words[name] : undefined
  if (run !== undefined) return run(rest)
  const nearest = nearestName(name, Object.keys(words))
  throw new UsageError(nearest === null ? takes : `${takes}. Did you mean ${nearest}?`, { seeHelp: true })
}
