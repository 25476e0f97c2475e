import { type Address, type Hash, keccak256, stringToBytes } from 'viem'
import type { ExecutionContext } from '../context/engine.ts'
import { type ShownContext, shownOf, type TokenContext, wholeValues } from './plan-shown.ts'
import type { Intent, Plan } from '@svc/amm'

/**
 * Names what is going to be done: who asked, by which tool with which arguments, the intent it became, for which wallet
 * on which chain, and what a person is shown of it. Whoever approves a plan approves exactly that. Equal plans have equal hashes; whether a call was a dry
 * run, and its idempotency key, do not count.
 */
export function planHash({ principalId, tool, input, wallet, intent, shown }: HashedPlan): Hash {
  const text = JSON.stringify(canonical({ principalId, tool, input: argumentsOf(input), wallet, intent, shown }))
  return keccak256(stringToBytes(text))
}

export type HashedPlan = {
  readonly principalId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly wallet: Address
  readonly intent: Intent
  /** Nothing in it changes while the intent is the same. */
  readonly shown: Pick<Plan, 'deposits' | 'values' | 'warnings'>
}

/** The arguments of a write without those that say how it is called. */
export function argumentsOf(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { dryRun: _dryRun, idempotencyKey: _key, ...own } = input
  return own
}

/** A value whose JSON is the same for equal values: members in order of their names, bigints as text with an `n`. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)])
}

/** The hash of what a call is about to do, with what a person is shown of it. */
export function shownPlanHash(
  context: Pick<ExecutionContext, 'call' | 'intent' | 'wallet'> & Pick<ShownContext, 'value'> & TokenContext,
): Hash {
  const { call, intent, wallet } = context
  const { principal, tool, input } = call
  const { values, ...shown } = shownOf(context)
  const hashed = { ...shown, values: wholeValues(values) }
  return planHash({ principalId: principal.id, tool, input, wallet, intent, shown: hashed })
}
