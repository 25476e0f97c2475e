import { type Intent, readIntent } from '@svc/amm'
import { readStoredPlan } from '@svc/engine/approvals'
import { sessionIdleMs, type PolicyQuestion } from '@svc/engine/policy'
import type { Operation } from '@svc/store'
import type { OpenOperations } from '../approvals/open-operations.ts'
import { readInputFile } from '../read-input-file.ts'

/** What a plan asks of the policy, before the chain is asked. */
export type PlanQuestion = Omit<PolicyQuestion, 'used' | 'weighed'> & {
  readonly used: SpendUsed | null
  /** `null` for a file. */
  readonly stored: StoredFacts | null
}

/** How a stored plan stands, and the deadline that it was shown with and that it is judged with, both in Unix seconds. */
export type StoredFacts = Pick<Operation, 'state' | 'expiresAt' | 'decidedBy'> & {
  readonly deadline: { readonly planned: number; readonly judged: number } | null
}

/** What a stored plan asks of the policy when it is carried out at this time (Unix milliseconds), and what is spent already. */
export async function storedPlan(id: string, { operations, usage }: PlanStore, now: number): Promise<PlanQuestion> {
  const operation = await operations.byId(id)
  if (operation === null) throw new Error(`there is no plan ${id.slice(0, 128)}; a file is named with .json`)
  const { principalId, tool, spendUsdMicros, state, expiresAt, decidedBy } = operation
  const counted = await usage(principalId, { sessionIdleMs })
  const used = {
    session: counted.sessionUsdMicros,
    daily: counted.dailyUsdMicros,
    principalDaily: counted.principalDailyUsdMicros,
    exitGas: counted.dailyPlainExitGasUsdMicros,
    dueExitGas: counted.dailyDueExitGasUsdMicros,
    sureExitGas: counted.dailySureExitGasUsdMicros,
    gas: counted.dailyGasUsdMicros - counted.dailyExitGasUsdMicros,
  }
  const later = Math.max(0, Math.floor((now - operation.createdAt) / 1_000))
  const intent = intentOf(renewDeadlines(operation.intent, later), id)
  const judged = intent.deadline
  const deadline = judged === null ? null : { planned: judged - later, judged }
  const stored = { state, expiresAt, decidedBy, deadline }
  return { tool, principalId, intent, spendUsdMicros, gasUsdMicros: gasOf(operation.plan), used, stored }
}

/**
 * The intent as its tool gives it so many seconds later: whoever carries a plan out calls the tool again, which sets each deadline
 * anew, in the calldata as well. There it stands as a word of 32 bytes, at any place.
 */
function renewDeadlines(intent: string, laterSeconds: number): string {
  const planned = new Set([...intent.matchAll(/"deadline":(\d+)/g)].map(([, seconds]) => Number(seconds)))
  const wordOf = (seconds: number) => seconds.toString(16).padStart(64, '0')
  const renewed = new Map(
    [...planned].flatMap((seconds) => [
      [wordOf(seconds), wordOf(seconds + laterSeconds)] as const,
      [`"deadline":${seconds}`, `"deadline":${seconds + laterSeconds}`] as const,
    ]),
  )
  if (renewed.size === 0) return intent
  return intent.replaceAll(new RegExp([...renewed.keys()].join('|'), 'g'), (found) => renewed.get(found) ?? found)
}

export type PlanStore = Pick<OpenOperations, 'operations' | 'usage'>

type SpendUsed = Omit<NonNullable<PolicyQuestion['used']>, 'budgets'>

/** Whether a plan is named by a file rather than by the id of a stored one. */
export function isPlanFile(plan: string): boolean {
  return plan.endsWith('.json') || plan.includes('/')
}

/**
 * What a JSON file asks of the policy: it holds an intent, alone or as `intent` beside `tool`, `principalId`,
 * `spendUsdMicros` and `gasUsdMicros`. Nothing counts as spent.
 */
export async function planFromFile(path: string): Promise<PlanQuestion> {
  const written = await readInputFile(path, 'a file with an intent, or the id of a stored plan')
  if (typeof written !== 'object' || written === null) throw new Error(`${path} holds no JSON object`)
  if (!('intent' in written)) {
    const intent = intentOf(JSON.stringify(written), path)
    return { tool: null, principalId: null, intent, spendUsdMicros: null, gasUsdMicros: null, used: null, stored: null }
  }
  const { intent } = written
  return {
    tool: textOf(written, 'tool'),
    principalId: textOf(written, 'principalId'),
    intent: intentOf(typeof intent === 'string' ? intent : JSON.stringify(intent), path),
    spendUsdMicros: microsOf(written, 'spendUsdMicros'),
    gasUsdMicros: microsOf(written, 'gasUsdMicros'),
    used: null,
    stored: null,
  }
}

function microsOf(written: object, name: string): bigint | null {
  const text = textOf(written, name)
  return text !== null && /^\d{1,30}$/.test(text) ? BigInt(text) : null
}

/** What the gas of a stored plan costs at worst, rounded up; `null` where it has no price, and in older plans. */
function gasOf(plan: string): bigint | null {
  try {
    const { gasCostAtMostUsd } = readStoredPlan(plan)
    return gasCostAtMostUsd === null ? null : BigInt(Math.ceil(gasCostAtMostUsd * 1e6))
  } catch {
    return null
  }
}

function textOf(written: object, name: string): string | null {
  const value: unknown = Reflect.get(written, name)
  return typeof value === 'string' ? value : null
}

function intentOf(text: string, from: string): Intent {
  try {
    return readIntent(text)
  } catch (cause) {
    throw new Error(`${from} holds no intent: ${cause instanceof Error ? cause.message : 'unreadable'}`, { cause })
  }
}
