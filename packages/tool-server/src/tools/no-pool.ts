import type { Chain } from '@svc/wallet/core'
import { type ErrorCode, type Pool, type Token, tokenLabel, ToolError, type Version } from '@svc/amm'
import { feeTiers } from './params.ts'

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

export type LookedFor = {
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
