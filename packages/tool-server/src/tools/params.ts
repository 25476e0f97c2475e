import { AmountError, parseAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { getAddress, isAddress, type Address, type Hex } from 'viem'
import * as z from 'zod'
import { type PoolReference, type Token, ToolError, type Version } from '@svc/amm'
import { operationStates, orderStates } from '@svc/engine'
import { isUuid } from '@svc/runtime'
import type { WriteContext } from '../tool-context.ts'

/*
 * Inputs that several tools share. A message that begins with "Accepted:" says what the member takes; nothing is coerced
 * and nothing is normalised. Forms and bounds are checked by `refine`, so that one refusal says all; the bounds of `wholeNumber` and
 * `numberWithin` stand in the JSON Schema too. Forms do not: they would cost every client tokens, and a description says more to a model.
 */

/** An id is also taken as the number it is; the schema says text, which every client can send. */
export const chainInput = z
  .preprocess(
    (value) => (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? `${value}` : value),
    z.string().refine((text) => chainForm.test(text), 'Accepted: a chain name or id; list_supported_chains shows them'),
  )
  .meta({ type: 'string', description: 'Name/id' })

export const tokenInput = z
  .string()
  .refine(isSymbolOrAddress, 'Accepted: a symbol, or 0x and 40 hex digits with a valid checksum')
  .describe('Symbol/address')

export const addressInput = z
  .string()
  .refine((text) => isAddress(text), 'Accepted: 0x and 40 hex digits with a valid checksum')
  .transform((text) => getAddress(text))

/** Zero is an amount: a position below or above the price takes one token only. */
export const amountInput = z
  .string()
  .refine((text) => amountForm.test(text), 'Accepted: a plain decimal such as "12.5"')
  .describe('Decimal')

export const positiveAmountInput = amountInput.refine((text) => /[1-9]/.test(text), 'Accepted: an amount above 0')

const usdAccepted = 'Accepted: US dollars such as "2500", from 0.01 to 1000000000000'

/** Which side of a trade `amount` is. */
export const tradeTypeInput = z
  .enum(['exact_in', 'exact_out'], { error: 'Accepted: exact_in, exact_out' })
  .describe('exact_out: slippageBps is of tokenIn')

/** What a quote is asked for, of an amount in the unit of its side. Throws `VALIDATION_FAILED` for more digits than the token has. */
export function exactAmountOf(
  {
    type = 'exact_in',
    amount,
  }: { readonly type?: z.output<typeof tradeTypeInput> | undefined; readonly amount: string },
  tokenIn: Token,
  tokenOut: Token,
): { readonly amountIn: bigint } | { readonly amountOut: bigint } {
  return type === 'exact_in'
    ? { amountIn: amountOf(amount, tokenIn, 'amount') }
    : { amountOut: amountOf(amount, tokenOut, 'amount') }
}

/** An amount of US dollars. */
export const usdAmountInput = amountInput
  .refine((text) => Number(text) >= 0.01 && Number(text) <= 1e12, usdAccepted)
  .describe('USD, 0.01 to 1e12')

/** The four tiers of v3; v4 pools exist with other static fees too. */
export const feeTiers = [100, 500, 3000, 10_000] as const

/** The description says more than its bounds would. */
export const feeInput = wholeNumber(
  0,
  1_000_000,
  '100, 500 (0.05 %), 3000 or 10000; on v4 also the fee of an existing pool',
)
  .meta({ minimum: undefined, maximum: undefined })
  .describe('Needed on v3, v4: 100, 500, 3000, 10000')

export const anyVersionInput = z.enum(['v2', 'v3', 'v4'], { error: 'Accepted: v2, v3 or v4' })

export const rangedVersionInput = z.enum(['v3', 'v4'], { error: 'Accepted: v3 or v4' })

/** The id of a v3 or v4 position. */
export const positionIdInput = z.string().refine(isPositionId, { error: ({ input }) => positionIdProblem(input) })

export const poolInput = z
  .string()
  .refine(isPoolId, 'Accepted: a pool or pair address with a valid checksum, or the lower-case 32-byte id of a v4 pool')
  .describe('Address or v4 id')
  .transform((text): Hex => (isAddress(text) ? getAddress(text) : (text as Hex)))

const lowerAccepted = 'Accepted: a number above 0, or 0 for a range without a lower end'
const upperAccepted = 'Accepted: a number above 0, or "Infinity" for a range without an upper end'

/** How JSON, which has no infinity, says it. */
export const infinite = 'Infinity' as const

/** The ends of a range, token1 per token0 in the caller's order; null, which answers show, is taken for no end beside a price. */
export const priceLowerInput = z
  .union([z.number().refine((price) => price >= 0 && !Object.is(price, -0), lowerAccepted), z.null()], {
    error: lowerAccepted,
  })
  .meta({ type: 'number', description: 'token1 per token0; 0: no end' })

export const priceUpperInput = z
  .union([z.number().refine((price) => price > 0, upperAccepted), z.literal(infinite), z.null()], {
    error: upperAccepted,
  })
  .meta({ type: ['number', 'string'], description: '"Infinity": no end' })

/** The policy's own figures may differ: its refusals name them. */
export const slippageInput = wholeNumber(1, 5000, 'whole basis points from 1 to 5000')
  .optional()
  .describe('Default 50, cap 500')

/** Of trades: what slippage permits to be lost counts as lost. */
export const tradeSlippageInput = slippageInput
  .unwrap()
  .describe('Default 50; above some 100 VALUE_LOSS_EXCEEDED, above 500 SLIPPAGE_TOO_HIGH')

/** Of what brings funds home: 10000 asks for no least amounts, so that nobody who pushes the pool stands in the way. */
export const exitSlippageInput = wholeNumber(1, 10_000, 'whole basis points from 1 to 10000')
  .optional()
  .describe('10000: no minimum')

export const deadlineInput = wholeNumber(10, 86_400, 'whole seconds from 10 to 86400').optional()

export const limitInput = wholeNumber(1, 100, 'a whole number from 1 to 100').default(20)

export const riskToleranceInput = z.enum(['conservative', 'moderate', 'aggressive'], {
  error: 'Accepted: conservative, moderate or aggressive',
})

export const transactionHashInput = z
  .string()
  .refine((text) => /^0x[0-9a-fA-F]{64}$/.test(text), 'Accepted: 0x and 64 hex digits')

/** A moment in UTC, as Unix seconds: a day of the calendar, or a day and a time with its offset. */
export const timeInput = z
  .string()
  .refine((text) => secondsOf(text) !== null, 'Accepted: ISO 8601 such as 2026-01-31 or 2026-01-31T08:00:00Z')
  .transform((text) => secondsOf(text) ?? 0)

export const cursorInput = z
  .string()
  .refine((text) => /^\d{1,9}$/.test(text), 'Accepted: nextCursor of the previous answer')
  .optional()

/** The id of a plan or an operation: a UUID as this server gives them. */
export const operationIdInput = z
  .string()
  .refine(isUuid, 'Accepted: a planId or operationId of an answer of this server')

const listedStates = [...new Set([...operationStates, ...orderStates])]

export const operationStateInput = z.enum(listedStates, { error: `Accepted: ${listedStates.join(', ')}` })

/** The id of an agent in the registry of a chain, with or without the chain before it. */
export const agentIdInput = z
  .string()
  .refine((text) => agentIdForm.test(text), 'Accepted: a token id such as "17", or with its chain id as "8453:17"')

export const agentRoles = ['vault_participant', 'vault_manager', 'vault_creator'] as const

export const agentRoleInput = z.enum(agentRoles, { error: `Accepted: ${agentRoles.join(', ')}` })

/** Text that is published: plain, so that nobody who reads it is misled. */
export function publishedText(most: number): z.ZodString {
  const accepted = `Accepted: 1 to ${most} characters, none of them a control or direction character`
  const isPlain = (text: string): boolean =>
    text.length >= 1 && text.length <= most && text.trim() === text && !unplain.test(text)
  return z.string({ error: accepted }).refine(isPlain, accepted)
}

/** An address that is published and that nothing of ours asks. */
export const endpointInput = z
  .string()
  .refine(isEndpoint, 'Accepted: an http or https URL of at most 500 characters, without user and password')

/** A whole number within bounds; `accepted` says so in words. */
export function wholeNumber(least: number, most: number, accepted: string): z.ZodNumber {
  const message = `Accepted: ${accepted}`
  return z
    .number({ error: message })
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, message)
    .meta({ type: 'integer', minimum: least, maximum: most })
}

