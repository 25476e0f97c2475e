import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readPause } from '@svc/engine/switches'
import { openStore } from '@svc/store'
import { writeState } from '@svc/store/backup'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './config/config-shape.ts'
import { createChainDirectory } from '@svc/amm/chains'
import type { LogDestination } from '@svc/runtime'
import { openLog } from './config/secrets.ts'
import { openServer } from './open-server.ts'
import { openWritePipeline } from './open-write-pipeline.ts'
import type { Ports } from './ports.ts'
import type { Tool } from './tool.ts'
import { devnetPolicy } from '@svc/engine'
import { parsePolicy } from '../../engine/src/policy/policy.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-write-pipeline-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const localKey = { PRIVATE_KEY: `0x${'5'.repeat(64)}` }

test.each([
  [
    'MANAGED_WALLET_UNAVAILABLE',
    {
      WALLET_TYPE: 'managed',
      WALLET_APP_ID: 'app',
      WALLET_APP_SECRET: 'secret',
      WALLET_ID: 'wallet',
      WALLET_AUTH_PRIVATE_KEY: 'no key',
    },
  ],
])('%s: a wallet that cannot sign is refused at the start, and nothing is written', async (code, environment) => {
  const opening = openServer(readConfig({ ...environment, SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  await expect(opening).rejects.toBeInstanceOf(ConfigError)
  await expect(opening).rejects.toMatchObject({ problems: [{ code, setting: 'WALLET_AUTH_PRIVATE_KEY' }] })
  await expect(opening).rejects.toThrow(/WALLET_AUTH_PRIVATE_KEY is not valid; .* Correct WALLET_AUTH_PRIVATE_KEY/)
  expect(readdirSync(dataDir)).toEqual([])
})

test('a server that cannot be put together closes what it had opened: the directory is free again', async () => {
  const config = readConfig({ ...localKey, SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const tool = {
    get name(): string {
      throw new Error('A tool without a name.')
    },
  } as Tool
  await expect(openServer(config, { tools: [tool] })).rejects.toThrow('without a name')
  await (await openServer(config)).close()
})

async function openPipeline(stopTimeoutMs: number, destination?: LogDestination) {
  const LOG_LEVEL = destination === undefined ? 'silent' : 'warn'
  const config = readConfig({ ...localKey, SVC_DATA_DIR: dataDir, LOG_LEVEL })
  const ports = { chains: createChainDirectory([]) } as Ports
  const policy = parsePolicy(devnetPolicy(), { production: false })
  return openWritePipeline({
    config,
    wallet: config.wallet!,
    ports,
    policy,
    log: openLog(config, destination),
    stopTimeoutMs,
  })
}

test('the start releases what an earlier process had reserved and not signed, also where no chain can be read', async () => {
  const reopened = () => openStore({ path: join(dataDir, 'state.db'), now: Date.now })
  await (await openPipeline(20)).close()
  const before = await reopened()
  const limits = { perTransaction: 9n, perSession: 9n, daily: 9n }
  const asked = { principal: 'agent', chainId: 1, amountUsdMicros: 5n, limits, sessionIdleMs: 1_000 }
  expect(await before.ledger.reserve({ ...asked, id: 'r', requestId: 'gone' })).toMatchObject({ granted: true })
  await before.close()
  await (await openPipeline(20)).close()
  const after = await reopened()
  expect(await after.ledger.open()).toEqual([])
  await after.close()
})

test('state that was put back from a copy signs nothing from any directory, at each start, until it is released', async () => {
  const path = join(dataDir, 'state.db')
  const restored = { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: 'restored from the backup' }
  const nothing = { steps: ['0001-journal-ledger-idempotency'], tables: [], rows: async function* () {} }
  await writeState({ path }, nothing, restored)
  for (let start = 0; start < 2; start += 1) {
    await (await openPipeline(20)).close()
    expect(await readPause({ dataDir })).toMatchObject({ by: restored.by, reason: restored.reason })
    rmSync(join(dataDir, 'paused'))
  }
  const store = await openStore({ path, now: Date.now })
  await store.restored.release()
  await store.close()
  await (await openPipeline(20)).close()
  expect(await readPause({ dataDir })).toBeNull()
})

const claim = { principalId: 'agent', key: 'k', bodyHash: 'body', requestId: 'request' }

test('closing keeps the state open under a write on its way, and lets no other in', async () => {
  const pipeline = await openPipeline(5_000)
  const inside = pipeline.during(async () => {
    await pause(50)
    return pipeline.idempotency.begin(claim)
  })
  const closed = pipeline.close()
  await expect(pipeline.during(() => Promise.resolve())).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  await expect(inside).resolves.toEqual({ state: 'new' })
  await closed
  await expect(pipeline.idempotency.begin(claim)).rejects.toBeInstanceOf(Error)
})

test('closing waits for a write no longer than it was told', async () => {
  const pipeline = await openPipeline(20)
  void pipeline.during(() => new Promise(() => {}))
  await pipeline.stop()
  await pipeline.close()
  await (await openPipeline(20)).close()
})

test('closing complains of no sweep that it turns away, and says once how many writes it cut off', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const lines: string[] = []
    const pipeline = await openPipeline(30_000, { write: (line) => void lines.push(line) })
    void pipeline.during(() => new Promise(() => {}))
    const closed = pipeline.stop().then(() => pipeline.close())
    await vi.advanceTimersByTimeAsync(30_000)
    await closed
    expect(pipeline.underWay()).toBe(1)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 40, time: expect.any(Number), event: 'road.cut-off', writes: 1 },
    ])
  } finally {
    vi.useRealTimers()
  }
})
