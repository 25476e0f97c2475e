import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import { openStore } from '@svc/store'
import { createSender, type Sender } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { type Address, type Hex, parseUnits, zeroAddress } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import type * as z from 'zod'
import { createChainDirectory } from '@svc/amm/chains'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import { createLiquidity } from '@svc/amm/liquidity'
import { createPriceSource } from '@svc/amm/prices'
import { createRpcPool } from '@svc/amm/rpc'
import { createTokenDirectory } from '@svc/amm/tokens'
import type { Call } from '../call.ts'
import { createExecutor, type ExecutorOptions } from '../execute.ts'
import type { Deferred, Intent, PriceSource, Settled } from '@svc/amm'
import { bandOf } from './value/bands.fixture.ts'
import { openAuditLog } from './audit.ts'
import { devnetPolicy } from './devnet-policy.ts'
import { createFormerWallets } from './former-wallets.ts'
import { methodsIn } from './network.fixture.ts'
import { patientRpc, withPatience } from './patience.fixture.ts'
import { parsePolicy } from './policy.ts'
import type { policySchema } from './policy-schema.ts'

/**
 * The road on a local chain: real store, journal, sender, audit log and RPC pool, a fresh wallet with 10 ETH, 20,000 USDC
 * and 5 WETH. Prices are a table, so that sums in dollars are known to the cent. `fetch` may be changed while it runs, and
 * `patience`: a test says when a write should stop waiting for its block, so that no busy machine makes it stop earlier.
 */
export async function openPipeline(devnet: Devnet, options: PipelineOptions = {}) {
  const { chain, rpcUrl } = devnet
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'pipeline-')))
  const clock = { offsetMs: 0 }
  const now = () => Date.now() + clock.offsetMs
  const network = { fetch: globalThis.fetch, requests: [] as string[] }
  const trace: string[] = []
  const patience = { isShort: false }
  const hooks = { afterAudit: async (_event: string): Promise<void> => {} }
  const privateKey = options.privateKey ?? generatePrivateKey()
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  if (options.privateKey === undefined) {
    await devnet.fund(wallet.address, { ETH: '10', USDC: '20000', WETH: '5', FOT: '1000' })
  }
  const chains = createChainDirectory([options.chain === undefined ? chain : { ...chain, ...options.chain }])
  const rpc = createRpcPool({
    urls: () => [rpcUrl],
    now,
    ...patientRpc,
    fetch: async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      network.requests.push(body)
      trace.push(...methodsIn(body).map((method) => `rpc ${method}`))
      return network.fetch(input, init)
    },
  })
  const opened = await openStore({ ...placeOf(dataDir, options.databaseUrl), now })
  const traced = <Methods extends object>(name: string, methods: Methods): Methods =>
    new Proxy(methods, {
      get(target, key, receiver) {
        const member: unknown = Reflect.get(target, key, receiver)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          trace.push(`${name} ${String(key)}`)
          return Reflect.apply(member, target, args)
        }
      },
    })
  const store = { ...opened, journal: traced('journal', opened.journal), ledger: traced('ledger', opened.ledger) }
  const auditLog = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now })
  const audit: typeof auditLog = {
    ...auditLog,
    append: async (event) => {
      trace.push(`audit ${event.event}`)
      await auditLog.append(event)
      await hooks.afterAudit(event.event)
    },
    note: (event) => {
      trace.push(`audit ${event.event}`)
      auditLog.note(event)
    },
  }
  const senders = new Map<number, Sender>()
  const lines: { level: string; event: string; facts: Readonly<Record<string, unknown>> }[] = []
  const write =
    (level: string) =>
    (event: string, facts: Readonly<Record<string, unknown>> = {}) =>
      void lines.push({ level, event, facts })
  const tokens = createTokenDirectory({ chains: chains.list(), rpc })
  const liquidity = createLiquidity({ rpc, tokens })
  const executor = createExecutor({
    policy: parsePolicy(options.policy ?? { ...devnetPolicy(), unnamedSales: 'allow' }, { production: false }),
    chains,
    rpc,
    tokens,
    prices:
      options.usd === 'chain'
        ? createPriceSource({ rpc, tokens, liquidity, pickInt: () => 0 })
        : tablePrices(options.usd),
    senders: (of) => {
      const known =
        senders.get(of.id) ??
        withPatience(
          patience,
          createSender({
            wallet,
            client: rpc.client(of),
            chain: of,
            journal: store.journal,
            counts: () => rpc.transactionCounts(of, wallet.address),
          }),
        )
      senders.set(of.id, known)
      return known
    },
    journal: store.journal,
    transactions: store.transactions,
    formerWallets: createFormerWallets({ ...store, rpc, wallet: wallet.address }),
    ledger: store.ledger,
    operations: store.operations,
    audit,
    dataDir,
    now,
    newRequestId: randomUUID,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    ...options.engine,
  })
  const read = rpc.client(chain)
  const known = (symbol: string) =>
    [...(options.chain?.tokens ?? []), ...devnet.tokens].find((token) => token.symbol === symbol)
  return {
    devnet,
    chain: chains.list()[0]!,
    dataDir,
    clock,
    network,
    trace,
    hooks,
    patience,
    privateKey,
    wallet: wallet.address,
    rpc,
    tokens,
    liquidity,
    store,
    audit,
    senders,
    executor,
    lines,
    run: (intent: Intent, call: Partial<Call> = {}): Promise<Settled | Deferred> =>
      executor.open({ ...callOf(), input: inputOf(intent), ...call })(intent, (settled) => settled),
    token: (symbol: string): Address => (symbol === 'ETH' ? zeroAddress : known(symbol)!.address),
    balance: async (symbol: string, owner: Address = wallet.address): Promise<bigint> => {
      const token = known(symbol)
      if (token === undefined) return read.getBalance({ address: owner })
      return read.readContract({ address: token.address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
    },
    allowance: (symbol: string, spender: Address): Promise<bigint> =>
      read.readContract({
        address: devnet.tokens.find((token) => token.symbol === symbol)!.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet.address, spender],
      }),
    permit2Allowance: (symbol: string, spender: Address): Promise<readonly [bigint, number, number]> =>
      read.readContract({
        address: chain.permit2,
        abi: permit2Abi,
        functionName: 'allowance',
        args: [wallet.address, devnet.tokens.find((token) => token.symbol === symbol)!.address, spender],
      }),
    nonce: () => read.getTransactionCount({ address: wallet.address }),
    auditLines: async (): Promise<readonly Record<string, unknown>[]> =>
      (await readFile(join(dataDir, 'audit.jsonl'), 'utf8'))
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Record<string, unknown> => JSON.parse(line)),
    close: async () => {
      await audit.close()
      await store.close()
    },
  }
}

