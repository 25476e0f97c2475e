import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Hash,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  parseAbiParameters,
  slice,
} from 'viem'
import { connect, mineSettled, type ChainClient } from '../chain/chain-client.ts'
import type { Amounts } from '../chain/fund.ts'
import type { Devnet } from '../devnet.ts'
import { devAccounts } from '../accounts.ts'
import { crossChainSettler } from '../contracts.gen.ts'

/**
 * Fills every order that is opened on one of two local chains for the other, both ways, within a second and out of a stock of its own, and
 * gives back what nobody can fill any more. Blocks enough follow for either end to be settled, which chains that stand still would not
 * give. It goes on until stopped.
 */
export async function startRelayer(one: Devnet, other: Devnet): Promise<{ stop(): Promise<void> }> {
  const [there, back] = [relay(one, other), relay(other, one)]
  await Promise.all([other.fund(there.payer, stock), one.fund(back.payer, stock)])
  const halt = new AbortController()
  const work = async () => {
    while (!halt.signal.aborted) {
      // A chain that does not answer is asked again; one that has ended ends the world.
      for (const way of [there, back]) await way.look().catch(() => {})
      await sleep(pauseMs, null, { signal: halt.signal }).catch(() => {})
    }
  }
  const finished = work()
  return {
    stop: async () => {
      halt.abort()
      await finished
    },
  }
}

/** From one chain to another. `look` sees to what was opened since it looked last, and to what is left over. */
function relay(origin: Devnet, destination: Devnet): { readonly payer: Relayer['address']; look(): Promise<void> } {
  const relayer = createRelayer(origin, destination)
  const [from, to] = [connect(origin.rpcUrl), connect(destination.rpcUrl)]
  /** Unix milliseconds from which an order is tried, by its hash; one that is filled waits for its release. */
  const waiting = new Map<Hash, { readonly at: number; readonly isFilled: boolean }>()
  let fromBlock = 0n
  return {
    payer: relayer.address,
    async look() {
      const toBlock = await from.getBlockNumber()
      if (toBlock >= fromBlock) {
        for (const orderId of await relayer.opened({ fromBlock, toBlock }))
          waiting.set(orderId, { at: 0, isFilled: false })
        fromBlock = toBlock + 1n
      }
      for (const [orderId, { at, isFilled: wasFilled }] of waiting) {
        if (Date.now() < at) continue
        const again = Date.now() + againMs
        waiting.set(orderId, { at: again, isFilled: wasFilled })
        const isFilled = wasFilled || (await relayer.fill(orderId)) !== null
        waiting.set(orderId, { at: again, isFilled })
        if ((isFilled ? await relayer.release(orderId) : await relayer.refund(orderId)) === null) continue
        waiting.delete(orderId)
        await Promise.all([mineSettled(from), mineSettled(to)])
      }
    },
  }
}

const pauseMs = 500
/** Before its deadline an order that was not filled is neither filled nor given back; of one that is, the payment may fail. */
const againMs = 5_000

/** More than the limits of `svc up` let anybody move in a month. */
const stock: Amounts = { WETH: '10000', WBTC: '1000', USDC: '50000000', USDT: '50000000', DAI: '50000000' }

/**
 * Stands in for whoever fills cross-chain orders between two local chains, and for the bridge that carries messages between their settlers:
 * it reads what was opened on the one, and pays for it on the other out of its own pocket.
 */
export function createRelayer(origin: Devnet, destination: Devnet): Relayer {
  const { roles, testAccounts } = devAccounts()
  const relayer = testAccounts[8]?.address
  if (relayer === undefined) throw new Error('The local chain has too few accounts')
  const [from, to] = [placeOf(origin), placeOf(destination)]
  return {
    address: relayer,
    opened: (range) => openedAt(from, range),
    async fill(orderId, instruction) {
      const order = await orderOf(from, orderId)
      const originData = instruction ?? order.originData
      await send(to, relayer, order.outputToken, allow(to.settler, order.outputAmount))
      const args = [orderId, originData, encodeAbiParameters([{ type: 'uint256' }], [0n])] as const
      return await send(to, relayer, to.settler, encodeFunctionData({ abi, functionName: 'fill', args }))
    },
    async instruction(orderId, change) {
      const { originData } = await orderOf(from, orderId)
      const [relay] = decodeAbiParameters(relayForm, originData)
      return encodeAbiParameters(relayForm, [{ ...relay, outputAmount: change(relay.outputAmount) }])
    },
    release: (orderId) =>
      send(
        from,
        roles.deployer,
        from.settler,
        encodeFunctionData({ abi, functionName: 'release', args: [orderId, relayer] }),
      ),
    refund: (orderId) =>
      send(from, roles.deployer, from.settler, encodeFunctionData({ abi, functionName: 'refund', args: [orderId] })),
  }
}

export type Relayer = {
  readonly address: Address
  /** The hashes of the orders that its chain has announced, in all blocks or in a range of them, the oldest first. */
  opened(range?: BlockRange): Promise<readonly Hash[]>
  /** Fills an order, or tries to; `null` where its settler refuses. `instruction` takes the place of what was announced. */
  fill(orderId: Hash, instruction?: Hex): Promise<Hash | null>
  /** What fills an order, with another amount in it. */
  instruction(orderId: Hash, change: (outputAmount: bigint) => bigint): Promise<Hex>
  /** Tells the origin that an order was filled, so that what lies there is the relayer's; `null` where it refuses. */
  release(orderId: Hash): Promise<Hash | null>
  /** Tells the origin that nobody can fill an order any more, so that what lies there goes back; `null` where it refuses. */
  refund(orderId: Hash): Promise<Hash | null>
}

type BlockRange = { readonly fromBlock: bigint; readonly toBlock: bigint }

type Place = { readonly client: ChainClient; readonly settler: Address }

function placeOf({ rpcUrl, chain: { crossChainSettler: settler } }: Devnet): Place {
  if (settler === undefined) throw new Error('A local chain has a settler')
  return { client: connect(rpcUrl), settler }
}

async function openedAt({ client, settler: address }: Place, range?: BlockRange): Promise<readonly Hash[]> {
  const blocks = range ?? { fromBlock: 0n }
  const logs = await client.getContractEvents({ address, abi, eventName: 'Open', ...blocks, strict: true })
  return logs.map(({ args }) => args.orderId)
}

async function orderOf({ client, settler: address }: Place, orderId: Hash) {
  const [log] = await client.getContractEvents({
    address,
    abi,
    eventName: 'Open',
    args: { orderId },
    fromBlock: 0n,
    strict: true,
  })
  const [output] = log?.args.resolvedOrder.maxSpent ?? []
  const [instruction] = log?.args.resolvedOrder.fillInstructions ?? []
  if (output === undefined || instruction === undefined) throw new Error(`No order ${orderId} was opened`)
  return {
    outputToken: getAddress(slice(output.token, 12)),
    outputAmount: output.amount,
    originData: instruction.originData,
  }
}

/** The transaction's hash, or `null` where it failed. */
async function send({ client }: Place, from: Address, to: Address, data: Hex): Promise<Hash | null> {
  const receipt = await client.request({
    method: 'eth_sendTransactionSync',
    params: [{ from, to, data, gas: '0xf4240' }],
  })
  return receipt.status === '0x1' ? receipt.transactionHash : null
}

function allow(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}

const { abi } = crossChainSettler

/** How the settlers word what is filled. */
const relayForm = parseAbiParameters([
  'RelayData relay',
  'struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
])
