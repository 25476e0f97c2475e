import type { Chain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import { type Pool, type PoolReference, tokenLabel, ToolError, type Version } from '@svc/amm'
import type { ReadContext } from '../tool.ts'
import { invalidField, poolReference } from './params.ts'

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

export type PoolById = {
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
