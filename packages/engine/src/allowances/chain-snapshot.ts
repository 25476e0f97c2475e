import { boundedTip, type Chain } from '@svc/wallet/core'
import type { Address, Hash, PublicClient } from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readSurely } from '@svc/amm/rpc'
import type { BlockTime, RpcPool } from '@svc/amm'
import type { Allowance } from './approval-steps.ts'

/**
 * Reads in one exchange what the pipeline starts from: the newest block (with the chain id of the endpoint checked), the tip
 * that is paid now, the wallet's native balance and how many of its transactions are mined, and the allowances that
 * stand. Throws `RPC_*`.
 */
export async function snapshot(request: {
  readonly rpc: RpcPool
  readonly client: PublicClient
  readonly chain: Chain
  readonly wallet: Address
  readonly allowances: readonly Allowance[]
  /** Unix milliseconds. */
  readonly now: () => number
}): Promise<ChainSnapshot> {
  const { rpc, client, chain, wallet, allowances, now } = request
  const [head, namedTip, balanceWei, transactionCount, standing] = await Promise.all([
    rpc.head(chain),
    // One request; where the endpoint does not know it, the gas price less the base fee.
    client.estimateMaxPriorityFeePerGas(),
    client.getBalance({ address: wallet }),
    client.getTransactionCount({ address: wallet }),
    readAllowances(client, wallet, allowances),
  ])
  const tip = boundedTip(namedTip, head.baseFeePerGas, chain)
  return {
    block: { number: head.number, timestamp: head.timestamp, hash: head.hash },
    atSeconds: Math.max(Number(head.timestamp) + 1, Math.floor(now() / 1000)),
    takenAt: now(),
    // Twice the base fee outlasts six full blocks of it rising (EIP-1559: at most an eighth a block).
    fees: {
      maxFeePerGas: head.baseFeePerGas * 2n + tip,
      maxPriorityFeePerGas: tip,
      expectedPerGas: head.baseFeePerGas + tip,
    },
    balanceWei,
    transactionCount,
    standing,
  }
}

/** The ERC-20 allowances of the wallet, in the order asked, at the newest block where none is named. */
export function readAllowances(
  client: PublicClient,
  wallet: Address,
  allowances: readonly Pick<Allowance, 'token' | 'spender'>[],
  blockNumber?: bigint,
): Promise<readonly bigint[]> {
  return Promise.all(
    allowances.map(({ token, spender }) =>
      readSurely(client, contractRead(token, erc20Abi, 'allowance', [wallet, spender]), blockNumber),
    ),
  )
}

export type ChainSnapshot = {
  readonly block: BlockTime & { readonly hash: Hash }
  /** The time the next transaction may be mined at, in Unix seconds: never before the newest block's. */
  readonly atSeconds: number
  /** Unix milliseconds. */
  readonly takenAt: number
  readonly fees: Fees
  readonly balanceWei: bigint
  /** How many transactions of the wallet are mined. */
  readonly transactionCount: number
  readonly standing: readonly bigint[]
}

export type Fees = {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly expectedPerGas: bigint
}
