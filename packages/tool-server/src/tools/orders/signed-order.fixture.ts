import type { Devnet } from '@svc/devnet'
import { readOrder } from '@svc/amm'
import { erc20Abi, permit2NonceAbi } from '@svc/amm/abis'
import { createTestClient, http } from 'viem'
import type { Answer } from '../answer.fixture.ts'
import type { World } from '../chain-world.fixture.ts'

/** What Permit2 may take of a token. */
export function allowanceOf(world: World, symbol: string): Promise<bigint> {
  const args = [world.wallet, world.chain.permit2] as const
  return world.client.readContract({ address: world.address(symbol), abi: erc20Abi, functionName: 'allowance', args })
}

/** Empty blocks, so that those before them are settled. */
export async function deepen({ rpcUrl }: Pick<Devnet, 'rpcUrl'>): Promise<void> {
  await createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).mine({ blocks: 3 })
}

/** Lets the chain's time go past the end of an order, and the server's so far that nobody doubts it. */
export async function passDeadline(world: World, answer: Answer): Promise<void> {
  await world.devnet.mineTo(Date.parse(answer.text('expiresAt')) / 1_000 + 1)
  passOwnDeadline(world, answer)
}

/** The server's time alone. */
export function passOwnDeadline(world: World, answer: Answer): void {
  world.clock.offsetMs += Date.parse(answer.text('expiresAt')) - Date.parse(world.isoAgo(0)) + 60_000
}

/** Whether the nonce of a signed order is used up at Permit2. */
export async function isNonceUsed({ store, chain, client, wallet }: World, orderId: string): Promise<boolean> {
  const stored = await store.orders.byOrder(chain.id, orderId)
  if (stored === null) throw new Error('no such order')
  const { nonce } = readOrder(stored.terms)
  const args = [wallet, nonce >> 8n] as const
  const bits = await client.readContract({
    address: chain.permit2,
    abi: permit2NonceAbi,
    functionName: 'nonceBitmap',
    args,
  })
  return ((bits >> (nonce & 0xffn)) & 1n) === 1n
}

/** What counts against the limit of a day, in dollars. */
export async function spentUsd({ store }: Pick<World, 'store'>): Promise<number> {
  const { dailyUsdMicros } = await store.ledger.usage('anybody', { sessionIdleMs: 1_800_000 })
  return Number(dailyUsdMicros) / 1e6
}
