import { nearestName } from '../nearest-name.ts'
import { UsageError } from '../usage-error.ts'

/** Throws `UsageError` for an event that no line can be of, naming those there are. The beginning of one will do. */
export async function requireEvent(event: string): Promise<void> {
  const { auditEventNames } = await import('@svc/engine/switches')
  const names: readonly string[] = auditEventNames
  if (names.some((name) => name === event || name.startsWith(`${event}.`))) return
  throw unknown('event', event, names, ' The first words of one will do, such as "tx".')
}

/** Throws `UsageError` for a tool that this version does not have, naming those it has. */
export async function requireTool(tool: string): Promise<void> {
  const { catalogue } = await import('@svc/tool-server')
  const names = catalogue.map(({ name }) => name).toSorted()
  if (!names.includes(tool)) throw unknown('tool', tool, names, '')
}

function unknown(flag: string, written: string, names: readonly string[], more: string): UsageError {
  const nearest = nearestName(written, names)
  const meant = nearest === null ? '' : ` Did you mean "${nearest}"?`
  return new UsageError(
    `There is no ${flag} "${written.slice(0, 64)}".${meant}\n--${flag} takes: ${names.join(', ')}.${more}`,
  )
}