export type Pipeline = Awaited<ReturnType<typeof openPipeline>>

export type PipelineOptions = {
  readonly policy?: z.input<typeof policySchema>
  readonly dataDir?: string
  readonly privateKey?: Hex
  /** Of the PostgreSQL that takes the place of the state file. */
  readonly databaseUrl?: string | undefined
  /** Changes to the table of prices, or the prices of the chain's own pools. */
  readonly usd?: Readonly<Record<string, number | null>> | 'chain'
  readonly chain?: Partial<Devnet['chain']>
  /** How long a write waits for its block is for `patience` to say. */
  readonly engine?: Partial<Omit<ExecutorOptions, 'confirmTimeoutMs'>>
}

/** Arguments that are others where another sum is to be spent, as they are where an agent asks for it. */
function inputOf({ spends }: Intent): Call['input'] {
  return { amounts: spends.map(({ amount }) => `${amount}`) }
}

export function callOf(): Call {
  return {
    requestId: randomUUID(),
    tool: 'execute_swap',
    principal: {
      id: 'api-key:7e57000000000000',
      stage: 'api-key',
      tier: 'write',
      scopes: new Set(['write:trade']),
      expiresAt: null,
    },
    dryRun: false,
    idempotencyKey: null,
    input: {},
    carriesOut: null,
    signal: new AbortController().signal,
  }
}

function placeOf(dataDir: string, url: string | undefined) {
  return url === undefined ? { path: join(dataDir, 'state.db') } : { url, patienceMs: 120_000 }
}

const usdTable: Readonly<Record<string, number | null>> = {
  ETH: 3_000,
  WETH: 3_000,
  USDC: 1,
  USDT: 1,
  DAI: 1,
  WBTC: 90_000,
}

function tablePrices(usd: Readonly<Record<string, number | null>> = {}): PriceSource {
  return {
    usd: async (_chain, token) => {
      const price = { ...usdTable, ...usd }[token.symbol] ?? null
      if (price === null) return null
      return {
        usd: price,
        band: bandOf(parseUnits(`${price}`, 18)),
        mostE18: null,
        doubt: null,
        readAt: 0,
        method: 'peg',
        pools: [],
        liquidityUsd: 1e7,
        confidence: 'HIGH',
        blockNumber: 0n,
      }
    },
    ratio: async () => null,
    doubt: async () => 'unnamed' as const,
  }
}
