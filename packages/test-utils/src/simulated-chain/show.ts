import { numberToHex, zeroAddress, type Hex } from 'viem'
import { baseFeePerGas, type Block, type KnownTransaction, type SimulatedChain } from './simulated-chain.ts'

/** A block as nodes write it, with its transactions or their hashes. */
export function showBlock(block: Block | null, isWhole: boolean, chainId: number): unknown {
  if (block === null) return null
  const { transaction } = block
  const transactions = transaction === null ? [] : [isWhole ? showTransaction(transaction, chainId) : transaction.hash]
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: numberToHex(block.timestamp),
    baseFeePerGas: numberToHex(baseFeePerGas),
    gasLimit: numberToHex(30_000_000n),
    gasUsed: numberToHex(transaction?.mined?.gasUsed ?? 0n),
    miner: zeroAddress,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    nonce: `0x${'0'.repeat(16)}`,
    mixHash: zeroHash,
    sha3Uncles: zeroHash,
    stateRoot: zeroHash,
    transactionsRoot: zeroHash,
    receiptsRoot: zeroHash,
    logsBloom,
    extraData: '0x',
    size: '0x0',
    uncles: [],
    transactions,
  }
}

/** A transaction as nodes write it; its block is `null` while it is held back. */
export function showTransaction(transaction: KnownTransaction | null, chainId: number): unknown {
  if (transaction === null) return null
  const { fields, mined } = transaction
  const type = typeNumbers[fields.type ?? 'legacy'] ?? '0x0'
  return {
    hash: transaction.hash,
    type,
    chainId: numberToHex(chainId),
    nonce: numberToHex(transaction.nonce),
    blockHash: mined?.block.hash ?? null,
    blockNumber: mined === null ? null : numberToHex(mined.block.number),
    transactionIndex: mined === null ? null : '0x0',
    from: transaction.from,
    to: transaction.to,
    value: numberToHex(transaction.valueWei),
    gas: numberToHex(transaction.gas),
    gasPrice: numberToHex(transaction.gasPrice),
    ...(type === '0x0' || type === '0x1'
      ? {}
      : {
          maxFeePerGas: numberToHex(transaction.maxFeePerGas),
          maxPriorityFeePerGas: numberToHex(fields.maxPriorityFeePerGas ?? 0n),
        }),
    input: transaction.data,
    accessList: fields.accessList ?? [],
    r: fields.r ?? '0x0',
    s: fields.s ?? '0x0',
    v: numberToHex(fields.v ?? BigInt(fields.yParity ?? 0)),
    yParity: numberToHex(fields.yParity ?? 0),
  }
}

/** `null` until it is mined. */
export function showReceipt(chain: SimulatedChain, transaction: KnownTransaction | null): unknown {
  if (transaction?.mined === undefined || transaction.mined === null) return null
  const { block, gasUsed, status } = transaction.mined
  return {
    transactionHash: transaction.hash,
    transactionIndex: '0x0',
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    from: transaction.from,
    to: transaction.to,
    cumulativeGasUsed: numberToHex(gasUsed),
    gasUsed: numberToHex(gasUsed),
    effectiveGasPrice: numberToHex(transaction.gasPrice),
    contractAddress: null,
    logs: logsOf(chain, transaction),
    logsBloom,
    status: status === 'success' ? '0x1' : '0x0',
    type: typeNumbers[transaction.fields.type ?? 'legacy'] ?? '0x0',
  }
}

/** The logs of a mined transaction. */
export function logsOf(chain: SimulatedChain, transaction: KnownTransaction | null): readonly ShownLog[] {
  const { hash = null, mined = null } = transaction ?? {}
  if (mined === null || hash === null) return []
  return mined.logs.map(({ topics, data }, index) => ({
    address: chain.contract.address.toLowerCase(),
    topics,
    data,
    blockHash: mined.block.hash,
    blockNumber: numberToHex(mined.block.number),
    blockTimestamp: numberToHex(mined.block.timestamp),
    transactionHash: hash,
    transactionIndex: '0x0',
    logIndex: numberToHex(index),
    removed: false,
  }))
}

type ShownLog = { readonly topics: readonly Hex[]; readonly data: Hex; readonly address: string } & Readonly<
  Record<string, unknown>
>

const zeroHash = `0x${'0'.repeat(64)}`
const logsBloom = `0x${'0'.repeat(512)}`
const typeNumbers: Readonly<Record<string, Hex>> = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip7702: '0x4' }
