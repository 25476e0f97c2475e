import { type Chain, chains } from '@svc/wallet/core'
import { type Address, getAddress } from 'viem'
import type { Token } from '@svc/amm'
import { everyToken, weth } from '../world/scenario.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'

/** The simulated chain as the server's rules know a chain: the tokens above, listed but for the attacker's own. */
export const simChain: Chain = simulatedChain()

/** Where the simulated position managers and the router stand. */
export const managers: Readonly<Record<'v2' | 'v3' | 'v4', Address>> = {
  v2: managerAt(2),
  v3: managerAt(3),
  v4: managerAt(4),
}

export function tokenOf(token: SimToken): Token {
  const { symbol, address, decimals, usdPegged } = token
  return {
    address: getAddress(address),
    symbol,
    name: symbol,
    decimals,
    isNative: false,
    listed: !token.own,
    usdPegged,
  }
}

export function keyOf(token: SimToken): string {
  return token.address.toLowerCase()
}

function simulatedChain(): Chain {
  const [row] = chains
  if (row === undefined) throw new TypeError('There is no chain to take after.')
  const tokens = everyToken.filter((token) => !token.own).map(tokenOf)
  const wrappedNative = tokens.find(({ symbol }) => symbol === weth.symbol) ?? row.wrappedNative
  return { ...row, id: 31_337, name: 'simulated', tokens, wrappedNative }
}

function managerAt(index: number): Address {
  return `0x${String(index).padStart(40, '3')}`
}
