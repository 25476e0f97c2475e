import {
  type Address,
  type Hash,
  type Hex,
  hexToBytes,
  isAddressEqual,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  size,
  stringToHex,
  type TransactionSerializable,
  type TransactionSerialized,
  encodeErrorResult,
  parseAbi,
} from 'viem'

/**
 * One contract on a chain that needs no node: it checks signed bytes as a node does, mines each transaction at once in a
 * block of its own, and holds those back whose nonce is not yet next. Blocks, hashes and times follow from the seed and
 * from what is sent; another block passes whenever the newest is asked for.
 */
export function createSimulatedChain(options: SimulatedChainOptions): SimulatedChain {
  const ledger: Ledger = { ...options, blocks: [], known: new Map(), held: new Map(), balances: new Map() }
  const { blocks, known } = ledger
  const genesis = addBlock(ledger, null)
  return {
    chainId: options.chainId,
    contract: options.contract,
    newest: () => blocks.at(-1) ?? genesis,
    pass: () => void addBlock(ledger, null),
    block: (number) => blocks[Number(number)] ?? null,
    blockByHash: (hash) => blocks.find((block) => block.hash === hash) ?? null,
    blocks: () => blocks,
    transaction: (hash) => known.get(hash) ?? null,
    balanceOf: (address) => balanceOf(ledger, lower(address)),
    countOf: (address, until) => countOf(ledger, lower(address), until),
    fund: (address, wei) => move(ledger, lower(address), wei),
    call: (to, call) => run(ledger, to, { ...call, from: lower(call.from) }).output,
    estimate: (to, call) => {
      run(ledger, to, { ...call, from: lower(call.from) })
      return gasOf(to, call.data)
    },
    send: async (raw, reverts) => send(ledger, await readTransaction(raw, options.chainId, reverts)),
  }
}

export const baseFeePerGas = 10_000_000n
export const priorityFeePerGas = 1_000_000n

type SimulatedChainOptions = {
  readonly chainId: number
  readonly contract: SimulatedContract
  /** What every account holds at first. */
  readonly balanceWei: bigint
  readonly seed: string
}

export type SimulatedChain = {
  readonly chainId: number
  readonly contract: SimulatedContract
  readonly newest: () => Block
  /** A block without transactions. */
  readonly pass: () => void
  readonly block: (number: bigint) => Block | null
  readonly blockByHash: (hash: Hash) => Block | null
  readonly blocks: () => readonly Block[]
  readonly transaction: (hash: Hash) => KnownTransaction | null
  readonly balanceOf: (address: Address) => bigint
  /** Transactions of the account up to a block, that one included; the newest without. */
  readonly countOf: (address: Address, until?: bigint) => number
  readonly fund: (address: Address, wei: bigint) => void
  /** Throws `Revert`. */
  readonly call: (to: Address | null, call: ContractCall) => Hex
  /** Throws `Revert`. */
  readonly estimate: (to: Address | null, call: ContractCall) => bigint
  /** Takes signed bytes; with `reverts` they fail once they are mined. Throws `RpcError` in the words of geth. */
  readonly send: (raw: Hex, reverts: boolean) => Promise<Hash>
}

export type Block = {
  readonly number: bigint
  readonly hash: Hash
  readonly parentHash: Hash
  /** Seconds since 1970. */
  readonly timestamp: bigint
  readonly transaction: KnownTransaction | null
}

export type KnownTransaction = {
  readonly hash: Hash
  /** Lower case, as nodes write it. */
  readonly from: Address
  readonly to: Address | null
  readonly nonce: number
  readonly data: Hex
  readonly gas: bigint
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly valueWei: bigint
  readonly fields: TransactionSerializable
  readonly reverts: boolean
  mined: Mined | null
}

type Mined = {
  readonly block: Block
  readonly gasUsed: bigint
  readonly status: 'success' | 'reverted'
  readonly logs: readonly ContractLog[]
}

/** 2026-01-01T00:00:00Z. */
const genesisSeconds = 1_767_225_600n
const secondsPerBlock = 2n
const zeroHash = `0x${'0'.repeat(64)}` as const

type Ledger = SimulatedChainOptions & {
  readonly blocks: Block[]
  /** Every transaction that was ever taken. */
  readonly known: Map<Hash, KnownTransaction>
  /** Those of them that are not mined. */
  readonly held: Map<Hash, KnownTransaction>
  readonly balances: Map<Address, bigint>
}

function addBlock({ blocks, seed, chainId }: Ledger, transaction: KnownTransaction | null): Block {
  const number = BigInt(blocks.length)
  const parentHash = blocks.at(-1)?.hash ?? zeroHash
  const hash = keccak256(stringToHex(`${seed} ${chainId} ${number} ${transaction?.hash ?? ''}`))
  const block = { number, hash, parentHash, timestamp: genesisSeconds + number * secondsPerBlock, transaction }
  blocks.push(block)
  return block
}

function balanceOf({ balances, balanceWei }: Ledger, address: Address): bigint {
  return balances.get(address) ?? balanceWei
}

function move(ledger: Ledger, address: Address, wei: bigint): void {
  ledger.balances.set(address, balanceOf(ledger, address) + wei)
}

function countOf({ blocks }: Ledger, address: Address, until = BigInt(blocks.length)): number {
  return blocks.filter(({ number, transaction }) => number <= until && transaction?.from === address).length
}

