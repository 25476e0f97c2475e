import type { BacktestStrategy } from '@svc/lp-math'
import { jsonFault } from '@svc/tool-server/policy'
import * as z from 'zod'
import { readInputFile } from '../read-input-file.ts'
import { UsageError } from '../usage-error.ts'

/**
 * The strategies of `--strategies`: a JSON list, or the name of a file that holds one; without the flag the four that the tool server
 * has. Throws `UsageError` with the path of the first fault, such as `strategies[1].rangePct`.
 */
export async function readStrategies(text: string | undefined): Promise<readonly BacktestStrategy[]> {
  if (text === undefined) return usualStrategies
  const written = text.trimStart().startsWith('[') ? parseJson(text) : await readInputFile(text, 'a file of strategies')
  const read = form.safeParse(written)
  if (read.success) return withOwnNames(read.data)
  const [issue] = read.error.issues
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')
  const unknown = issue?.code === 'unrecognized_keys' ? `: there is no member ${issue.keys.join(', ')}` : ''
  throw new UsageError(`--strategies: strategies${path}${unknown || ` is ${issue?.message}`}`)
}

const usualStrategies: readonly BacktestStrategy[] = [
  { name: 'narrow', rangePct: 10, rebalanceThresholdPct: 80 },
  { name: 'medium', rangePct: 25, rebalanceThresholdPct: 90 },
  { name: 'wide', rangePct: 50, rebalanceThresholdPct: 95 },
  { name: 'full-range', rangePct: null, rebalanceThresholdPct: null },
]

const list = 'a list of 1 to 20 strategies { name, rangePct, rebalanceThresholdPct }'
const name = '1 to 40 letters, digits, spaces and . _ % + -'
const range = 'a full width in percent above 0 and below 200, or null for the full range'
const threshold = 'percent of the last 24 hours out of range, 0 to 100, or null for never'

const form = z
  .array(
    z.strictObject(
      {
        name: z.string(name).regex(/^[A-Za-z0-9 ._%+-]{1,40}$/, name),
        rangePct: z.number(range).gt(0, range).lt(200, range).nullable(),
        rebalanceThresholdPct: z.number(threshold).min(0, threshold).max(100, threshold).nullable(),
      },
      {
        error: (issue) =>
          issue.code === 'unrecognized_keys' ? undefined : 'an object { name, rangePct, rebalanceThresholdPct }',
      },
    ),
    list,
  )
  .min(1, list)
  .max(20, list)

function withOwnNames(strategies: readonly BacktestStrategy[]): readonly BacktestStrategy[] {
  const names = strategies.map(({ name }) => name)
  const again = names.findIndex((one, index) => names.indexOf(one) !== index)
  if (again >= 0) throw new UsageError(`--strategies: strategies[${again}].name is that of an earlier strategy`)
  return strategies
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--strategies is not JSON: ${jsonFault(text)}`)
  }
}
