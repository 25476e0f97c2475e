// The pipeline over a chain with every way out of it timed: requests to the endpoint, waits for a block, signatures. What is
// left of a write's time is the pipeline's own. The ports are wrapped; the pipeline is the product's.
import { randomInt, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openStore } from '@svc/store'
import { devnetPolicy } from '@svc/engine'
import { createSender } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createCommitClock } from './durable-commit.mjs'

const built = (path) => import(new URL(`../../packages/engine/dist/${path}`, import.meta.url).href)

/** `path` is an existing directory for the state; commits are as durable as in production. */
export async function openMeasuredPipeline({ devnet, privateKey, path }) {
  const { createExecutor } = await built('pipeline.js')
  const { parsePolicy } = await built('policy/policy.js')
  const { openAuditLog } = await built('audit/audit.js')
  const { createChainDirectory } = await import('@svc/amm/chains')
  const { createLiquidity } = await import('@svc/amm/liquidity')
  const { createPriceSource } = await import('@svc/amm/prices')
  const { createRpcPool } = await import('@svc/amm/rpc')
  const { createTokenDirectory } = await import('@svc/amm/tokens')

  const outside = createOutsideClock()
  const now = Date.now
  const inner = new ServiceWallet({ mode: 'local', privateKey })
  const wallet = {
    address: inner.address,
    signTransaction: (transaction) => outside.during(() => inner.signTransaction(transaction)),
  }
  const chains = createChainDirectory([devnet.chain])
  const rpc = createRpcPool({ urls: () => [devnet.rpcUrl], now, fetch: timedFetch(outside) })
  const store = await openStore({ path: join(path, 'state.db'), now })
  const audit = await openAuditLog({ path: join(path, 'audit.jsonl'), now })
  const tokens = createTokenDirectory({ chains: chains.list(), rpc })
  const liquidity = createLiquidity({ rpc, tokens })
  const sender = createSender({ wallet, client: rpc.client(devnet.chain), chain: devnet.chain, journal: store.journal })
  const steps = new Map()
  let outsideBefore = 0
  const log = {
    debug: (event, facts) => {
      if (event !== 'road.step') return
      const spent = outside.total() - outsideBefore
      outsideBefore = outside.total()
      steps.set(facts.step, (steps.get(facts.step) ?? 0) + Math.max(0, facts.ms - spent))
    },
    info: () => {},
    warn: (event, facts) => console.error(event, facts),
    error: (event, facts) => console.error(event, facts),
  }
  const executor = createExecutor({
    policy: parsePolicy({ ...devnetPolicy(), limitsUsd: generous }, { production: false }),
    chains,
    rpc,
    tokens,
    prices: createPriceSource({ rpc, tokens, liquidity, pickInt: (below) => randomInt(below) }),
    senders: () => sender,
    journal: store.journal,
    transactions: store.transactions,
    formerWallets: async () => [],
    ledger: store.ledger,
    pendingRevocations: store.pendingRevocations,
    operations: store.operations,
    audit,
    dataDir: path,
    now,
    newRequestId: randomUUID,
    log,
  })
  const [chain] = chains.list()
  const token = (symbol) => tokens.resolve(chain, symbol, 'token')

  return {
    outside,
    steps,
    store,
    wallet: inner,
    async planSwap(from, to, amountIn) {
      const request = { tokenIn: await token(from), tokenOut: await token(to), amountIn, versions: ['v3'] }
      const quote = await liquidity.quote(chain, request)
      const deadline = Math.floor(now() / 1000) + 600
      const terms = { ...request, slippageBps: 100, deadline, recipient: inner.address }
      return (await liquidity.planSwap(chain, quote, terms)).intent
    },
    commitMs: createCommitClock(store.journal, inner.address),
    run: (intent) => executor.open(callOf())(intent, (settled) => settled),
    async close() {
      await audit.close()
      await store.close()
    },
  }
}

const generous = { perTransaction: '1000000', perSession: '100000000', daily: '100000000' }

function callOf() {
  return {
    requestId: randomUUID(),
    tool: 'execute_swap',
    principal: { id: 'key:bench', stage: 'api-key', tier: 'write', scopes: new Set(['write:trade']), expiresAt: null },
    dryRun: false,
    idempotencyKey: null,
    input: {},
    carriesOut: null,
    signal: new AbortController().signal,
  }
}

/** Adds up the time in which at least one thing outside is waited for, and the CPU time that passes meanwhile. */
function createOutsideClock() {
  let open = 0
  let since = 0
  let total = 0
  let cpuSince = 0
  let cpuTotal = 0
  const enter = () => {
    if (open === 0) [since, cpuSince] = [performance.now(), cpuMs()]
    open += 1
  }
  const leave = () => {
    open -= 1
    if (open > 0) return
    // To ask for the CPU time takes a tenth of a millisecond in a process of many threads: no part of the pipeline's own.
    cpuTotal += cpuMs() - cpuSince
    total += performance.now() - since
  }
  return {
    enter,
    leave,
    async during(work) {
      enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
    /** Milliseconds so far. */
    total: () => total + (open > 0 ? performance.now() - since : 0),
    /** Milliseconds of CPU that this process has used so far while nothing outside was waited for. */
    ownCpu: () => (open > 0 ? cpuSince : cpuMs()) - cpuTotal,
  }
}

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** From a receipt that is not there yet to the next request, the block is waited for. */
function timedFetch(outside) {
  let waits = false
  return (input, init) => {
    if (waits) outside.leave()
    waits = false
    return outside.during(async () => {
      const response = await fetch(input, init)
      const text = await response.text()
      if (String(init?.body).includes('eth_getTransactionReceipt') && text.includes('"result":null')) {
        waits = true
        outside.enter()
      }
      return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } })
    })
  }
}
