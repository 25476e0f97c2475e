import type { Chain } from '@svc/wallet/core'
import type * as z from 'zod'
import {
  type Pool,
  type Token,
  type Version,
  type ErrorCode,
  tokenLabel,
  ToolError,
  type PoolReference,
} from '@svc/amm'
import type { ReadContext } from '../tool-context.ts'
import {
  anyVersionInput,
  chainInput,
  feeInput,
  invalidField,
  poolInput,
  requireDifferentTokens,
  tokenInput,
  feeTiers,
  poolReference,
} from './params.ts'
import type { Hex } from 'viem'

/**
 * The pool that the members of `namedPoolInput` name, and its tokens in the caller's order. Throws `VALIDATION_FAILED` where they
 * name none or two, `POOL_NOT_FOUND` where there is none.
 */
export async function namedPool(request: NamedPool, chain: Chain, context: ReadContext): Promise<FoundPool> {
  const { pool: id, token0, token1, fee } = request
  if (id !== undefined) {
    if (token0 !== undefined || token1 !== undefined || fee !== undefined) {
      throw invalidField('pool', 'A pool names itself; token0, token1 and fee belong to the other way.', accepted)
    }
    const pool = await poolById({ id, version: request.version, versions: 'any' }, chain, context)
    return { pool, token0: pool.token0, token1: pool.token1 }
  }
  const version = request.version ?? 'v3'
  if (token0 === undefined) throw invalidField('token0', 'Neither a pool nor a pair is named.', accepted)
  if (token1 === undefined) throw invalidField('token1', 'A pair has two tokens.', accepted)
  if (fee === undefined && version !== 'v2') throw invalidField('fee', 'A pair has a pool for each fee.', accepted)
  return findByPair({ token0, token1, fee, version }, chain, context)
}

/** A pool by its id, or by its pair and fee. */
export const namedPoolInput = {
  pool: poolInput.optional(),
  token0: tokenInput.optional(),
  token1: tokenInput.optional(),
  fee: feeInput.optional(),
  chain: chainInput,
  version: anyVersionInput.optional().describe('Default v3; v4 for a pool id'),
}

export type NamedPool = z.output<z.ZodObject<typeof namedPoolInput>>

export type FoundPool = { readonly pool: Pool; readonly token0: Token; readonly token1: Token }

const accepted = 'either pool, or token0 and token1 with fee (without fee for v2)'

async function findByPair(
  pair: { token0: string; token1: string; fee: number | undefined; version: Version },
  chain: Chain,
  context: ReadContext,
): Promise<FoundPool> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  const pools = await context.liquidity.findPools(chain, first, second, [pair.version])
  const pool = pools.find((candidate) => pair.version === 'v2' || candidate.fee === pair.fee)
  if (pool === undefined) {
    const wanted = pair.version === 'v2' ? 'v2 pair' : `${pair.version} pool with the fee ${pair.fee}`
    const all = await context.liquidity.findPools(chain, first, second)
    const field = all.length === 0 ? 'token1' : pools.length === 0 ? 'version' : 'fee'
    const lookedFor = { chain, tokens: [first, second], wanted, versions: [pair.version], field } as const
    throw noPool('POOL_NOT_FOUND', lookedFor, all)
  }
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}

/** The refusal of a pair that has no such pool: what was looked for, and which pools of it there are. */
export function noPool(
  code: NoPoolCode,
  { chain, tokens, wanted, field, versions }: LookedFor,
  known: readonly Pool[],
): ToolError {
  const names = tokens.map(tokenLabel)
  const found = known
    .slice(0, mostReported)
    .map(({ version, fee, id, hooks }) => ({ version, fee, pool: id, hasHooks: hooks !== null }))
  const there = found.length === 0 ? 'none' : found.map(reportedShort).join(', ')
  const isPairOnly = found.length > 0 && found.every(({ version }) => version === 'v2')
  const message = `There is no ${wanted} of ${names.join(' and ')} on ${chain.name}; known: ${there}.${isPairOnly ? pairOnly : ''}`
  const accepted = [...new Set(known.filter(({ version }) => versions.includes(version)).map(({ fee }) => fee))]
  return new ToolError(code, message, {
    details: [
      {
        field,
        message,
        ...(field === 'fee' && { accepted: accepted.toSorted((a, b) => a - b).map(String) }),
        tokens: names,
        ...(versions.some((version) => version !== 'v2') && { feesLookedFor: feeTiers }),
        found,
      },
    ],
    ...(found.length === 0 && {
      suggestion: 'Check both tokens and the chain: search_pools with token shows what each of them trades against.',
    }),
  })
}

type LookedFor = {
  readonly chain: Chain
  /** In the caller's order. */
  readonly tokens: readonly [Token, Token]
  /** In words, such as `v3 or v4 pool with the fee 500`. */
  readonly wanted: string
  readonly versions: readonly Version[]
  /** The member to change. */
  readonly field: 'token1' | 'fee' | 'version'
}

type NoPoolCode = Extract<ErrorCode, 'NO_POOL' | 'NO_POOLS' | 'POOL_NOT_FOUND'>

const mostReported = 12
const pairOnly = ' The liquidity of a v2 pair has no ranges and no fee tiers.'

function reportedShort({ version, fee, hasHooks }: { version: string; fee: number; hasHooks: boolean }): string {
  return `${version}${version === 'v2' ? '' : ` ${fee}`}${hasHooks ? ' with hooks' : ''}`
}

