import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { createNamedTokens } from '@svc/amm/prices'
import type { ErrorDetail } from '@svc/amm'
import type { Policy } from './policy.ts'
import { createConfirmedSources } from './policy-price-sources.ts'

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

type Field = { readonly field: string }