function run({ contract }: Ledger, to: Address | null, call: ContractCall): ContractAnswer {
  const isContract = to !== null && isAddressEqual(to, contract.address)
  return isContract ? contract.run(call) : { output: '0x', logs: [], commit: () => {} }
}

/** The bytes again, a nonce that is used, fees and funds that do not suffice: refused. Then everything is mined that is next. */
function send(ledger: Ledger, transaction: KnownTransaction): Hash {
  const { hash, from, nonce, gas, gasPrice, maxFeePerGas, valueWei } = transaction
  const { known, held } = ledger
  const count = countOf(ledger, from)
  if (known.has(hash)) throw refused('already known')
  if (nonce < count) throw refused(`nonce too low: next nonce ${count}, tx nonce ${nonce}`)
  if (maxFeePerGas < baseFeePerGas) throw refused('max fee per gas less than block base fee')
  if (gas < intrinsicGas(transaction.data)) throw refused('intrinsic gas too low')
  if (balanceOf(ledger, from) < gas * maxFeePerGas + valueWei) {
    throw refused('insufficient funds for gas * price + value')
  }
  const rival = [...held.values()].find((other) => other.from === from && other.nonce === nonce)
  if (rival !== undefined && gasPrice <= rival.gasPrice) throw refused('replacement transaction underpriced')
  if (rival !== undefined) held.delete(rival.hash)
  known.set(hash, transaction)
  held.set(hash, transaction)
  for (;;) {
    const next = [...held.values()].find((one) => one.from === from && one.nonce === countOf(ledger, from))
    if (next === undefined) return hash
    mine(ledger, next)
  }
}

function mine(ledger: Ledger, transaction: KnownTransaction): void {
  const { from, to, data, gas, valueWei, reverts } = transaction
  const needed = gasOf(to, data)
  const gasUsed = gas < needed ? gas : needed
  const answer = reverts || gas < needed ? null : attempt(() => run(ledger, to, { from, data }))
  move(ledger, from, -gasUsed * transaction.gasPrice)
  if (answer !== null) {
    answer.commit()
    move(ledger, from, -valueWei)
    if (to !== null) move(ledger, lower(to), valueWei)
  }
  const block = addBlock(ledger, transaction)
  const status = answer === null ? 'reverted' : 'success'
  transaction.mined = { block, gasUsed, status, logs: answer?.logs ?? [] }
  ledger.held.delete(transaction.hash)
}

/** `null` when the contract refuses. */
function attempt(act: () => ContractAnswer): ContractAnswer | null {
  try {
    return act()
  } catch (error) {
    if (error instanceof Revert) return null
    throw error
  }
}

async function readTransaction(raw: Hex, chainId: number, reverts: boolean): Promise<KnownTransaction> {
  const serializedTransaction = raw as TransactionSerialized
  const read = async () => ({
    fields: parseTransaction(serializedTransaction),
    from: await recoverTransactionAddress({ serializedTransaction }),
  })
  const { fields, from } = await read().catch(() => {
    throw new RpcError(-32602, 'invalid transaction: rlp')
  })
  if (fields.chainId !== chainId) throw refused(`invalid chain id for signer: have ${fields.chainId} want ${chainId}`)
  const maxFeePerGas = fields.maxFeePerGas ?? fields.gasPrice ?? 0n
  const bid = baseFeePerGas + (fields.maxPriorityFeePerGas ?? maxFeePerGas)
  return {
    hash: keccak256(raw),
    from: lower(from),
    to: fields.to ?? null,
    nonce: fields.nonce ?? 0,
    data: fields.data ?? '0x',
    gas: fields.gas ?? 0n,
    gasPrice: bid < maxFeePerGas ? bid : maxFeePerGas,
    maxFeePerGas,
    valueWei: fields.value ?? 0n,
    fields,
    reverts,
    mined: null,
  }
}

/** EIP-2028. */
function intrinsicGas(data: Hex): bigint {
  return hexToBytes(data).reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n)
}

/** A call of the contract writes about as much as it is given: a slot (EIP-2200) for each word, and a few of its own. */
function gasOf(to: Address | null, data: Hex): bigint {
  const words = BigInt(Math.ceil(size(data) / 32))
  return intrinsicGas(data) + (to === null || data === '0x' ? 0n : 90_000n + 22_100n * words)
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}

function refused(message: string): RpcError {
  return new RpcError(-32000, message)
}

/** An error of JSON-RPC. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Hex | null

  constructor(code: number, message: string, data: Hex | null = null) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A contract of the simulated chain. Nothing changes before `commit`. Throws `Revert`. */
export type SimulatedContract = {
  readonly address: Address
  readonly run: (call: ContractCall) => ContractAnswer
}

type ContractCall = { readonly from: Address; readonly data: Hex }

export type ContractAnswer = {
  readonly output: Hex
  readonly logs: readonly ContractLog[]
  readonly commit: () => void
}

export type ContractLog = { readonly topics: readonly Hex[]; readonly data: Hex }

/** The contract refuses the call; `data` is what it gives back. */
export class Revert extends Error {
  override readonly name = 'Revert'
  readonly data: Hex

  constructor(data: Hex) {
    super('execution reverted')
    this.data = data
  }
}

/** The revert of a `require` with a sentence. */
export function refusal(reason: string): Revert {
  return new Revert(encodeErrorResult({ abi: reasons, errorName: 'Error', args: [reason] }))
}

/** The answer of a call that only reads. */
export function view(output: Hex): ContractAnswer {
  return { output, logs: [], commit: () => {} }
}

const reasons = parseAbi(['error Error(string reason)'])
