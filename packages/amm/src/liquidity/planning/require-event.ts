import { ToolError } from '../../tool-error.ts'

/** The one log a mined call must have left. Throws `INTERNAL` when the receipt holds none: the contract is not what it says. */
export function requireEvent<Event>(events: readonly Event[], name: string): Event {
  const event = events[0]
  if (event !== undefined) return event
  throw new ToolError('INTERNAL', `The transaction was mined, but its receipt holds no ${name} log.`)
}
