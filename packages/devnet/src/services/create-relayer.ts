import {
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hash,
  type Hex,
  parseAbiParameters,
  slice,
} from 'viem'
import { devAccounts } from '../accounts.ts'
import { type ChainClient, connect } from '../chain/chain-client.ts'
import { crossChainSettler } from '../contracts.gen.ts'
import type { Devnet } from '../devnet.ts'

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
