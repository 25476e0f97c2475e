import { boundedTip, type Chain } from '@svc/wallet/core'
import {
  type Address,
  type Hash,
  parseAbi,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { contractFunction, readOne, readSurely, readOnce } from '@svc/amm/rpc'
import type { BlockTime, RpcPool } from '@svc/amm'

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
  readonly allowances: readonly Granted[]
  /** Unix milliseconds. */
  readonly now: () => number
}): Promise<ChainSnapshot> {
  const { rpc, client, chain, wallet, allowances, now } = request
  const [head, namedTip, balanceWei, transactionCount, standing, seen] = await Promise.all([
    rpc.head(chain),
    // One request; where the endpoint does not know it, the gas price less the base fee.
    client.estimateMaxPriorityFeePerGas(),
    client.getBalance({ address: wallet }),
    client.getTransactionCount({ address: wallet }),
    readAllowances(client, wallet, allowances),
    readOne(client, readNumber(chain.multicall3, [])),
  ])
  const tip = boundedTip(namedTip, head.baseFeePerGas, chain)
  // Twice the base fee outlasts six full blocks of it rising (EIP-1559: at most an eighth a block).
  const maxFeePerGas = head.baseFeePerGas * 2n + tip
  return {
    block: { number: head.number, timestamp: head.timestamp, hash: head.hash },
    atSeconds: nextBlockSeconds(head, now()),
    takenAt: now(),
    fees: { maxFeePerGas, maxPriorityFeePerGas: tip, expectedPerGas: head.baseFeePerGas + tip },
    ownFeePerGas: maxFeePerGas,
    balanceWei,
    transactionCount,
    standing,
    namesBlock: seen === head.number,
  }
}

/** When the transaction after a block may be mined, in Unix seconds; `nowMs` in Unix milliseconds. */
export function nextBlockSeconds({ timestamp }: Pick<BlockTime, 'timestamp'>, nowMs: number): number {
  return Math.max(Number(timestamp) + 1, Math.floor(nowMs / 1000))
}

/** The newest block that no reorganisation replaces but a rare one. */
export function settledBlock(chain: Chain, blockNumber: bigint): bigint {
  const depth = BigInt(settledDepth(chain))
  return blockNumber > depth ? blockNumber - depth : 0n
}

/**
 * What the wallet held of native currency before the newest blocks, which others may replace; `null` where the endpoint does not say.
 */
export function readSettledBalance(
  { client, chain, wallet }: { readonly client: PublicClient; readonly chain: Chain; readonly wallet: Address },
  newest: bigint,
): Promise<bigint | null> {
  return client.getBalance({ address: wallet, blockNumber: settledBlock(chain, newest) }).catch(() => null)
}

/** How many blocks are newer than that. One, or two, are replaced now and then. */
export function settledDepth({ confirmations }: Pick<Chain, 'confirmations'>): number {
  return Math.max(2, confirmations)
}

/** The receipt of a transaction, `null` where the endpoint knows of none. Throws `RPC_*`. */
export function receiptOrNull(client: PublicClient, hash: Hash): Promise<TransactionReceipt | null> {
  return client.getTransactionReceipt({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  })
}

/** The ERC-20 allowances of the wallet, in the order asked, at the newest block where none is named. */
export function readAllowances(
  client: PublicClient,
  wallet: Address,
  allowances: readonly Granted[],
  blockNumber?: bigint,
): Promise<readonly bigint[]> {
  return Promise.all(
    allowances.map(({ token, spender }) => readSurely(client, readAllowance(token, [wallet, spender]), blockNumber)),
  )
}

/** What the wallet holds of native currency and what stands of its allowances, of one block; `null` where it cannot be read. */
export async function readHoldings(request: {
  readonly client: PublicClient
  readonly chain: Chain
  readonly wallet: Address
  readonly allowances: readonly Granted[]
}): Promise<HoldingsAt | null> {
  const { client, chain, wallet, allowances } = request
  const { multicall3 } = chain
  const reads = allowances.map(({ token, spender }) => readAllowance(token, [wallet, spender]))
  const own = [readNumber(multicall3, []), readTime(multicall3, []), readBalance(multicall3, [wallet])] as const
  const answers = (await readOnce(client, chain, [...own, ...reads])) ?? []
  const [blockNumber, timestamp, balanceWei, ...amounts] = answers
  if (blockNumber == null || timestamp == null || balanceWei == null) return null
  const standing = amounts.filter((amount) => amount !== null)
  return standing.length === allowances.length ? { blockNumber, timestamp, balanceWei, standing } : null
}

/** An ERC-20 allowance of the wallet. */
type Granted = { readonly token: Address; readonly spender: Address }

export type HoldingsAt = Pick<ChainSnapshot, 'balanceWei' | 'standing'> & {
  readonly blockNumber: bigint
  /** Unix seconds. */
  readonly timestamp: bigint
}

export type ChainSnapshot = {
  readonly block: BlockTime & { readonly hash: Hash }
  /** The time the next transaction may be mined at, in Unix seconds: never before the newest block's. */
  readonly atSeconds: number
  /** Unix milliseconds. */
  readonly takenAt: number
  readonly fees: Fees
  /** What a later transaction of the wallet may pay, also where somebody else pays for this one. */
  readonly ownFeePerGas: bigint
  readonly balanceWei: bigint
  /** How many transactions of the wallet are mined. */
  readonly transactionCount: number
  readonly standing: readonly bigint[]
  /** Whether contracts see the number of the block whose state they see; on some chains it is that of another chain, or of the next. */
  readonly namesBlock: boolean
}

export type Fees = {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly expectedPerGas: bigint
}

const multicall3Abi = parseAbi([
  'function getBlockNumber() view returns (uint256 number)',
  'function getCurrentBlockTimestamp() view returns (uint256 timestamp)',
  'function getEthBalance(address account) view returns (uint256 balance)',
])
const readNumber = contractFunction(multicall3Abi, 'getBlockNumber')
const readTime = contractFunction(multicall3Abi, 'getCurrentBlockTimestamp')
const readBalance = contractFunction(multicall3Abi, 'getEthBalance')
const readAllowance = contractFunction(erc20Abi, 'allowance')