/**
 * The pool under an id, of whichever version that belongs to where the caller named none. Throws `POOL_NOT_FOUND`, and
 * `VALIDATION_FAILED` where the id is one of another version than was named or than the tool can tell of: it then says which, and what
 * to ask instead.
 */
export async function poolById(
  { id, version, versions }: PoolById,
  chain: Chain,
  context: Pick<ReadContext, 'liquidity'>,
): Promise<Pool> {
  const reference = poolReference(id, version)
  try {
    return await context.liquidity.pool(chain, reference)
  } catch (error) {
    const other = isNotFound(error) ? await twinOf(reference, chain, context) : null
    if (other === null) throw error
    if (version === undefined && (other.version !== 'v2' || versions === 'any')) return other
    throw refusalOf(other, versions)
  }
}

type PoolById = {
  readonly id: Hex
  /** That the caller named. */
  readonly version: Version | undefined
  /** Of which the tool can tell. */
  readonly versions: 'any' | 'ranged'
}

function isNotFound(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'POOL_NOT_FOUND'
}

/** The other version of pools that have addresses. */
const twins: Readonly<Record<Version, Version | null>> = { v2: 'v3', v3: 'v2', v4: null }

async function twinOf(
  { id, version }: PoolReference,
  chain: Chain,
  context: Pick<ReadContext, 'liquidity'>,
): Promise<Pool | null> {
  const twin = twins[version]
  if (twin === null || !chain.amm[twin]) return null
  return context.liquidity.pool(chain, { version: twin, id }).catch((error: unknown) => {
    if (error instanceof ToolError) return null
    throw error
  })
}

function refusalOf({ version, token0, token1 }: Pool, versions: PoolById['versions']): ToolError {
  const pair = `${tokenLabel(token0)} and ${tokenLabel(token1)}`
  return version === 'v2' && versions === 'ranged'
    ? invalidField(
        'pool',
        `This is the v2 pair of ${pair}: its liquidity has no ranges.`,
        'a v3 or v4 pool, which get_pools_by_token_pair shows; without a range get_pool_info and get_volume_history tell of a v2 pair',
      )
    : invalidField('version', `This is a ${version} pool of ${pair}.`, version)
}

/**
 * The v3 or v4 pool of a pair and fee that has the most liquidity, of any fee where none is named, or the one that `pool` names (the only
 * way to a pool with hooks), with its tokens in the caller's order. Throws `NO_POOL`, `TOKEN_NOT_FOUND`, and for a named pool
 * `POOL_NOT_FOUND` and `VALIDATION_FAILED` where it is not of the pair and fee.
 */
export async function poolOfPair(pair: PairOfPool, chain: Chain, context: ReadContext): Promise<PoolAmongOthers> {
  const first = await context.tokens.resolve(chain, pair.token0, 'token0')
  const second = await context.tokens.resolve(chain, pair.token1, 'token1')
  requireDifferentTokens(chain, first, second, 'token1')
  if (pair.pool !== undefined) {
    const pool = await poolById({ id: pair.pool, version: undefined, versions: 'ranged' }, chain, context)
    requirePair(pool, [first, second], context.tokens.wrapped(chain))
    if (pair.fee !== undefined && pair.fee !== pool.fee) {
      throw invalidField('fee', 'The named pool has another fee.', String(pool.fee))
    }
    const pairPools = () => context.liquidity.findPools(chain, first, second, versions)
    return { ...ordered(pool, first, second), pairPools }
  }
  const pools = await context.liquidity.findPools(chain, first, second, versions)
  const pool = pools.find(({ fee }) => pair.fee === undefined || fee === pair.fee)
  if (pool === undefined) {
    const wanted = `v3 or v4 pool${pair.fee === undefined ? '' : ` with the fee ${pair.fee}`}`
    const field = pools.length === 0 ? 'token1' : 'fee'
    const all = await context.liquidity.findPools(chain, first, second)
    throw noPool('NO_POOL', { chain, tokens: [first, second], wanted, versions, field }, all)
  }
  return { ...ordered(pool, first, second), pairPools: async () => pools }
}

export type PoolAmongOthers = FoundPool & {
  /** All v3 and v4 pools of the pair, deepest first. */
  readonly pairPools: () => Promise<readonly Pool[]>
}

type PairOfPool = {
  readonly token0: string
  readonly token1: string
  readonly fee?: number | undefined
  readonly pool?: Hex | undefined
}

const versions = ['v3', 'v4'] as const

function ordered(pool: Pool, first: Token, second: Token): FoundPool {
  const isSorted = pool.token0.address === first.address || pool.token1.address === second.address
  return isSorted
    ? { pool, token0: pool.token0, token1: pool.token1 }
    : { pool, token0: pool.token1, token1: pool.token0 }
}

/** In v3 the native currency stands for its wrapped token. */
function requirePair(pool: Pool, tokens: readonly Token[], wrapped: Token): void {
  const known = (token: Token) => (token.isNative && pool.version === 'v3' ? wrapped : token).address
  const asked = new Set(tokens.map(known))
  const sides = [pool.token0, pool.token1]
  if (sides.every(({ address }) => asked.has(address))) return
  throw invalidField('pool', 'This pool is of another pair.', sides.map(tokenLabel).join(' and '))
}
