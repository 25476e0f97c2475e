import { nearestName, slipsBetween } from './nearest-name.ts'

/** Why a process will not start: every problem at once, each with its code and its fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ code, setting, message, fix }) => `${code} (${setting}): ${message} ${fix}`).join('\n'))
    this.problems = problems
  }
}

/** Each process has codes of its own. */
export type ConfigProblem<Code extends string = string> = {
  readonly code: Code
  /** The setting, or the file, at fault. Never its value. */
  readonly setting: string
  readonly message: string
  readonly fix: string
}

/**
 * Names that no setting has, each with the setting that it is most likely a slip of, if any: letters added, left out or
 * changed, few enough that no setting of another program is taken for a slip of a short name. What begins like a setting of
 * one chain each (`perChain`) is left to the reader of those.
 */
export function unknownSettings(
  given: readonly string[],
  { names, perChain }: { readonly names: readonly string[]; readonly perChain: readonly string[] },
): readonly UnknownSetting[] {
  const known = new Set(names)
  const ours = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefixLength))
  return given
    .filter((name) => !known.has(name) && !perChain.some((start) => name.startsWith(start)))
    .map((name) => ({
      name,
      meant: names.find((other) => isSlipOf(name, other)) ?? null,
      nearest: name.startsWith(prefix)
        ? (nearestName(name.slice(prefixLength), ours)?.replace(/^/, prefix) ?? null)
        : null,
    }))
}

/** `nearest`: less surely meant, among the settings that begin as ours do, for a name that does. */
export type UnknownSetting = { readonly name: string; readonly meant: string | null; readonly nearest: string | null }

const prefix = 'SVC_'
const prefixLength = prefix.length

function isSlipOf(written: string, name: string): boolean {
  const most = Math.max(1, Math.floor((name.length - prefixLength) / 6))
  return slipsBetween(written, name, most) <= most
}
