import { startDevnet, type Devnet } from '@svc/devnet'
import type { Address } from 'viem'

/**
 * The chain at the other end of cross-chain orders: the contracts and pools of the first without their past, at the same prices, and a
 * relayer that fills between the two. The wallet holds gas on it and no token, so that what arrives is seen. What did start is
 * stopped when a part does not.
 */
export async function startOtherChain(first: Devnet, wallet: Address): Promise<OtherChain> {
  // Ids of local chains: those of public ones would make what is signed here valid there.
  const chainId = first.chainId === 31_338 ? 31_337 : 31_338
  const devnet = await startDevnet({ chainId, history: false, prices: first.market.prices() })
  try {
    await devnet.fund(wallet, { ETH: '10' })
    const { startRelayer } = await import('@svc/devnet/relayer')
    const relayer = await startRelayer(first, devnet)
    const stop = async () => {
      await relayer.stop()
      await devnet.stop()
    }
    // Nobody quotes or fills orders on it.
    const { orderReactor: _, ...chain } = devnet.chain
    return { devnet, chain: { ...chain, name: 'local-2', aliases: [] }, stop }
  } catch (error) {
    await devnet.stop()
    throw error
  }
}

export type OtherChain = Pick<Devnet, 'chain'> & { readonly devnet: Devnet; stop(): Promise<void> }
