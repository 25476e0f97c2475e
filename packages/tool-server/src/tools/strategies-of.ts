import type { BacktestStrategy } from '@svc/lp-math'
import * as z from 'zod'
import { jsonFault } from '@svc/runtime'
import { quoteUntrusted } from '../dispatch/call-result.ts'
import { ToolError, type ErrorDetail } from '@svc/amm'

/**
 * The strategies of a backtest, given as a list or as its JSON; one that names no threshold never rebalances. Throws `INVALID_STRATEGY` with one detail for each fault, its path such as
 * `strategies[1].rangePct` and what is accepted there.
 */
export function strategiesOf(given: unknown): readonly BacktestStrategy[] {
  const outcome = strategiesForm.safeParse(typeof given === 'string' ? parsed(given) : given)
  if (!outcome.success) throw invalid(outcome.error.issues.flatMap(detailsOf))
  const names = outcome.data.map(({ name }) => name)
  const again = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (again >= 0) throw invalid([fault(`strategies[${again}].name`, 'Accepted: a name that no earlier strategy has')])
  return outcome.data
}

/** Those of a call: a list, as every client can send it, or the JSON of one. What stands in it is for `strategiesOf` to say. */
export const strategiesInput = z
  .union([z.array(z.unknown()), z.string()], { error: 'Accepted: a list of strategies, or the JSON of one' })
  .meta({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        rangePct: { type: ['number', 'null'], description: 'Full width, below 200; null: full range' },
        rebalanceThresholdPct: { type: ['number', 'null'], description: '% of 24 h out of range' },
      },
      required: ['name', 'rangePct'],
    },
    description: '1 to 10; default narrow 10, medium 25, wide 50, full-range',
  })

/** Those of a call that names none. */
export const usualStrategies: readonly BacktestStrategy[] = [
  { name: 'narrow', rangePct: 10, rebalanceThresholdPct: 80 },
  { name: 'medium', rangePct: 25, rebalanceThresholdPct: 90 },
  { name: 'wide', rangePct: 50, rebalanceThresholdPct: 95 },
  { name: 'full-range', rangePct: null, rebalanceThresholdPct: null },
]

const mostStrategies = 10
const listAccepted = `Accepted: a list of 1 to ${mostStrategies} strategies`
const nameAccepted = 'Accepted: 1 to 40 letters, digits, spaces and . _ % + -, the first a letter or digit'
const rangeAccepted = 'Accepted: a full width in percent above 0 and below 200, or null for the full range'
const thresholdAccepted = 'Accepted: percent of the last 24 hours out of range, 0 to 100, or null for never'

const strategiesForm = z
  .array(
    z.strictObject(
      {
        name: z.string({ error: nameAccepted }).regex(/^[A-Za-z0-9][A-Za-z0-9 ._%+-]{0,39}$/, { error: nameAccepted }),
        rangePct: z
          .number({ error: rangeAccepted })
          .refine((pct) => pct > 0 && pct < 200, rangeAccepted)
          .nullable(),
        rebalanceThresholdPct: z
          .number({ error: thresholdAccepted })
          .refine((pct) => pct >= 0 && pct <= 100, thresholdAccepted)
          .nullable()
          .default(null),
      },
      {
        error: (issue) =>
          issue.code === 'invalid_type' ? 'Accepted: { name, rangePct, rebalanceThresholdPct }' : undefined,
      },
    ),
    { error: listAccepted },
  )
  .min(1, { error: listAccepted })
  .max(mostStrategies, { error: listAccepted })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid([fault('strategies', `Accepted: JSON; ${jsonFault(text)}`)])
  }
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = pathOf(issue.path)
  if (issue.code !== 'unrecognized_keys') return [fault(path, issue.message)]
  return issue.keys.map((key) =>
    fault(`${path}.${plainName(key)}`, 'Unknown member. Accepted: name, rangePct, rebalanceThresholdPct'),
  )
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => `${text}${typeof part === 'number' ? `[${part}]` : `.${String(part)}`}`,
    'strategies',
  )
}

function plainName(key: string): string {
  return /^[A-Za-z0-9_]{1,64}$/.test(key) ? key : quoteUntrusted(key)
}

function fault(field: string, message: string): ErrorDetail {
  return { field, message }
}

function invalid(all: readonly ErrorDetail[]): ToolError {
  const details = all.slice(0, 20)
  return new ToolError(
    'INVALID_STRATEGY',
    details
      .map(({ field, message }) => `${field}: ${message}`)
      .slice(0, 3)
      .join('; '),
    {
      details,
    },
  )
}
