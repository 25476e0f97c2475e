import type { Chain, ReferencePool } from '@svc/wallet/core'
import { type Address, parseUnits } from 'viem'
import { type ConfirmedSources, createNamedTokens, type PriceRange } from '@svc/amm/prices'
import type { ErrorDetail } from '@svc/amm'
import type { Policy } from './policy.ts'

/**
 * The price sources that the operator confirmed, by the policy as it was last read; `undefined` for a token of which the row
 * of the chain holds. The same objects as long as the policy is the same.
 */
export function createConfirmedSources(latest: () => Policy) {
  let known: { readonly policy: Policy; readonly sources: ReadonlyMap<string, Confirmed> } | null = null
  return (chainId: number, token: Address): Confirmed | undefined => {
    const policy = latest()
    if (known?.policy !== policy) known = { policy, sources: sourcesOf(policy) }
    return known.sources.get(keyOf(`${chainId}`, token))
  }
}

/** Pools of a policy's price sources that are not believed, each by its member and with the reason: they say nothing of a price. */
export function priceSourceFaults(policy: Policy, chains: readonly Chain[]): readonly (ErrorDetail & Field)[] {
  const namedTokens = createNamedTokens(createConfirmedSources(() => policy))
  return chains.flatMap((chain) =>
    Object.keys(policy.priceSources[`${chain.id}`] ?? {}).flatMap((address) => {
      // Where a pool stands does not depend on decimals.
      const [token] = namedTokens(chain, { address: address as Address, decimals: 0 })
      return (token?.pools ?? []).flatMap(({ fault }, index) =>
        fault === null ? [] : [{ field: `priceSources.${chain.id}.${address}.pools.${index}`, message: fault }],
      )
    }),
  )
}

type Confirmed = NonNullable<ReturnType<ConfirmedSources>>

function sourcesOf({ priceSources }: Policy): ReadonlyMap<string, Confirmed> {
  const rows = Object.entries(priceSources).flatMap(([chainId, tokens]) =>
    Object.entries(tokens).map(([token, { feed, pools, expectedUsd }]) => {
      const sources = {
        ...(feed === undefined ? {} : { feed }),
        pools: pools.map(poolOf),
        ...(expectedUsd === undefined ? {} : { expected: rangeOf(expectedUsd) }),
      }
      return [keyOf(chainId, token), sources] as const
    }),
  )
  return new Map(rows)
}

function rangeOf({ low, high }: { readonly low: string; readonly high: string }): PriceRange {
  return { lowE18: parseUnits(low, 18), highE18: parseUnits(high, 18) }
}

function keyOf(chainId: string, token: string): string {
  return `${chainId} ${token.toLowerCase()}`
}

function poolOf({ tickSpacing, native, ...pool }: PolicyPool): ReferencePool {
  return { ...pool, ...(tickSpacing === undefined ? {} : { tickSpacing }), ...(native === undefined ? {} : { native }) }
}

type PolicyPool = Policy['priceSources'][string][Address]['pools'][number]

type Field = { readonly field: string }
