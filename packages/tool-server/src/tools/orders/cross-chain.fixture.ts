import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Devnet } from '@svc/devnet'
import { createRelayer, type Relayer } from '@svc/devnet/relayer'
import { oddSettler, useDevnet } from '@svc/devnet/testing'
import { openCalldata } from '@svc/amm/cross-chain'
import { erc20Abi } from '@svc/amm/abis'
import {
  type Address,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  pad,
  publicActions,
} from 'viem'
import { afterEach } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'
import { deepen } from './signed-order.fixture.ts'

/** Two local chains, a world on the one that knows of the other, and who fills between them. */
export function useCrossChain(): CrossChainWorlds {
  const [origin, destination] = [useDevnet(), useDevnet({ chainId: 31_338 })]
  const worlds: World[] = []
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close()
  })
  return {
    origin,
    destination,
    relayer: () => createRelayer(origin(), destination()),
    async open(options = {}) {
      const world = await openWorld(origin(), { beside: destination(), ...options })
      worlds.push(world)
      return world
    },
    async settle(world) {
      await Promise.all([deepen(origin()), deepen(destination())])
      await world.executor.reconcile()
    },
    async passDeadline(world, answer) {
      const at = Date.parse(answer.text('fillDeadline')) / 1_000 + 1
      await Promise.all([origin().mineTo(at), destination().mineTo(at)])
      world.clock.offsetMs += at * 1_000 - Date.parse(world.isoAgo(0)) + 60_000
    },
    arrived: (symbol, of) => balanceOn(destination(), symbol, of),
  }
}

export type CrossChainWorlds = {
  readonly origin: () => Devnet
  readonly destination: () => Devnet
  relayer(): Relayer
  open(options?: WorldOptions): Promise<World>
  /** Lets blocks settle what both chains show, and the server look at it. */
  settle(world: World): Promise<void>
  /** Lets the time of both chains, and the server's, go past the end of an order. */
  passDeadline(world: World, answer: Answer): Promise<void>
  /** What somebody holds of a token on the destination. */
  arrived(symbol: string, of: Address): Promise<bigint>
}

/** What a settler does that it should not, in the order of its contract. */
export const oddities = [
  'none',
  'resolves less',
  'resolves elsewhere',
  'opens less',
  'opens silently',
  'fills less',
  'fills nothing',
] as const

/** Puts a settler that does one thing it should not in the place of a chain's own. */
export async function turnSettler(devnet: Devnet, oddity: (typeof oddities)[number]): Promise<void> {
  const account = devnet.accounts[7]!.address
  const transport = http(devnet.rpcUrl)
  const client = createTestClient({ mode: 'anvil', account, transport }).extend(publicActions)
  const writer = createWalletClient({ account, transport })
  const { contractAddress } = await client.waitForTransactionReceipt({
    hash: await writer.sendTransaction({ chain: null, data: oddSettler.bytecode }),
  })
  const bytecode = await client.getCode({ address: contractAddress! })
  const address = devnet.chain.crossChainSettler!
  await client.setCode({ address, bytecode: bytecode! })
  const args = [oddities.indexOf(oddity)] as const
  const data = encodeFunctionData({ abi: oddSettler.abi, functionName: 'setOddity', args })
  const hash = await writer.sendTransaction({ chain: null, to: address, data })
  await client.waitForTransactionReceipt({ hash })
}

/** What a settler does that pays out of what it holds, whatever its code says. */
export async function giveBack(devnet: Devnet, to: Address, amount: bigint, symbol = 'USDC'): Promise<void> {
  const token = devnet.tokens.find((one) => one.symbol === symbol)!.address
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  await sendAs(devnet, devnet.chain.crossChainSettler!, token, data)
}

/** An order of a stranger on the destination that pays `to` on the origin, and that the settler there fills out of what lies at it. */
export async function fillFromDeposits(origin: Devnet, destination: Devnet, to: Hex, amount: bigint): Promise<void> {
  const settler = origin.chain.crossChainSettler!
  const tokenOf = ({ tokens }: Devnet) => tokens.find(({ symbol }) => symbol === 'USDC')!.address
  const { timestamp } = await publicClientOf(destination).getBlock()
  const data = openCalldata({
    fillDeadline: Number(timestamp) + 3_600,
    nonce: 1n,
    inputToken: tokenOf(destination),
    inputAmount: 0n,
    outputToken: tokenOf(origin),
    outputAmount: amount,
    destinationChainId: origin.chainId,
    recipient: to,
  })
  await sendAs(destination, destination.accounts[7]!.address, destination.chain.crossChainSettler!, data)
  const relayer = createRelayer(destination, origin)
  const [orderId] = await relayer.opened()
  const instruction = await relayer.instruction(orderId!, (same) => same)
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [settler, amount] })
  await sendAs(origin, settler, tokenOf(origin), approve)
  const args = [orderId!, instruction, pad('0x00')] as const
  const fill = encodeFunctionData({ abi: oddSettler.abi, functionName: 'fill', args })
  await sendAs(origin, settler, settler, fill)
}

function publicClientOf({ rpcUrl }: Devnet) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions)
}

async function sendAs(devnet: Devnet, account: Address, to: Address, data: Hex): Promise<void> {
  const client = publicClientOf(devnet)
  await client.setBalance({ address: account, value: 10n ** 18n })
  await client.impersonateAccount({ address: account })
  const hash = await createWalletClient({ account, transport: http(devnet.rpcUrl) }).sendTransaction({
    chain: null,
    to,
    data,
  })
  const { status } = await client.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('A call of a stranger reverted')
}

function balanceOn({ rpcUrl, tokens }: Devnet, symbol: string, of: Address): Promise<bigint> {
  const address = tokens.find((token) => token.symbol === symbol)!.address
  const client = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions)
  return client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [of] })
}

/** An endpoint of this machine that passes on what it is asked, but for the batches that it is made to answer itself. */
export async function endpointBefore(rpcUrl: string, answer: (body: string) => object | null) {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const own = answer(body)
      const headers = { 'content-type': 'application/json' }
      if (own === null) return response.end(await (await fetch(rpcUrl, { method: 'POST', headers, body })).text())
      const asked = JSON.parse(body) as { readonly id: number }[]
      return response.end(JSON.stringify(asked.map(({ id }) => Object.assign({ jsonrpc: '2.0', id }, own))))
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => void server.close(resolve)) }
}
