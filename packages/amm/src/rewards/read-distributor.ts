import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { rewardDistributorAbi } from '../abis/rewards.ts'
import type { RpcPool } from '../ports.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { everyResult } from '../rpc/every-result.ts'
import { readAll } from '../rpc/read-all.ts'
import { ToolError } from '../tool-error.ts'

/**
 * The root that a chain's distributor pays by and what it has paid a wallet, both at the newest block. Throws
 * `DISTRIBUTOR_NOT_DEPLOYED` where nothing answers at its address, and `RPC_*`.
 */
export async function readDistributor(
  rpc: Pick<RpcPool, 'client' | 'head'>,
  { chain, distributor, wallet, tokens }: DistributorQuestion,
): Promise<DistributorState> {
  const { number: blockNumber } = await rpc.head(chain)
  const [root, ...claims] = await readAll(
    rpc.client(chain),
    chain,
    [rootOf(distributor, []), ...tokens.map((token) => claimedOf(distributor, [wallet, token]))],
    blockNumber,
  )
  if (typeof root !== 'string') throw silentDistributor(chain)
  const paid = everyResult(claims as readonly (Claim | null)[]).map(([amount], at) => [tokens[at], amount] as const)
  return { root: root as Hex, blockNumber, claimed: new Map(paid) }
}

export type DistributorQuestion = {
  readonly chain: Chain
  readonly distributor: Address
  readonly wallet: Address
  readonly tokens: readonly Address[]
}

export type DistributorState = {
  readonly root: Hex
  readonly blockNumber: bigint
  /** By token, from the beginning. */
  readonly claimed: ReadonlyMap<Address | undefined, bigint>
}

const rootOf = contractFunction(rewardDistributorAbi, 'getMerkleRoot')
const claimedOf = contractFunction(rewardDistributorAbi, 'claimed')

type Claim = readonly [amount: bigint, timestamp: number, merkleRoot: Hex]

function silentDistributor(chain: Chain): ToolError {
  const message = `No distributor of rewards answers on ${chain.name} where its configuration says.`
  return new ToolError('DISTRIBUTOR_NOT_DEPLOYED', message, {
    details: [{ field: 'chain', message }],
    suggestion: 'The operator must correct rewardDistributor of this chain in the file of SVC_CHAINS_FILE.',
  })
}
