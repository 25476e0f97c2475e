import type { Devnet } from '@svc/devnet'
import { erc20Abi } from '@svc/amm/abis'
import { createTestClient, http } from 'viem'
import type { World } from '../chain-world.fixture.ts'

/** What Permit2 may take of a token. */
export function allowanceOf(world: World, symbol: string): Promise<bigint> {
  const args = [world.wallet, world.chain.permit2] as const
  return world.client.readContract({ address: world.address(symbol), abi: erc20Abi, functionName: 'allowance', args })
}

/** Empty blocks, so that those before them are settled. */
export async function mineBlocks({ rpcUrl }: Devnet, blocks: number): Promise<void> {
  await createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).mine({ blocks })
}
