import type { Chain } from '@svc/wallet/core'
import { formatAmount } from '@svc/lp-math'
import { parseEventLogs, zeroAddress, type Address, type Log } from 'viem'
import type { Ports } from '../../ports.ts'
import type { Token } from '@svc/amm'
import { erc20Abi, v2PairAbi, v3PoolAbi, v3PositionManagerAbi, v4PoolManagerAbi } from '@svc/amm/abis'

/**
 * The events of a receipt that tell its story: transfers and approvals in whole tokens, swaps, mints, burns, collects and
 * changes of positions with their raw integers. Any contract can write such logs: `contract` says which one did. At most
 * 50 events; the rest of a longer story is left out.
 */
export async function decodeEvents(
  ports: Pick<Ports, 'tokens'>,
  chain: Chain,
  logs: readonly Log[],
): Promise<readonly DecodedEvent[]> {
  const events = parseEventLogs({ abi: knownEvents, logs: [...logs] }).slice(0, mostEvents)
  return Promise.all(
    events.map(async (event) => {
      const values = Object.fromEntries(Object.entries(event.args).map(([key, value]) => [key, String(value)]))
      const isTokenEvent = event.eventName === 'Transfer' || event.eventName === 'Approval'
      if (!isTokenEvent || !('value' in event.args)) {
        return { type: typeOf(event.eventName), contract: event.address, values }
      }
      const token = await readToken(ports, chain, event.address)
      const amount =
        token === null ? {} : { symbol: token.symbol, amount: formatAmount(event.args.value, token.decimals) }
      return { type: typeOf(event.eventName), contract: event.address, values: { ...values, ...amount } }
    }),
  )
}

export type DecodedEvent = {
  readonly type: string
  readonly contract: Address
  readonly values: Record<string, string>
}

const mostEvents = 50

/** One entry for each signature; those of the same signature in several contracts (v2 Transfer, ERC-20) stand once. */
const knownEvents = [
  ...erc20Abi.filter((item) => item.type === 'event'),
  ...v2PairAbi.filter((item) => item.type === 'event' && item.name !== 'Transfer' && item.name !== 'Sync'),
  ...v3PoolAbi.filter((item) => item.type === 'event'),
  ...v3PositionManagerAbi.filter((item) => item.type === 'event' && item.name !== 'Transfer'),
  ...v4PoolManagerAbi.filter((item) => item.type === 'event'),
]

function typeOf(eventName: string): string {
  return eventName.replace(/[A-Z]/g, (letter, index: number) => `${index === 0 ? '' : '_'}${letter.toLowerCase()}`)
}

/** Null for a contract that is no token: it only wrote a log like one. */
async function readToken(ports: Pick<Ports, 'tokens'>, chain: Chain, address: Address): Promise<Token | null> {
  if (address === zeroAddress) return null
  try {
    return await ports.tokens.byAddress(chain, address)
  } catch {
    return null
  }
}
