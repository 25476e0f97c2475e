import type { Operation } from '@svc/store'
import { type Address, type Hex, isAddress, isHex } from 'viem'
import * as z from 'zod'
import { type Intent, type IntentDeposit, ToolError } from '@svc/amm'

/** An intent as JSON, its bigints as decimal text. */
export function storeIntent(intent: Intent): string {
  return JSON.stringify(intent, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}

/** An intent from JSON. Throws where it is not one: what is stored is checked like what comes in. */
export function readIntent(text: string): Intent {
  return storedIntent.parse(JSON.parse(text))
}

/** The intent of a stored operation. Throws `INTERNAL` where it cannot be read. */
export function readPlanned({ id, intent }: Pick<Operation, 'id' | 'intent'>): Intent {
  try {
    return readIntent(intent)
  } catch (cause) {
    throw new ToolError('INTERNAL', `The stored plan ${id} cannot be read.`, { cause })
  }
}

const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
const data = z.custom<Hex>((value) => isHex(value))
const whole = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform((text) => BigInt(text))
const quantities = z.array(z.strictObject({ token: address, amount: whole }))

const storedDeposit = z.strictObject({
  kind: z.enum(['mint', 'increase']),
  version: z.enum(['v2', 'v3', 'v4']),
  pool: data,
  token0: address,
  token1: address,
  fee: z.int(),
  tickSpacing: z.int().nullable(),
  hooks: address.nullable(),
  tickLower: z.int().nullable(),
  tickUpper: z.int().nullable(),
  positionId: z
    .string()
    .regex(/^\d{1,78}$/)
    .nullable(),
  recipient: address,
  sqrtPriceX96: whole,
  amount0: whole,
  amount1: whole,
  liquidity: whole,
  minLiquidity: whole,
  createsPool: z.boolean(),
  isInverted: z.boolean(),
  reopens: z.literal(true).optional(),
}) satisfies z.ZodType<IntentDeposit>

const storedCall = z.strictObject({
  to: address,
  data,
  valueWei: whole,
  label: z.string(),
  exact: z.literal(true).optional(),
})

const storedPart = z.strictObject({
  chainId: z.int(),
  calls: z.array(storedCall),
  atomicity: z.enum(['single', 'multicall', 'batch-7702', 'user-operation', 'sequential']),
  spends: quantities,
  receives: quantities,
  receivesApart: z.array(quantities).optional(),
  approvals: z.array(
    z.strictObject({
      token: address,
      spender: address,
      amount: whole,
      via: z.enum(['erc20', 'permit2']),
      revokeAfter: z.boolean(),
    }),
  ),
  riskTier: z.enum(['routine', 'standard', 'elevated', 'critical']),
  slippageBps: z.number().nullable(),
  deadline: z.number().nullable(),
  recipients: z.array(address),
  // Intents of earlier versions have none.
  deposits: z.array(storedDeposit).optional(),
  allowsUnpricedPool: z.literal(true).optional(),
  permit: z
    .strictObject({ positionManager: address, spender: address, tokenId: whole, nonce: whole, deadline: z.int() })
    .optional(),
  restsOn: z.array(z.strictObject({ to: address, data, answer: data })).optional(),
  apart: z.array(storedCall).optional(),
  why: z.string(),
}) satisfies z.ZodType<Intent>

const storedIntent = storedPart.extend({ follows: z.array(storedPart).optional() }) satisfies z.ZodType<Intent>
