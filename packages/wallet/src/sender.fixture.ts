import { useDevnet } from '@svc/devnet/testing'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  http,
  type Address,
  type PublicClient,
  type TestClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, vi } from 'vitest'
import type { Journal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createSender, type Sender, type SenderOptions } from './sender.ts'
import type { ReplacementRules } from './sender/replace-entry.ts'
import type { SignRequest } from './sender/sign-request.ts'
import { ServiceWallet } from './service-wallet.ts'

/** A sender on a local chain for the tests of a file: a fresh journal and an untouched chain for each of them. */
export function useSender(): SenderFixture {
  const devnet = useDevnet()
  let journal: Journal
  let requests = 0
  let calls = 0
  const url = (): string => devnet().rpcUrl
  const privateKey = (): `0x${string}` => devnet().accounts[0]!.privateKey
  const wallet = (): ServiceWallet => new ServiceWallet({ mode: 'local', privateKey: privateKey() })
  const reader = (): PublicClient => createPublicClient({ transport: http(url()), cacheTime: 0 })
  const node = (): TestClient => createTestClient({ mode: 'anvil', transport: http(url()) })
  const transport = () => http(url(), { batch: true, retryCount: 0, onFetchRequest: () => void (requests += 1) })

  beforeEach(() => {
    journal = createMemoryJournal({ now: Date.now })
    requests = 0
  })
  afterEach(async () => {
    await node().request({ method: 'anvil_dropAllTransactions' } as never)
    await node().setAutomine(true)
  })

  const client = (fault?: Fault): PublicClient => {
    const inner = createPublicClient({ transport: transport() })
    if (fault === undefined) return inner
    const request = (body: { method: string }): Promise<unknown> =>
      fault(body.method, () => inner.request(body as never))
    return createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  }
  return {
    bob,
    wallet,
    journal: () => journal,
    reader,
    node,
    transport,
    requests: () => requests,
    checkpoint: () => devnet().checkpoint(),
    senderOver: (fault, { confirmations = 1, ...change } = {}) =>
      createSender({
        wallet: wallet(),
        chain: { id: 31337, confirmations, blockTimeSeconds: 0.2 },
        journal,
        client: client(fault),
        random: () => 0,
        ...change,
      }),
    call: (change) => {
      calls += 1
      return {
        requestId: `request-${calls}`,
        step: 0,
        to: bob,
        data: '0x',
        valueWei: 1n,
        gasLimit: 60_000n,
        maxFeePerGas: 10n ** 10n,
        maxPriorityFeePerGas: 1n,
        reservationId: null,
        allow: async () => {},
        ...change,
      }
    },
    run: async (sender, request) => sender.confirm(await sender.broadcast(await sender.sign(request)), quick),
    sendElsewhere: async (nonce) => {
      const foreign = createWalletClient({ account: privateKeyToAccount(privateKey()), transport: http(url()) })
      const hash = await foreign.sendTransaction({ chain: null, to: bob, value: 7n, gas: 30_000n, nonce })
      await vi.waitFor(() => reader().getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
    },
  }
}

export const quick = { pollMs: 50, timeoutMs: 60_000 }

/** Lets the sender sign whatever it wants, at once and up to an ether of gas. */
export function freely(change: Partial<ReplacementRules> = {}): ReplacementRules {
  return { feeCapWei: async () => 10n ** 18n, allow: async () => true, stuckAfterMs: 0, ...change }
}

/** Waits for a condition, for three thousand looks. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('did not happen within a minute')
}

export type SenderFixture = {
  readonly bob: Address
  readonly wallet: () => ServiceWallet
  readonly journal: () => Journal
  readonly reader: () => PublicClient
  readonly node: () => TestClient
  readonly transport: () => ReturnType<typeof http>
  /** HTTP requests of `senderOver` and `transport` so far. */
  readonly requests: () => number
  /** Remembers the chain and gives the way back. */
  readonly checkpoint: () => Promise<() => Promise<void>>
  readonly senderOver: (fault?: Fault, change?: SenderChange) => Sender
  readonly call: (change?: Partial<SignRequest>) => SignRequest
  /** Signs, sends and confirms. */
  readonly run: (sender: Sender, request: SignRequest) => ReturnType<Sender['confirm']>
  /** Uses the wallet's key behind the sender's back. */
  readonly sendElsewhere: (nonce: number) => Promise<void>
}

type SenderChange = { readonly confirmations?: number } & Partial<Pick<SenderOptions, 'now' | 'counts' | 'wallet'>>

/** Stands between the sender and its endpoint: may throw, before or after it forwards. */
type Fault = (method: string, forward: () => Promise<unknown>) => Promise<unknown>

// An address that no one uses: neither a contract nor an account of the local chain.
const bob: Address = '0x00000000000000000000000000000000000B0b01'