/** A number within bounds, of which the upper may be Infinity; `accepted` says so in words. */
export function numberWithin(least: number, most: number, accepted: string): z.ZodNumber {
  const message = `Accepted: ${accepted}`
  return z
    .number({ error: message })
    .refine((value) => value >= least && value <= most, message)
    .meta({ minimum: least, ...(most < Number.POSITIVE_INFINITY && { maximum: most }) })
}

/** A refusal of one input member, found after the schema has passed. */
export function invalidField(field: string, message: string, accepted: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message, accepted }] })
}

/** An amount in the token's smallest units. Throws `VALIDATION_FAILED` naming `field` when it has more digits than the token. */
export function amountOf(text: string, token: Token, field: string): bigint {
  try {
    return parseAmount(text, token.decimals)
  } catch (error) {
    if (error instanceof AmountError) throw invalidField(field, 'This is no amount of this token.', error.accepted)
    throw error
  }
}

/** Throws `VALIDATION_FAILED` when both members name one token; the native currency and its wrapped form count as one. */
export function requireDifferentTokens(chain: Chain, first: Token, second: Token, field: string): void {
  const own = (token: Token) => (token.isNative ? chain.wrappedNative.address : token.address)
  if (own(first) !== own(second)) return
  if (first.isNative === second.isNative) {
    throw invalidField(field, 'Both sides name the same token.', 'a token other than the first')
  }
  const [native, wrapped] = [chain.nativeCurrency.symbol, chain.wrappedNative.symbol]
  throw invalidField(
    field,
    `${native} and ${wrapped}, its wrapped form, count as the same token, and no tool wraps or unwraps. execute_swap and add_liquidity take ${native} itself, as does increase_liquidity with payNative.`,
    'a token other than the first',
  )
}

