import canonicalize from 'canonicalize'
import { type Abi, decodeFunctionData, type Hex, isHex, size, slice, stringToHex, toFunctionSelector } from 'viem'
import type { AggregationDocument, PolicyCondition, PolicyDocument, PolicyField } from './policy.ts'
import { asObject } from './faults.ts'
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

type Verdict = { readonly action: 'ALLOW' | 'DENY'; readonly rule: string | null }

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

/**
 * The value of a request that a condition speaks of, as text: whole numbers in decimal, everything else as it stands.
 * `null` where the request has no such value, and a condition over nothing does not hold.
 */
function readValue(field: PolicyField, request: WireRequest, nowMs: number): string | null {
  switch (field.field_source) {
    case 'ethereum_transaction':
      return request.kind === 'transaction' ? ofTransaction(field.field, request) : null
    case 'ethereum_calldata':
      return request.kind === 'transaction' ? ofCalldata(field, request.transaction.data) : null
    case 'ethereum_typed_data_domain':
      return request.kind === 'typed-data' ? ofDomain(field.field, request.typedData.domain) : null
    case 'ethereum_typed_data_message':
      return request.kind === 'typed-data' ? ofMessage(field, request) : null
    case 'ethereum_7702_authorization':
      return request.kind === 'authorization' ? request.authorization.contractAddress : null
    case 'message':
      return request.kind === 'message' ? ofSigned(field.field, request.message) : null
    case 'system':
      return `${Math.floor(nowMs / 1000)}`
    case 'reference':
      break
  }
  return null
}

type Of<K extends WireRequest['kind']> = Extract<WireRequest, { readonly kind: K }>

function ofTransaction(field: string, { transaction }: Of<'transaction'>): string | null {
  if (field === 'to') return transaction.to ?? null
  return `${field === 'value' ? (transaction.value ?? 0n) : transaction.chainId}`
}

/** `function_name`, or `function.argument`, going on by names into tuples and by numbers into arrays. */
function ofCalldata({ abi, field }: PolicyField, data: Hex | undefined): string | null {
  if (data === undefined || size(data) < 4 || !isAbi(abi)) return null
  const selector = slice(data, 0, 4)
  const item = abi.find((one) => one.type === 'function' && toFunctionSelector(one) === selector)
  if (item?.type !== 'function') return null
  try {
    const { args } = decodeFunctionData({ abi: [item], data })
    if (field === 'function_name') return item.name
    const [name, argument, ...path] = field.split('.')
    const index = item.inputs.findIndex((input) => input.name === argument)
    return name === item.name && index >= 0 ? asText(walk(args?.[index], path)) : null
  } catch {
    return null
  }
}

function ofDomain(field: string, domain: Readonly<Record<string, unknown>>): string | null {
  return asText(domain[field.startsWith('chain') ? 'chainId' : 'verifyingContract'])
}

/** Holds for data of the very types the rule names: the same field of another struct is another thing. */
function ofMessage({ typed_data, field }: PolicyField, { typedData }: Of<'typed-data'>): string | null {
  const named = asObject(typed_data, 'typed_data')
  if (named['primary_type'] !== typedData.primaryType) return null
  const types = Object.entries(asObject(named['types'], 'types')).filter(([name]) => name !== 'EIP712Domain')
  if (!types.some(([name]) => name === typedData.primaryType)) return null
  const isSame = types.every(([name, members]) => canonicalize(members) === canonicalize(typedData.types[name] ?? null))
  return isSame ? asText(walk(typedData.message, field.split('.'))) : null
}

function ofSigned(field: string, message: string | { readonly raw: Hex }): string {
  const bytes = typeof message === 'string' ? stringToHex(message) : message.raw
  if (field === 'byte_length') return `${size(bytes)}`
  return typeof message === 'string' ? message : message.raw
}

function walk(value: unknown, path: readonly string[]): unknown {
  let inner = value
  for (const step of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return null
    inner = Reflect.get(inner, step)
  }
  return inner
}

function asText(value: unknown): string | null {
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return `${value}`
  return typeof value === 'string' || isHex(value) ? value : null
}

function isAbi(value: unknown): value is Abi {
  return Array.isArray(value)
}
