import { printable as capped } from '@svc/runtime'
import { ToolError } from '@svc/amm'

/** Says on stderr what is wrong with a file, one line a member. Throws what is no fault of the file. */
export function printProblems(file: string, error: unknown): void {
  if (!(error instanceof ToolError)) throw error
  const lines = error.details.map(
    ({ field, message, accepted }) =>
      `  ${printable(field === '' ? '(the file)' : `${field}`)}: ${printable(message)}${endpointIn(accepted)}`,
  )
  process.stderr.write([`${file}: ${error.message}`, ...lines, error.suggestion, ''].join('\n'))
}

/** Of an endpoint that failed, the setting by which another one is named. */
function endpointIn(accepted: unknown): string {
  return typeof accepted === 'string' && accepted.includes('SVC_RPC_URL_') ? ` Accepted: ${printable(accepted)}.` : ''
}

/** A text of unknown origin for a terminal. The reasons of a policy are long, and only what is endless is cut. */
export function printable(text: string): string {
  return capped(text, 2_000)
}

/** Says on stderr, in one line, which policy a command works with. */
export function sayPolicy(path: string, exists: boolean): void {
  process.stderr.write(exists ? `Policy: ${path}\n` : `Policy: the defaults, for there is no ${path}\n`)
}
