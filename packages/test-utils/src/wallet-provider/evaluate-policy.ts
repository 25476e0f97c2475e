import type { AggregationDocument, PolicyCondition, PolicyDocument } from './policy.ts'
import { readValue } from './read-value.ts'
import type { WireRequest } from './wire-request.ts'

/**
 * What a policy says of a request: all conditions of a rule must hold, DENY beats ALLOW, and what no rule names is denied.
 * A raw hash (`secp256k1_sign`) is no method of the policy language and passes no rule, not even one of method `*`.
 */
export function evaluatePolicy(policy: PolicyDocument, request: WireRequest, world: PolicyWorld): Verdict {
  if (request.method === 'secp256k1_sign') return { action: 'DENY', rule: null }
  const matched = policy.rules.filter(
    ({ method, conditions }) =>
      (method === request.method || method === '*') && conditions.every((one) => holds(one, request, world)),
  )
  const decisive = matched.find(({ action }) => action === 'DENY') ?? matched[0]
  return decisive === undefined ? { action: 'DENY', rule: null } : { action: decisive.action, rule: decisive.name }
}

export type Verdict = { readonly action: 'ALLOW' | 'DENY'; readonly rule: string | null }

/** What conditions look at beside the request. */
export type PolicyWorld = {
  readonly nowMs: number
  readonly aggregation: (id: string) => AggregationDocument | null
  readonly conditionSet: (id: string) => readonly string[]
  /** What the wallet has signed, oldest first. */
  readonly signed: readonly SignedEvent[]
}

export type SignedEvent = { readonly atMs: number; readonly request: WireRequest }

function holds(condition: PolicyCondition, request: WireRequest, world: PolicyWorld): boolean {
  const actual =
    condition.field_source === 'reference'
      ? totalOf(condition.field, request, world)
      : readValue(condition, request, world.nowMs)
  if (actual === null) return false
  const { operator, value } = condition
  if (typeof value !== 'string') return value.some((one) => isSame(actual, one))
  if (operator === 'in_condition_set') return world.conditionSet(value).some((one) => isSame(actual, one))
  return comparisons[operator](actual, value)
}

const comparisons = {
  eq: isSame,
  in: isSame,
  gt: (actual, wanted) => ordered(actual, wanted, (left, right) => left > right),
  gte: (actual, wanted) => ordered(actual, wanted, (left, right) => left >= right),
  lt: (actual, wanted) => ordered(actual, wanted, (left, right) => left < right),
  lte: (actual, wanted) => ordered(actual, wanted, (left, right) => left <= right),
  contains: (actual, wanted) => plain(actual).includes(plain(wanted)),
  starts_with: (actual, wanted) => plain(actual).startsWith(plain(wanted)),
  ends_with: (actual, wanted) => plain(actual).endsWith(plain(wanted)),
} as const satisfies Record<string, (actual: string, wanted: string) => boolean>

/** The sum within the window, the request itself included, over what was signed alike; `null` where it does not apply. */
function totalOf(field: string, request: WireRequest, world: PolicyWorld): string | null {
  const aggregation = world.aggregation(field.replace(/^aggregation\./, ''))
  if (aggregation === null) return null
  const { method, metric, conditions, groupBy, windowSeconds } = aggregation
  const groupOf = (one: WireRequest) => groupBy.map((by) => readValue(by, one, world.nowMs)).join('\n')
  const counts = (one: WireRequest, nowMs: number) =>
    one.method === method && conditions.every((condition) => holds(condition, one, { ...world, nowMs }))
  if (!counts(request, world.nowMs)) return null
  const earlier = world.signed.filter(
    ({ atMs, request: one }) =>
      atMs > world.nowMs - windowSeconds * 1000 && counts(one, atMs) && groupOf(one) === groupOf(request),
  )
  const amounts = [...earlier.map((event) => event.request), request].map((one) =>
    wholeNumber(readValue(metric, one, world.nowMs) ?? '0'),
  )
  return `${amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)}`
}

/** Numbers by value, addresses and bytes without regard to case, everything else to the letter. */
function isSame(actual: string, wanted: string): boolean {
  if (isHexadecimal(actual) && isHexadecimal(wanted)) return actual.toLowerCase() === wanted.toLowerCase()
  const [left, right] = [wholeNumber(actual), wholeNumber(wanted)]
  return left !== null && right !== null ? left === right : actual === wanted
}

function ordered(actual: string, wanted: string, compare: (left: bigint, right: bigint) => boolean): boolean {
  const [left, right] = [wholeNumber(actual), wholeNumber(wanted)]
  return left !== null && right !== null && compare(left, right)
}

function wholeNumber(text: string): bigint | null {
  return /^(-?\d+|0x[0-9a-fA-F]+)$/.test(text) ? BigInt(text) : null
}

function plain(text: string): string {
  return isHexadecimal(text) ? text.toLowerCase() : text
}

function isHexadecimal(text: string): boolean {
  return /^0x[0-9a-fA-F]*$/.test(text)
}
