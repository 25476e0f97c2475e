import type { Chain } from '@svc/wallet/core'
import type { Abi, Address } from 'viem'
import { registryOf } from './registry-of.ts'
import {
  erc20Abi,
  permit2Abi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
  wrappedNativeAbi,
} from '@svc/amm/abis'
import { registrySurfaces, surfaceAbi } from './read-calldata.ts'

/** The contracts of a chain's row under the names we show people, by lower-case address. */
export function contractsOf(chain: Chain): ReadonlyMap<string, NamedContract> {
  const { amm, permit2, tokens, wrappedNative } = chain
  const registry = registryOf(chain)
  const rows: readonly (readonly [Address | undefined, string, Abi])[] = [
    ...tokens.map(({ address, symbol }) => [address, `the token ${symbol}`, erc20Abi] as const),
    [wrappedNative.address, `the token ${wrappedNative.symbol}`, [...erc20Abi, ...wrappedNativeAbi]],
    [permit2, 'Permit2', permit2Abi],
    [amm.v2?.router, 'the v2 router', v2RouterAbi],
    [amm.v3?.positionManager, 'the v3 position manager', v3PositionManagerAbi],
    [amm.v3?.swapRouter02, 'the v3 swap router', v3SwapRouter02Abi],
    [amm.v4?.positionManager, 'the v4 position manager', v4PositionManagerAbi],
    [amm.universalRouter?.address, 'the universal router', universalRouterAbi],
    ...(registry === null
      ? []
      : [[registry.address, 'the identity registry', surfaceAbi(registrySurfaces[registry.form])] as const]),
  ]
  const held = new Set<Address>([...tokens.map(({ address }) => address), wrappedNative.address])
  return new Map(
    rows.flatMap(([address, name, abi]) =>
      address === undefined ? [] : [[address.toLowerCase(), { name, abi, isToken: held.has(address) }]],
    ),
  )
}

/** A token that the row does not hold; what it calls itself is no name. */
export const strangeToken: NamedContract = {
  name: "a token outside the chain's list",
  abi: erc20Abi,
  isToken: true,
}

export type NamedContract = { readonly name: string; readonly abi: Abi; readonly isToken: boolean }
