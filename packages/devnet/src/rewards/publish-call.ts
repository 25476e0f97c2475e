import { encodeFunctionData } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import { rewardDistributor } from '../contracts.gen.ts'
import type { Layout } from '../seed/layout.ts'
import { type Earning, rewardTree } from './reward-tree.ts'

/** Puts the root over earlier and added earnings in force. */
export function publishCall(layout: Layout, earlier: readonly Earning[], added: readonly Earning[]): Call {
  const { root } = rewardTree([...earlier, ...added])
  return {
    from: layout.roles.deployer,
    to: layout.rewardDistributor,
    data: encodeFunctionData({ abi: rewardDistributor.abi, functionName: 'publish', args: [root, added] }),
    gas: 200_000n + 30_000n * BigInt(added.length),
    what: 'publish rewards',
  }
}