export function isPositionId(text: string): boolean {
  return /^(0|[1-9]\d{0,77})$/.test(text)
}

/** What is wrong with an id that is none; a pair's address names shares of v2, which have no id. */
export function positionIdProblem(id: unknown): string {
  const accepted = 'Accepted: a position id of decimal digits, as get_positions_by_owner shows it'
  if (typeof id !== 'string' || !isAddress(id)) return accepted
  return `${accepted}. Shares of a v2 pair have none: get_positions_by_owner shows them, remove_liquidity takes the pair's address with version v2`
}

/** Unix seconds after which a call must not be mined any more. */
export function deadlineOf(seconds: number | undefined, context: Pick<WriteContext, 'now' | 'defaults'>): number {
  return Math.floor(context.now() / 1000) + (seconds ?? context.defaults.deadlineSeconds)
}

/** The address a caller named, or else the agent's own. Throws `VALIDATION_FAILED` when there is neither. */
export function requireAddress(named: Address | undefined, agent: Address | null, field: string): Address {
  const address = named ?? agent
  if (address === null)
    throw invalidField(field, 'This server has no wallet whose address could stand here.', 'an address')
  return address
}

/** Which pool is meant: a 32-byte id is v4, an address v3 unless `version` says v2. Throws `VALIDATION_FAILED` when they contradict. */
export function poolReference(pool: Hex, version: Version | undefined): PoolReference {
  const isId = pool.length === 66
  const meant = version ?? (isId ? 'v4' : 'v3')
  if (isId !== (meant === 'v4')) {
    throw invalidField(
      'pool',
      `This is no identifier of a ${meant} pool.`,
      'an address for v2 and v3, a 32-byte id for v4',
    )
  }
  return { version: meant, id: pool }
}

const timeForm = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/

function secondsOf(text: string): number | null {
  const day = timeForm.exec(text)?.[1]
  if (day === undefined) return null
  const [midnight, time] = [Date.parse(`${day}T00:00:00Z`), Date.parse(text)]
  // Some days that no month has are read as days of the next.
  const isReal = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
  return isReal && !Number.isNaN(time) ? Math.floor(time / 1000) : null
}

const agentIdForm = /^(?:[1-9]\d{0,15}:)?(?:0|[1-9]\d{0,77})$/
const unplain = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]/u
const amountForm = /^(0|[1-9]\d{0,77})(\.\d{1,77})?$/
const chainForm = /^[!-~](?:[ -~]{0,38}[!-~])?$/
const poolIdForm = /^0x[0-9a-f]{64}$/
const symbolForm = /^[A-Za-z0-9][A-Za-z0-9.$+_-]{0,31}$/

function isSymbolOrAddress(text: string): boolean {
  return /^0x/i.test(text) ? isAddress(text) : symbolForm.test(text)
}

function isEndpoint(text: string): boolean {
  if (text.length > 500 || !/^https?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

function isPoolId(text: string): boolean {
  return poolIdForm.test(text) || isAddress(text)
}
