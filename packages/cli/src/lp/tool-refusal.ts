import * as z from 'zod'
import { UsageError } from '../usage-error.ts'

/**
 * What a tool refused a call with, for a person: its code and sentence, what is accepted under the flag that says it, and the fix.
 * `UsageError` where the words were off.
 */
export function toolRefusal({ code, message, suggestion, details }: Refusal): Error {
  const lines = details.flatMap((detail) => {
    const said = factsOf(detail, message)
    return said === '' ? [] : [`  ${flagOf(detail.field)}${said}`]
  })
  const fix = code === 'CHAIN_NOT_SUPPORTED' ? ownChainFix : suggestion
  const text = [`${code}: ${message}`, ...lines, `  ${fix}`].join('\n')
  return wordsAreOff.has(code) ? new UsageError(text) : new Error(text)
}

const refusal = z.object({
  code: z.string(),
  message: z.string(),
  suggestion: z.string(),
  details: z.array(
    z.looseObject({
      field: z.string().optional(),
      message: z.string(),
      accepted: z.string().or(z.array(z.string())).optional(),
    }),
  ),
})

/** The `_meta` of a result that is a refusal. */
export const refusalForm = z.object({ 'svc/error': refusal })

export type Refusal = z.infer<typeof refusal>

const wordsAreOff: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'INVALID_STRATEGY'])

/** The sentence unless it was said already, what is accepted, and numbers such as the days that were found. */
function factsOf({ field: _field, message, accepted, ...facts }: Refusal['details'][number], whole: string): string {
  const list = Array.isArray(accepted) ? accepted.join(', ') : accepted
  const numbers = Object.entries(facts).flatMap(([name, value]) =>
    typeof value === 'number' ? [`${name} ${value}`] : [],
  )
  return [
    ...(whole.includes(message) ? [] : [message.replace(/[^.]$/, '$&.')]),
    ...(list === undefined || list === '' ? [] : [`Accepted: ${list}.`]),
    ...(numbers.length === 0 ? [] : [`${numbers.join(', ')}.`]),
  ].join(' ')
}

/** The flag that a member of the input is said by, and the member itself where it is a part of what the flag takes. */
function flagOf(field: string | undefined): string {
  if (field === undefined) return ''
  const [first = ''] = field.split(/[.[]/)
  const flag = Object.hasOwn(flags, first) ? flags[first] : undefined
  return `${flag === undefined ? field : field === first ? flag : `${flag}: ${field}`}: `
}

const flags: Readonly<Record<string, string>> = {
  token0: '--pair',
  token1: '--pair',
  chain: '--chain',
  pool: '--pool',
  fee: '--fee',
  amount: '--amount',
  horizonDays: '--horizon-days',
  simulations: '--simulations',
  startTime: '--start',
  endTime: '--end',
  strategies: '--strategies',
}

/** How a chain that is not built in is made known, whatever its id. */
export const ownChainFix =
  'A chain of your own is known by its row in the file that SVC_CHAINS_FILE names (docs/analytics.md); where that is not set, the chain ' +
  'of a local world by --data-dir with its directory, which `npm start` shows as "data", while it runs.'
