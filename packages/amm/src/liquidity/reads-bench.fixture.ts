import type { Devnet } from '@svc/devnet'
import { zeroAddress, type Address } from 'viem'
import type { Token } from '../ports.ts'
import { createRpcPool } from '../rpc/create-rpc-pool.ts'
import { createTokenDirectory } from '../tokens/create-token-directory.ts'
import { createLiquidityReads } from './create-liquidity-reads.ts'
import { patientRpc } from '../../../engine/src/fixtures/patience.fixture.ts'

/**
 * The real reading adapters over the local chain. `tap` sees the body of every request and may answer in the chain's place;
 * `retell` may change what the chain answers.
 */
export function createReadsBench(
  devnet: Devnet,
  tap: Tap | null = null,
  retell: (text: string) => string = (text) => text,
) {
  const { chain, rpcUrl } = devnet
  const addressOf = (symbol: string): Address =>
    symbol === 'ETH' ? zeroAddress : devnet.tokens.find((token) => token.symbol === symbol)!.address
  const tapped: typeof fetch = async (input, init) => {
    const answer = tap?.(typeof init?.body === 'string' ? init.body : '')
    if (answer) return answer
    const response = await fetch(input, init)
    return new Response(retell(await response.text()), response)
  }
  const rpc = createRpcPool({ urls: () => [rpcUrl], now: Date.now, fetch: tapped, ...patientRpc })
  const tokens = createTokenDirectory({ chains: [chain], rpc })
  const reads = createLiquidityReads({ rpc, tokens })
  return {
    chain,
    rpc,
    tokens,
    reads,
    /** By the devnet's handle, unlisted tokens included. */
    token: (symbol: string): Promise<Token> => tokens.byAddress(chain, addressOf(symbol)),
    addressOf,
  }
}

type Tap = (body: string) => Response | null
