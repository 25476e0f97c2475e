// What the pipeline of a transaction costs by itself, and what fifty writes at once cost against the bare viem way of sending
// the same calls on the same chain. Journal, ledger and audit log are on disk and as durable as in production.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDevnet } from '@svc/devnet'
import { createSender } from '@svc/wallet/core'
import { createPublicClient, createTestClient, createWalletClient, defineChain, http, nonceManager } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { countDurableCommits } from './parts/durable-commit.mjs'
import { figure, median } from './parts/figure.mjs'
import { openMeasuredPipeline } from './parts/measured-pipeline.mjs'
import { sized } from './parts/size.mjs'

const writes = sized(40, 2)
/** Of a pipeline whose code is warm: its own caches and statements. */
const warmUps = sized(8)
/** The compiler goes on making functions faster for so long; after that the own time falls no further. */
const warmWrites = sized(200, 2)
const rounds = sized(5)
const atOnce = sized(50, 5)
const ownBar = 15
const commitsBar = 8
const funds = { ETH: '100', WETH: '50', USDC: '250000' }

export async function run(report) {
  const closers = []
  try {
    const devnet = await startDevnet({ onProgress: report })
    closers.push(() => devnet.stop())
    const path = mkdtempSync(join(tmpdir(), 'svc-bench-'))
    closers.push(() => rmSync(path, { recursive: true, force: true }))
    const privateKey = generatePrivateKey()
    const bareKey = generatePrivateKey()
    for (const key of [privateKey, bareKey]) await devnet.fund(privateKeyToAddress(key), funds)
    const durable = await countDurableCommits()
    closers.push(() => durable.stop())
    const figures = await coldOwnTime(devnet, report)
    const pipeline = await openMeasuredPipeline({ devnet, privateKey, path })
    closers.push(() => pipeline.close())
    for (const swap of swaps) figures.push(...(await ownTime(pipeline, swap, report)))
    for (const swap of swaps) figures.push(await commitsOf(pipeline, swap, durable, report))
    durable.stop()
    figures.push(...(await inFlight(devnet, pipeline, bareKey, report)))
    return figures
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

const swaps = [
  { name: 'one transaction', transactions: 1, from: 'ETH', to: 'USDC', amount: 10n ** 15n },
  { name: 'approval and swap', transactions: 2, from: 'USDC', to: 'WETH', amount: 3_000_000n },
]

/** Of a write like those before it, so that nothing is written for the first time. */
async function commitsOf(pipeline, { name, transactions, from, to, amount }, durable, report) {
  const intent = await pipeline.planSwap(from, to, amount)
  durable.take()
  await pipeline.run(intent)
  const commits = durable.take()
  const waits = commits.filter((commit) => commit.waits).length
  for (const commit of commits) {
    report(`${name}: ${commit.on}: ${commit.what}${commit.waits ? '' : ' (with the next one)'}`)
  }
  return figure({
    name: `durable commits of each transaction, ${name}`,
    value: commits.length / transactions,
    unit: 'commits',
    reference: `${commits.length} in all on SQLite and in files, ${waits} of them waited for`,
    bar: commitsBar,
    exact: true,
  })
}

/**
 * Of the first writes of a process, whose code is still interpreted; many more warm it. In a wallet and a store of its own: what a day holds
 * is added up at each write, and the pipeline that is measured then holds no more than its own.
 */
async function coldOwnTime(devnet, report) {
  const path = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const privateKey = generatePrivateKey()
  await devnet.fund(privateKeyToAddress(privateKey), funds)
  const pipeline = await openMeasuredPipeline({ devnet, privateKey, path })
  try {
    const figures = []
    for (const swap of swaps) {
      const { own, inCommits } = await timedWrites(pipeline, swap, warmWrites)
      const first = { own: median(own.slice(0, writes)), inCommits: median(inCommits.slice(0, writes)) }
      const reference = `the first ${writes} of ${warmWrites} writes that warm the process, ${first.own.toFixed(1)} ms`
      const name = `pipeline's own time of each transaction, ${swap.name}, in a process that is not warm`
      figures.push(figure({ name, value: first.inCommits, unit: 'commits', reference }))
      report(`${swap.name}: ${warmWrites} writes have warmed the process`)
    }
    return figures
  } finally {
    await pipeline.close()
    rmSync(path, { recursive: true, force: true })
  }
}

/** The bar is a ratio, since milliseconds depend on machine and load; CPU time says how much of it is computing. */
async function ownTime(pipeline, swap, report) {
  await timedWrites(pipeline, swap, warmUps)
  pipeline.steps.clear()
  const { own, cpu, whole, commits, inCommits } = await timedWrites(pipeline, swap, writes)
  const { name } = swap
  const perStep = [...pipeline.steps].map(([step, ms]) => `${step} ${(ms / writes).toFixed(1)}`).join(', ')
  report(`${name}: own milliseconds of each step: ${perStep}`)
  const reference = `${writes} writes, whole ${Math.round(median(whole))} ms, durable commits on SQLite`
  const commit = median(commits)
  const p95 = own.toSorted((a, b) => a - b)[Math.floor(own.length * 0.95)]
  return [
    figure({ name: `pipeline's own time, ${name}, p50`, value: median(own), unit: 'ms', reference }),
    figure({ name: `pipeline's own time, ${name}, p95`, value: p95, unit: 'ms', reference }),
    figure({
      name: `pipeline's own CPU time, ${name}, p50`,
      value: median(cpu),
      unit: 'ms',
      reference: 'of the same writes, all threads; the rest of the own time waits for the disk, or for a processor',
    }),
    figure({
      name: `pipeline's own time of each transaction, ${name}`,
      value: median(inCommits),
      unit: 'commits',
      reference: `one durable commit of the same database right after each write, ${commit.toFixed(2)} ms`,
      bar: ownBar,
    }),
  ]
}

/** Milliseconds of each write; `inCommits` is its own time for each transaction, in durable commits. */
async function timedWrites(pipeline, { transactions, from, to, amount }, count) {
  const seen = { own: [], cpu: [], whole: [], commits: [], inCommits: [] }
  for (let round = 0; round < count; round += 1) {
    const intent = await pipeline.planSwap(from, to, amount)
    const before = pipeline.outside.total()
    const cpuBefore = pipeline.outside.ownCpu()
    const begin = performance.now()
    await pipeline.run(intent)
    const ms = performance.now() - begin
    const own = ms - (pipeline.outside.total() - before)
    seen.cpu.push(pipeline.outside.ownCpu() - cpuBefore)
    const commit = await pipeline.commitMs()
    seen.whole.push(ms)
    seen.own.push(own)
    seen.commits.push(commit)
    seen.inCommits.push(own / commit / transactions)
  }
  return seen
}

async function inFlight(devnet, pipeline, bareKey, report) {
  const { rpcUrl } = devnet
  const transport = http(rpcUrl, { batch: true })
  const chain = defineChain({ ...devnet.chain, rpcUrls: { default: { http: [rpcUrl] } } })
  const client = createPublicClient({ chain, transport, pollingInterval: 20 })
  const account = privateKeyToAccount(bareKey, { nonceManager })
  const bare = createWalletClient({ account, chain, transport })
  const sender = createSender({ wallet: pipeline.wallet, client, chain: devnet.chain, journal: pipeline.store.journal })
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
  const call = { to: sink, data: '0x', gas: 60_000n, ...fees }
  let requests = 0

  const ways = {
    bare: async () => {
      requireMined(await bare.sendTransactionSync({ ...call, value: 1n }))
    },
    sender: async () => {
      requests += 1
      const slot = { requestId: `bench-${requests}`, step: 0, reservationId: null, gasLimit: call.gas, valueWei: 1n }
      const entry = await sender.sign({ ...slot, to: sink, data: '0x', allow: async () => {}, ...fees })
      requireMined((await sender.confirm(await sender.broadcast(entry))).receipt)
    },
    pipeline: async () => void (await pipeline.run(await intents.pop())),
  }
  const intents = []
  const miner = await startMiner(rpcUrl)
  const seen = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      if (name === 'pipeline') intents.push(...Array(atOnce).fill(pipeline.planSwap('ETH', 'USDC', 10n ** 14n)))
      await Promise.all(intents)
      const begin = performance.now()
      await Promise.all(Array.from({ length: atOnce }, way))
      if (round > 0) seen[name].push((atOnce * 1_000) / (performance.now() - begin))
    }
    report(`${atOnce} at once: round ${round} of ${rounds}`)
  }
  await miner.stop()
  const bareRate = median(seen.bare)
  const reference = `bare viem with its nonce manager, ${Math.round(bareRate)} writes/s`
  const ratio = (name) => median(seen[name].map((rate, index) => rate / seen.bare[index]))
  return [
    figure({
      name: `sender, ${atOnce} in flight, durable`,
      value: ratio('sender'),
      unit: 'x',
      reference,
      atMost: false,
    }),
    figure({
      name: `pipeline, ${atOnce} callers, one write at a time`,
      value: ratio('pipeline'),
      unit: 'x',
      reference,
    }),
  ]
}

/** Blocks by the clock: with a block for each transaction the node leaves some that arrive out of order unmined. */
async function startMiner(rpcUrl) {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  await node.setAutomine(false)
  const ending = new AbortController()
  const mining = (async () => {
    while (!ending.signal.aborted) {
      await node.mine({ blocks: 1 })
      await sleep(blockMs)
    }
  })()
  return {
    async stop() {
      ending.abort()
      await mining
      await node.setAutomine(true)
    },
  }
}

const blockMs = 25
const sink = '0x0000000000000000000000000000000000000B0b'

function requireMined(receipt) {
  if (receipt?.status !== 'success') throw new Error('a transaction was not mined')
}
