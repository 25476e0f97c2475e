import { unknownSettings, type UnknownSetting } from '@svc/runtime'
import type { ConfigProblem } from './config-error.ts'
import { settings } from './settings.ts'

/**
 * Names that no setting has. In the data directory's environment file, which nobody else reads, each is a problem; in the
 * environment of the process a slip of one that begins with SVC_ is: what it was to set would stay at its default. Others
 * there are reported and let be, for other programs may read them.
 */
export function unknownNames(names: { readonly given: readonly string[]; readonly written: readonly string[] }): {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
} {
  const problems = unknownSettings(names.written, known).map(problem)
  const warnings: string[] = []
  for (const unknown of unknownSettings(names.given, known)) {
    const { name, meant } = unknown
    const isOurs = name.startsWith('SVC_')
    if (isOurs && meant !== null) problems.push(problem(unknown))
    else if (isOurs) warnings.push(`${name} is not a setting of this server and changes nothing.`)
    else if (meant !== null) warnings.push(`${name} is not a setting of this server. Did you mean ${meant}?`)
  }
  return { problems, warnings }
}

const known = {
  // The last is read where the local chain is started, not by the server.
  names: [...settings.map(({ name }) => name), 'SVC_ANVIL_PATH'],
  perChain: settings.flatMap(({ name }) => (name.endsWith('<chainId>') ? [name.slice(0, -'<chainId>'.length)] : [])),
}

function problem({ name, meant }: UnknownSetting): ConfigProblem {
  const fix = meant === null ? 'Remove it; docs/config.md has every setting.' : `Did you mean ${meant}?`
  return { code: 'SETTING_UNKNOWN', setting: name, message: 'There is no such setting.', fix }
}
